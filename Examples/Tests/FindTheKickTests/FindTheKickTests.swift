import Foundation
import IMDebugger
import Recorder
import Testing

/// Opens a recording, as attached to a bug report, finds the kick in it and asks for its causes.
@Suite struct FindTheKickTests {
    private static let recording = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "sessions/readme.pcapng").path

    @Test func `the other login causes the kick`() throws {
        let session = try DebugSession(SessionReader(path: Self.recording))
        let kick = try #require(try session.first("kind == transition and to == kicked"))
        #expect(try session.event(kick).node == "phone")

        let answer = try session.why(kick)
        let cause = try session.event(#require(answer.verdict.cause))
        #expect(cause.node == "pad")
        #expect(try session.text(of: cause) == "> login user=alice credential=token-of-alice")
        #expect(answer.verdict.rule?.ids.first == "NIM-11")
        // From the transition back over the frame and both ends of the connection to the command.
        #expect(answer.chain.steps.count > 5)
    }

    @Test func `every frame is delivered, lost or in flight`() throws {
        let session = try DebugSession(SessionReader(path: Self.recording))
        let graph = try session.causalGraph()
        let lost = graph.deliveries.filter { $0.value == .lost }.keys.sorted()
        for number in lost { #expect(try session.event(number).kind == "frame") }
        #expect(graph.deliveries.count > 10)
    }
}
