import Foundation
import Recorder
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession

/// Tests of the answers of `why` in every recording. The folder `Causes` contains the answers, one file for each
/// recording. `make sessions` writes the files.
@Suite struct CauseListTests {
    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Causes").path

    @Test(arguments: SessionLibrary.scripts)
    func `every event leads to its cause`(script: String) throws {
        let name = String(script.dropLast(4))
        let session = try SessionLibrary.replay(name)
        let finder = CauseFinder(session.debug)
        var lines = try transitions(session, finder)
        // Heartbeats are equal and hard to distinguish. The other frames, which users read more often, are listed
        // separately.
        lines.append(try frames(last(10, "kind == frame and dir == in", of: session), session, finder))
        let others = "kind == frame and dir == in and not type in {heartbeat, heartbeat-ack}"
        lines.append(try frames(last(40, others, of: session), session, finder))
        lines += try last(8, "kind == link and dir == in", of: session).map { try cause(of: $0, finder) }
        lines += try last(6, "kind == timer", of: session).map { try cause(of: $0, finder) }

        let path = "\(Self.folder)/\(name).txt"
        let found = lines.joined(separator: "\n") + "\n"
        if ProcessInfo.processInfo.environment["IMREPL_WRITE_CATALOGUE"] != nil {
            try found.write(toFile: path, atomically: true, encoding: .utf8)
        }
        let kept = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        #expect(found == kept, "'make sessions' writes \(path)")
    }

    /// Checks that the last transitions have a cause outside the client, and returns the causes.
    private func transitions(_ session: ReplaySession, _ finder: CauseFinder) throws -> [String] {
        try last(12, "kind == transition", of: session).map { number in
            let chain = try finder.chain(from: number)
            #expect(chain.steps.first?.number == number)
            #expect(zip(chain.steps, chain.steps.dropFirst()).allSatisfy { $0.number > $1.number })
            #expect(!chain.end.contains("not in this recording"), "#\(number): \(chain.end)")
            var line = chain.steps.map { "#\($0.number)" }.joined(separator: " ← ") + ": " + chain.end
            if let scenario = try finder.kickOrigin(of: chain.steps) {
                line += scenario.decision.map { "; decided by #\($0)" } ?? ""
                line += scenario.endedLogin.map { "; the login lost was #\($0)" } ?? ""
            }
            return line
        }
    }

    /// Checks that each received frame was sent before, at the other end of its connection.
    private func frames(
        _ numbers: [UInt64], _ session: ReplaySession, _ finder: CauseFinder
    ) throws -> String {
        let pairs = try numbers.map { number in
            guard case .event(let sent, _) = try finder.cause(of: number) else {
                Issue.record("#\(number): \(try finder.cause(of: number))")
                return "#\(number)"
            }
            let (received, origin) = (try session.event(number), try session.event(sent))
            // The rule that duplicated a frame is the cause of its second arrival.
            if origin.kind == "fault" { return "#\(number) ← #\(sent)" }
            #expect(origin.node != received.node && origin.kind == "frame" && origin.direction == "out")
            // The first frame over a connection identifies the client.
            if case .input(.frame(_, let frame)) = received.content, frame.body.name == "login" {
                #expect(frame.facts.first { $0.name == "device" } == origin.facts.first { $0.name == "device" })
            }
            return "#\(number) ← #\(sent)"
        }
        return "received: " + pairs.joined(separator: ", ")
    }

    private func cause(of number: UInt64, _ finder: CauseFinder) throws -> String {
        switch try finder.cause(of: number) {
        case .event(let cause, let how): "#\(number) ← #\(cause)\(how.isEmpty ? "" : ": \(how)")"
        case .outside(let text), .unknown(let text): "#\(number): \(text)"
        }
    }

    private func last(_ count: Int, _ filter: String, of session: ReplaySession) throws -> [UInt64] {
        try session.shown(by: filter).suffix(count)
    }
}
