import IMClient
import IMProfiles
import IMProtocol
import SansIO
import Testing

@testable import IMDebugger
@testable import IMSession
@testable import IMShell

/// Tests of the events that a world stores for expectations and screens, and of the time at which their texts are
/// composed.
@Suite struct EventLogTests {
    private func heartbeat(_ number: UInt64, node: String = "phone") -> SessionEvent {
        SessionEvent(
            number: number, time: .zero, node: node, content: .effect(.send(ConnectionID(1), Frame(.heartbeat))))
    }

    @Test func `old events are dropped, and an expectation continues with the rest`() throws {
        let log = EventLog(dialect: NIMDialect(), eventsKept: 10)
        for number in 1...100 { log.take(heartbeat(UInt64(number))) }
        #expect(log.observations(of: "phone").count < 20)
        #expect(log.droppedEventCount > 80)
        var cursor = EventLog.Cursor.start
        let found = log.firstMatch(of: Self.heartbeatClause, node: "phone", from: &cursor)
        #expect(found?.label == "#\(log.droppedEventCount + 1) +0.000s")
        cursor = log.end
        #expect(log.firstMatch(of: Self.heartbeatClause, node: "phone", from: &cursor) == nil)
        log.take(heartbeat(101, node: "pad"))
        log.take(heartbeat(102))
        #expect(log.firstMatch(of: Self.heartbeatClause, node: "phone", from: &cursor)?.label == "#102 +0.000s")
    }

    private static let heartbeatClause = ExpectClause(
        pattern: .frame(.out, "heartbeat"), fields: [], isNegative: false)

    @Test func `a transition appears as a state and then as a callback`() {
        let log = EventLog(dialect: AgoraRTMDialect())
        log.take(
            SessionEvent(
                number: 1, time: .zero, node: "phone",
                content: .effect(.transition(StateChange(from: .loggedOut, to: .connecting, reason: .login)))))
        let seen = log.observations(of: "phone")
        #expect(seen.map(\.kind) == [.state, .callback])
        var cursor = EventLog.Cursor.start
        let state = ExpectClause(pattern: .state("connecting"), fields: [], isNegative: false)
        #expect(log.firstMatch(of: state, node: "phone", from: &cursor) == seen[0])
        let callback = ExpectClause(pattern: .callback(seen[1].name), fields: [], isNegative: false)
        #expect(log.firstMatch(of: callback, node: "phone", from: &cursor) == seen[1])
        #expect(log.firstMatch(of: callback, node: "phone", from: &cursor) == nil)
    }

    @Test func `the screen shows the recorded events, each once`() {
        let log = EventLog(dialect: NIMDialect())
        var shown: [String] = []
        log.show = { event, weight, text in if weight > .detail { shown.append("\(event.number) \(text())") } }
        let command = SessionEvent(
            number: 0, time: .zero, node: "phone",
            content: .input(.clientCommand(CommandID(7), .logout(keepsPush: false))))
        let result = SessionEvent(
            number: 0, time: .zero, node: "phone", content: .effect(.complete(CommandID(7), Completion(.ok))))
        let lines = [command, heartbeat(0), result].map(log.formatForRecording)
        for (number, event) in [command, heartbeat(0), result].enumerated() {
            var event = event
            event.number = UInt64(number + 1)
            log.take(event)
        }
        #expect(lines[0].hasPrefix("phone > logout"))
        #expect(lines[2].hasPrefix("phone result logout "))
        #expect(shown == ["1 \(lines[0].dropFirst(6))", "3 \(lines[2].dropFirst(6))"])
    }
}
