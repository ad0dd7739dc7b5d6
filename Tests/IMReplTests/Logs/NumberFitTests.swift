import IMLogs
import Testing

/// The numbers that `imrepl fit` reads off a log.
@Suite struct NumberFitTests {
    private func numbers(_ lines: [String]) throws -> [String: String] {
        let log = try LogReader(LogOptions()).read(Array(lines.joined(separator: "\n").utf8))
        return Dictionary(uniqueKeysWithValues: NumberFit(log).numbers.map { ($0.key, $0.value) })
    }

    @Test func `a heartbeat that grows and a first retry that waits`() throws {
        func at(_ second: Int, _ text: String) -> String {
            "[2019/10/24 14:\(second / 60):\(second % 60):0]: \(text)"
        }
        func frame(_ way: String, _ command: String) -> String {
            "log: level: 1, area: 1, \(way): { verison : MSYNC_V1, command : \(command), payload : {  } }"
        }
        var lines = [
            at(0, "EMChatClientImpl::init()"), at(1, "EMSessionManager::login(): alice"),
            at(1, frame("SEND", "PROVISION")), at(1, "EMSessionManager::onConnect()"), at(1, "login return: 0"),
        ]
        for second in [1, 121, 286, 496, 751] {
            lines += [at(second, frame("SEND", "UNREAD")), at(second, frame("RECV", "UNREAD"))]
        }
        lines += [
            at(800, "EMSessionManager::onDisConnect(): 2"), at(807, frame("SEND", "PROVISION")),
            at(807, "EMSessionManager::onConnect()"),
        ]
        let found = try numbers(lines)
        #expect(found["heartbeat-interval-ms"] == "120000")
        #expect(found["heartbeat-growth-ms"] == "45000")
        #expect(found["heartbeat-interval-max-ms"] == "255000")
        #expect(found["first-retry-waits"] == "true")
        #expect(found["retry-delays-ms"] == "7000")
    }

    @Test func `a line that the log lost, and a network that came back, change no number`() throws {
        func step(_ second: Int, _ step: Int) -> String {
            "2026-11-20 10:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000 [IM] onLogin step=\(step)"
        }
        // Lost at 100 s; attempts of 10 s after 0, 2, 4 and 6 s. The second has no line for its end, and the network ends
        // the last after 3 s.
        let steps: [(Int, Int)] = [
            (0, 1), (0, 5), (0, 8), (100, 9), (100, 1), (110, 3), (112, 1), (126, 1), (136, 3), (142, 1), (145, 3),
            (145, 1), (145, 2), (145, 4), (145, 5), (145, 7), (145, 8),
        ]
        let found = try numbers(steps.map { step($0.0, $0.1) })
        #expect(found["attempt-time-limit-ms"] == "10000")
        #expect(found["retry-delays-ms"] == "2000,4000,6000")
    }

    @Test func `the delays and the time limit of NIM's attempts`() throws {
        func step(_ second: Int, _ step: Int) -> String {
            let time = "\(10 + second / 3600):\(second / 60 % 60):\(second % 60)".split(separator: ":")
                .map { $0.count == 1 ? "0\($0)" : String($0) }.joined(separator: ":")
            return "2026-11-20 \(time).000 [IM] onLogin step=\(step)"
        }
        // Lost at 100 s; attempts at once, after 2 s, after 4 s, each for 10 s; the last one succeeds.
        let steps: [(Int, Int)] = [
            (0, 1), (0, 2), (0, 4), (0, 5), (0, 7), (0, 8), (100, 9), (100, 1), (110, 3), (112, 1), (122, 3), (126, 1),
            (136, 3), (137, 1), (137, 2), (137, 4), (137, 5), (137, 7), (137, 8),
        ]
        let found = try numbers(steps.map { step($0.0, $0.1) })
        #expect(found["attempt-time-limit-ms"] == "10000")
        #expect(found["retry-delays-ms"] == "2000,4000")
        #expect(found["first-retry-waits"] == "false")
    }
}
