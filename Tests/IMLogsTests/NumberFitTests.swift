import IMClient
import IMLogs
import IMProfiles
import Testing

/// Tests of the settings that `imrepl fit` estimates from a log.
@Suite struct NumberFitTests {
    private func fit(_ lines: [String], _ usual: ClientPolicy? = nil) throws -> NumberFit {
        NumberFit(try LogReader(LogOptions()).read(Array(lines.joined(separator: "\n").utf8)), usual: usual)
    }

    private func numbers(_ lines: [String], _ usual: ClientPolicy? = nil) throws -> [String: String] {
        Dictionary(uniqueKeysWithValues: try fit(lines, usual).numbers.map { ($0.key, $0.value) })
    }

    @Test func `a growing heartbeat interval and a delayed first retry`() throws {
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
        // The intervals increase up to the last one, so a later interval may be longer still.
        #expect(found["heartbeat-interval-max-ms"] == nil)
        #expect(found["first-retry-waits"] == "true")
        #expect(found["retry-delays-ms"] == "7000")
    }

    @Test func `lost lines and a returning network change no estimate`() throws {
        func step(_ second: Int, _ step: Int) -> String {
            "2026-11-20 10:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60).000 [IM] onLogin step=\(step)"
        }
        // The connection is lost at 100 s. Attempts of 10 s follow after 0, 2, 4 and 6 s. The log lacks the end of the
        // second attempt, and a network change ends the last one after 3 s.
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
        // The connection is lost at 100 s. Attempts of 10 s follow at once, after 2 s and after 4 s. The last one
        // succeeds.
        let steps: [(Int, Int)] = [
            (0, 1), (0, 2), (0, 4), (0, 5), (0, 7), (0, 8), (100, 9), (100, 1), (110, 3), (112, 1), (122, 3), (126, 1),
            (136, 3), (137, 1), (137, 2), (137, 4), (137, 5), (137, 7), (137, 8),
        ]
        let found = try numbers(steps.map { step($0.0, $0.1) })
        #expect(found["attempt-time-limit-ms"] == "10000")
        #expect(found["retry-delays-ms"] == "2000,4000")
        #expect(found["first-retry-waits"] == "false")
    }

    /// The lines of several outages of NIM. Each attempt fails at once. `waits` has the delays before the later
    /// attempts.
    private func outages(_ waits: [[Int]], hosts: Int = 1) throws -> [String] {
        var lines: [String] = []
        func add(_ time: Int, _ step: Int) {
            let (seconds, fraction) = (time / 1000, String(time % 1000 + 1000).dropFirst())
            func digits(_ number: Int) -> String { String(String(number + 100).dropFirst()) }
            lines.append(
                "2026-11-20 \(digits(seconds / 3600)):\(digits(seconds / 60 % 60)):\(digits(seconds % 60)).\(fraction) [IM] "
                    + "onLogin step=\(step)")
        }
        var time = 1000
        for outage in waits {
            for (offset, step) in [(0, 1), (40, 5), (60, 8), (90_000, 9)] { add(time + offset, step) }
            time += 90_000
            for wait in [0] + outage {
                time += wait
                for _ in 0..<hosts {
                    add(time, 1)
                    add(time + 20, 3)
                    time += 20
                }
            }
            time += 2_500
        }
        return lines
    }

    private var nim: ClientPolicy { NIMDialect().clientPolicy }

    @Test func `delays with random jitter`() throws {
        // The delays are 1.5 times those of NIM, with a jitter of 300 per mille.
        let waits = [
            [3100, 7500, 9400, 15_200], [3800, 6150, 11_500], [3450, 6900, 9900, 12_300, 29_900], [3000, 7200],
        ]
        let found = try numbers(outages(waits), nim)
        let delays = try #require(found["retry-delays-ms"]).split(separator: ",").compactMap { Int($0) }
        for (delay, actual) in zip(delays, [3000, 6000, 9000, 12_000, 24_000]) {
            #expect(abs(delay - actual) * 100 <= 15 * actual, "\(delays)")
        }
        let jitter = try #require(found["retry-jitter-per-mille"].flatMap { Int($0) })
        #expect(abs(jitter - 300) <= 45)
        // Delays of a profile without jitter.
        let usual = try numbers(outages([[2010, 4000, 5990], [1990, 4020]]), nim)
        #expect(usual["retry-delays-ms"] == "2000,4000,6000" && usual["retry-jitter-per-mille"] == "0")
    }

    @Test func `an attempt that the log lacks does not shift a delay`() throws {
        // The log lacks the end of the attempt after 6 s and the start of the attempt after 8 s.
        var lines = try outages([[2000, 4000, 6000, 8000, 16_000], [2000, 4000]])
        let third = try #require(lines.indices.filter { lines[$0].hasSuffix("step=3") }.dropFirst(3).first)
        lines.removeSubrange(third...third + 1)
        let found = try numbers(lines, nim)
        #expect(found["retry-delays-ms"] == "2000,4000,6000,8000,16000")
    }

    @Test func `several hosts that refuse the connection`() throws {
        let found = try numbers(outages([[2000, 4000], [2000]], hosts: 3), nim)
        #expect(found["host-count"] == "3")
        #expect(found["retry-delays-ms"] == "2000,4000")
        #expect(try numbers(outages([[2000, 4000]]), nim)["host-count"] == nil)
    }

    @Test func `the heartbeat interval from silent connections`() throws {
        // The heartbeat interval is 20 s and the answer limit 10 s. One connection is lost at an unrelated time.
        let lines = losses([70_020, 129_990, 93_500, 209_980, 49_990])
        let interval = try #require(try numbers(lines, nim)["heartbeat-interval-ms"].flatMap { Int($0) })
        #expect(abs(interval - 20_000) < 50)
        #expect(try numbers(lines)["heartbeat-interval-ms"] == nil)
        // The losses fit an interval of 20 s, but also intervals of 40 s and others, so no interval is printed.
        #expect(try numbers(losses([50_020, 129_990, 93_500]), nim)["heartbeat-interval-ms"] == nil)
    }

    @Test func `a setting that the log shows badly is not printed`() throws {
        // Each retry has only one measured delay, and the profile has jitter.
        let zim = ZIMDialect().clientPolicy
        let found = try fit(outages([[2600, 5100], [3400]]), zim)
        let delays = try #require(found.numbers.first { $0.key == "retry-delays-ms" })
        #expect(delays.shown == nil)
        #expect(delays.low.split(separator: ",").first.flatMap { Int($0) }.map { $0 < 2500 } == true)
        #expect(found.missingKeys.contains("retry-delays-ms") && found.missingKeys.contains("heartbeat-interval-ms"))
        // A delay of 20 ms cannot be measured with times that have an error of 12 ms.
        let latency = try #require(found.numbers.first { $0.key == "latency-ms" })
        #expect(latency.count == 2)
    }

    /// The lines of connections, each of which is lost this number of milliseconds after its login.
    private func losses(_ ages: [Int]) -> [String] {
        var lines: [String] = []
        var minute = 10
        for age in ages {
            for (offset, step) in [(0, 5), (20, 8), (age, 9)] {
                let (seconds, rest) = (offset / 1000, offset % 1000)
                lines.append(
                    "2026-11-20 10:\(minute + seconds / 60):\(String(100 + seconds % 60).dropFirst())."
                        + "\(String(1000 + rest).dropFirst()) [IM] onLogin step=\(step)")
            }
            minute += 5
        }
        return lines
    }
}
