import Foundation
import IMClient
import Recorder
import SansIO
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell
@testable import IMText

/// Tests of `timeline` at the replay prompt, with recordings of the library, and of the fields that can be watched.
@Suite struct ReplayTimelineTests {
    private func session(_ name: String) throws -> ReplaySession { try SessionLibrary.replay(name) }

    private func lines(_ session: ReplaySession, _ spread: UInt64?) throws -> [String] {
        try session.timelineDrawing(spread: spread).lines.map { $0.map(\.text).joined() }
    }

    @Test(arguments: SessionLibrary.names) func `every client has a strip, and the position a marker`(name: String)
        throws
    {
        let session = try session(name)
        for position in [0, session.count / 2, session.count] {
            try session.move(to: position)
            let drawn = try lines(session, nil)
            let clients = try SessionSummary(session.reader).clients.map(\.name)
            try #require(drawn.count > clients.count)
            #expect(drawn[0].contains("\(position)/\(session.count)"))
            #expect(drawn[0].contains("v"))
            #expect(
                drawn.dropFirst().prefix(clients.count).map { $0.prefix { $0 != " " } } == clients.map { $0.prefix(16) }
            )
            #expect(drawn.prefix(clients.count + 2).allSatisfy { TextWidth.columns(of: $0) <= 80 })
        }
    }

    @Test func `the marker is at the event, and the strips begin with the earlier state`() throws {
        let session = try session("readme")
        // The kick comes between the last two states of the phone.
        let kick = try #require(try session.shown(by: "kick").first)
        try session.move(to: kick)
        let all = try lines(session, nil)
        let kicked = try #require(all.first { $0.hasPrefix("phone ") }?.range(of: "|kicked"))
        let phone = try #require(all.first { $0.hasPrefix("phone ") })
        let sign = try #require(all[0].firstIndex(of: "v"))
        #expect(
            phone.distance(from: phone.startIndex, to: kicked.lowerBound)
                == all[0].distance(from: all[0].startIndex, to: sign))
        let near = try session.timelineDrawing(spread: 2)
        let states = near.lanes.first { $0.name == "phone" }?.changes.map(\.state)
        #expect(states == [.online, .kicked])
        #expect(near.begin == (try session.timeline.event(kick - 2).time))
        #expect(near.ticks.map(\.kind) == [.kick])
        try session.move(to: 1)
        #expect(try session.timelineDrawing(spread: 1).begin == .zero)
    }

    @Test(arguments: [
        ("timeline", nil), ("timeline all", nil), ("timeline 5", nil), ("timeline ±5", nil), ("timeline -5", nil),
        ("timeline x", "'x' is neither a number of events, from 1, nor 'all'"),
        ("timeline 0", "'0' is neither a number of events, from 1, nor 'all'"),
        ("timeline 1 2", "unexpected argument '2'"),
        ("timeline --all", "'timeline' has no option '--all'"),
    ])
    func `the arguments are checked before anything runs`(line: String, message: String?) throws {
        let statement = try #require(try Statement.parse(line))
        #expect(ReplayCommands.check(statement).first?.message == message)
    }

    // MARK: Watches

    private func watch(_ field: String, in session: ReplaySession) throws {
        let statement = try #require(try Statement.parse("watch \(field)"))
        try session.execute(CheckedStatement(statement))
    }

    @Test(arguments: [
        ("phone.sate", "phone has no 'sate' anywhere in this recording; did you mean 'state'?"),
        ("phone.phase.onlin", "phone.phase has no 'onlin' anywhere in this recording; did you mean 'online'?"),
        ("phone.state.x", "phone.state has no 'x' anywhere in this recording; it has no fields"),
    ])
    func `an unknown field is refused`(field: String, message: String) throws {
        let session = try session("readme")
        let failure = try #require(throws: CommandFailure.self) { try watch(field, in: session) }
        #expect(failure.message == message)
        #expect(session.debug.stops.isEmpty)
    }

    @Test(arguments: [
        ("phone.sate", "phone has no 'sate' here; did you mean 'state'?"),
        ("phone.state.x", "phone.state has no 'x' here; it has no fields"),
    ])
    func `an unknown field has no value`(field: String, message: String) throws {
        let session = try session("readme").debug
        try session.move(to: session.count)
        let path = try StatePath(field, in: session)
        let error = try #require(throws: DebuggerError.self) { try session.value(of: path, in: session.state()) }
        #expect("\(error)" == message)
    }

    @Test(arguments: ["phone.state", "pad.login.retryCount", "phone.phase.online", "pad.user", "phone"])
    func `a field that appears later can be watched from the beginning`(field: String) throws {
        let session = try session("readme")
        try watch(field, in: session)
        #expect(!session.debug.stops.isEmpty)
    }

    @Test func `filters are completed at the replay prompt as in the shell`() throws {
        let answers = ReplayAnswers(session: try session("readme"))
        func lines(_ line: String) -> [String] {
            let found = answers.complete(line, line.utf8.count)
            return found.candidates.map {
                String(decoding: line.utf8.prefix(found.replaceFrom), as: UTF8.self) + $0.text
            }
        }
        #expect(lines("break in-state == onl") == ["break in-state == online"])
        #expect(lines("break node == ph") == ["break node == phone"])
        #expect(lines("rcontinue kind == transition and to in {kicked, onl").last?.hasSuffix("{kicked, online") == true)
        #expect(lines("continue ki").contains("continue kick"))
        #expect(lines("continue ki").contains("continue kind"))
        #expect(lines("timeline ") == ["timeline all"])
    }
}
