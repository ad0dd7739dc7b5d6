import Foundation
import IMProfiles
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMSession

/// Tests of filters with the recordings of the library.
@Suite struct FilterRecordingTests {
    static let recordings = SessionLibrary.recordings
    /// Every fourth recording. `make test-deep` uses all of them.
    private static let sample =
        searchesDeeply
        ? recordings : recordings.enumerated().filter { $0.offset.isMultiple(of: 4) }.map(\.element)

    static let expressions = [
        "kind == transition and to == kicked", "kind == transition", "to == kicked", "not to == kicked",
        "to != kicked", "from == syncing or to == syncing", "kind == frame and type == kicked", "type == login",
        "not type == login", "type != heartbeat and kind == frame", "kind == frame and not type in {sync, sync-done}",
        "kind != frame", "not kind == frame", "kind in {command, result}", "role == input", "not role == input",
        "role != effect and kind != timer", "dir == in", "not dir", "dir != in", "channel == transport",
        "not channel == runtime", "channel != sdk", "node == phone", "node != server and kind == link", "n < 50",
        "n in {1, 7, 41}", "t > 2.5s and t < 1m", "t == 0s", "t >= 1s and kind == callback", "connection == 1",
        "not connection", "user == alice", "not user", "callback", "callback == onKick and in-state == syncing",
        "in-state == online and not kind == frame", "reason == 1 or reason =~ kick", "reason != server",
        "state == online", "state", "not state", "text =~ kick", "not text =~ a", "result and status != ok",
        "code", "callback.state", "fields.type == login", "fields.topic", "not fields.status", "epoch > 1",
        "link == opened or fault", "kind == unreadable", "not kind == unreadable", "error", "profile == nim and fault",
        "(kind == transition or kind == frame) and (to == online or type == login-ack)", "phase", "not command",
        "to == online and reason != login-succeeded", "kind == store or kind == start", "bytes > 1000",
        "request > 0",
    ]

    private func filters() throws -> [Filter] {
        try Self.expressions.map { try Filter(parsing: $0) }
    }

    @Test func thereAreRecordings() {
        #expect(Self.recordings.count > 50)
    }

    /// A filter skips no matching event, in recordings and in damaged payloads.
    @Test(arguments: sample) func skipsNoEvent(path: String) throws {
        let reader = try SessionReader(path: path)
        let dialect = try #require(Dialects.named(reader.header.profile))
        let filters = try filters()
        let formatter = EventFormatter(dialect: dialect)
        let schema = IMSessionSchema()
        var states = InStates()
        var missed: [String] = []
        func check(_ view: EventView) {
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: schema)
            let fields = EventFields(
                event, formatted: formatter.format(event), formatter: formatter,
                inState: states.state(of: view.node)?.name)
            for filter in filters where !filter.mayMatch(view, in: reader) && filter.matches(fields) {
                missed.append("\(view.number): \(filter.source)")
            }
        }
        try reader.forEach { view in
            states.note(view)
            check(view)
            guard view.number % 16 == 3, var damaged = Optional(Event(view)), !damaged.payload.isEmpty else { return }
            let byteIndex = Int(view.number) * 7 % damaged.payload.count
            damaged.payload[byteIndex] ^= UInt8(truncatingIfNeeded: 1 << (view.number / 16 % 8))
            damaged.withView(check)
            damaged.payload = Array(damaged.payload.prefix(byteIndex))
            damaged.withView(check)
        }
        #expect(missed.isEmpty, "\(missed.prefix(5))")
    }

    /// With and without peeking at undecoded events, a filter finds the same events and prints the same texts.
    @Test(arguments: recordings.enumerated().filter { $0.offset % 5 == 0 }.map(\.element))
    func findsTheSameWithAndWithoutPeeking(path: String) throws {
        let reader = try SessionReader(path: path)
        let dialect = try #require(Dialects.named(reader.header.profile))
        for filter in try filters() {
            let session = try SessionFields(reader, for: filter)
            let quick = FilterScan(filter, of: reader, dialect: dialect, session: session)
            let slow = FilterScan(filter, of: reader, dialect: dialect, session: session, peeks: false)
            try reader.forEach { view in
                let found = quick.take(view)
                let expected = slow.take(view)
                #expect(found?.number == expected?.number, "\(filter.source)")
                guard let found, let expected else { return }
                #expect(quick.formatter.text(of: found) == slow.formatter.text(of: expected))
            }
        }
    }

    /// The field `in-state` is the state before the event.
    @Test(arguments: recordings) func followsTheStates(path: String) throws {
        let reader = try SessionReader(path: path)
        var states = InStates()
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema())
            if case .effect(.transition(let change)) = event.content {
                #expect(states.current(of: view.node) == change.from)
                #expect(EventPeek.transition(view.payload) == change)
            }
            states.note(view)
        }
    }

    /// Filters accept the name of every field in the recordings, except for names that users choose.
    @Test(arguments: recordings) func acceptsEveryField(path: String) throws {
        let reader = try SessionReader(path: path)
        let formatter = EventFormatter(dialect: try #require(Dialects.named(reader.header.profile)))
        try reader.forEach { view in
            let event = SessionEvent(view, node: reader.name(of: view.node), schema: IMSessionSchema())
            formatter.note(event)
            let kind = try #require(EventKind(rawValue: event.kind))
            let attributes = ["set-attributes", "settle", "answer", "attributes", "query"]
            let names = event.facts.map(\.name)
            let isOwn = event.facts.contains { attributes.contains($0.value) } || kind == .result
            for name in names {
                // A name that the app chose, or that belongs to a part of a message, is not in the table of the fields.
                let isOwn = isOwn || name.hasPrefix("attribute.") || name.hasPrefix("part")
                #expect(FilterFields[name] != nil || isOwn, "\(name) of \(event.facts)")
                #expect(FilterFields.canHave(.fact(name), kind), "\(name) of \(kind)")
            }
            if case .input(.frame(_, let frame)) = event.content, let type = EventPeek.frameType(view.payload) {
                #expect(type == frame.body.name)
            }
            guard case .effect(let effect) = event.content, let callback = formatter.callback(for: effect) else {
                return
            }
            #expect(FilterFields["callback"]?.values.contains(callback.name) == true)
            for field in callback.fields { #expect(FilterFields[field.name] != nil, "\(field.name)") }
        }
    }
}
