import Foundation
import IMProfiles
import Recorder
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// Tests of the stops of a replay, with recordings of the library.
@Suite struct StopTests {
    /// The events at which a replay stops for a condition, forwards from the start or backwards from the end.
    private func stops(_ session: ReplaySession, _ filter: String, isForward: Bool) throws -> [UInt64] {
        let condition = try ReplayCondition(filter)
        try session.move(to: isForward ? 0 : session.count)
        var found: [UInt64] = []
        // A backward search begins before the current position, so the last event is checked separately.
        if !isForward, session.count > 0 {
            let holds = try session.timeline.event(session.count).withView {
                try condition.holds(for: $0, in: session.debug)
            }
            if holds { found.append(session.count) }
        }
        while let stop = try StopSearch(session: session.debug, until: condition).run(isForward: isForward) {
            found.append(stop.event)
            try session.move(to: stop.event)
        }
        return isForward ? found : found.reversed()
    }

    @Test(arguments: [
        "kind == transition", "kind == result and status == failed", "text =~ \"login\"", "node == phone and t > 1s",
        "kind == callback and in-state == reconnecting", "kind == frame and not type == heartbeat", "n >= 300",
        "in-state == logged-out", "dir == in and in-state == online", "kind in {start, stop} and in-state",
    ])
    func `a replay stops at the events that show --filter prints, in both directions`(filter: String) throws {
        // The third recording takes as long as all others together, so only `make test-deep` uses it.
        let others = searchesDeeply ? ["p-10-sleep-and-wake"] : []
        for name in ["c-05-kicked-in-every-state", "p-16-replay-gap"] + others {
            let session = try SessionLibrary.replay(name)
            let shown = try session.shown(by: filter)
            #expect(try stops(session, filter, isForward: true) == shown, "\(name)")
            // A new session, because the backward search must not use results of the forward search.
            let fresh = try SessionLibrary.replay(name)
            #expect(try stops(fresh, filter, isForward: false) == shown, "\(name), back")
        }
    }

    /// The process ends after the login command and before any other input, so its state is `connecting`.
    @Test func `a process ends in the state after its last input`() throws {
        let script = "#! imrepl script 1\n# profile: nim\nclient new phone\nlogin alice\napp kill"
        let session = try Played.replay(script)
        let filter = "kind == stop and in-state == connecting"
        let shown = try session.shown(by: filter)
        #expect(shown.count == 1)
        #expect(try stops(session, filter, isForward: true) == shown)
    }

    /// A backward search works in parts, each from one entry point to the previous one.
    @Test func `a backward search misses no event at the boundaries of its parts`() throws {
        let session = try SessionLibrary.replay("rtm-04-thirty-seconds-away")
        let numbers = session.reader.index.flatMap { [$0.number - 1, $0.number] }
        #expect(numbers.contains { $0 > 600 })
        for number in numbers {
            try session.move(to: session.count)
            let condition = try ReplayCondition("n == \(number)")
            #expect(try StopSearch(session: session.debug, until: condition).run(isForward: false)?.event == number)
        }
        try session.move(to: 2)
        let first = try ReplayCondition("n == 1")
        #expect(try StopSearch(session: session.debug, until: first).run(isForward: false)?.event == 1)
    }

    @Test func `a temporary condition suspends the watches`() throws {
        let session = try SessionLibrary.replay("readme")
        let watch = session.debug.stops.watch(try StatePath("phone.state", in: session.debug))
        let once = try ReplayCondition("n == \(session.count)")
        #expect(try StopSearch(session: session.debug, until: once).run(isForward: true)?.event == session.count)
        let isNone = [session.debug.stops.deleteWatch(watch.number + 1), session.debug.stops.deleteBreak(watch.number)]
        #expect(isNone == [false, false])
        let isDeleted = session.debug.stops.deleteWatch(watch.number)
        #expect(isDeleted)
    }

    @Test func `control C ends a long search at its present position`() throws {
        let script = "#! imrepl script 1\n# profile: agora-rtm\nclient new phone\nlogin alice\nwait 12h"
        let interruption = Interruption()
        let session = try Played.replay(script, interruption: interruption)
        #expect(session.count > 8192)
        try session.move(to: 5)
        let never = try ReplayCondition("kind == mark")
        interruption.raise()
        let failure = #expect(throws: DebuggerError.self) {
            try StopSearch(session: session.debug, until: never).run(isForward: true)
        }
        #expect(failure?.description == "interrupted")
        #expect(session.position == 5)
        // An interruption ends only one search.
        #expect(try StopSearch(session: session.debug, until: never).run(isForward: true) == nil)
    }

    @Test func `watches stop at every change, one event at a time`() throws {
        let session = try SessionLibrary.replay("p-16-replay-gap")
        let field = try StatePath("phone.timers", in: session.debug)
        var changes: [UInt64] = []
        var last: StateTree?
        for number in 1...session.count {
            let value = field.value(in: try session.timeline.state(at: number))
            if value != last { changes.append(number) }
            last = value
        }
        _ = session.debug.stops.watch(field)
        for isForward in [true, false] {
            try session.move(to: isForward ? 0 : session.count)
            var seen: [UInt64] = []
            while let stop = try StopSearch(session: session.debug, until: nil).run(isForward: isForward) {
                seen.append(stop.event)
                try session.move(to: stop.event)
            }
            #expect((isForward ? seen : seen.reversed()) == changes)
        }
        #expect(changes.count > 10)
    }
}

extension ReplaySession {
    /// The events that `show --filter` prints.
    func shown(by filter: String) throws -> [UInt64] {
        let scan = FilterScan(try Filter(parsing: filter), of: reader, dialect: dialect)
        var numbers: [UInt64] = []
        try reader.forEach { if scan.take($0) != nil { numbers.append($0.number) } }
        return numbers
    }
}

@Suite struct StateTreeTests {
    private func read(_ json: String) -> StateTree? { StateTree(json: Array(json.utf8)) }

    @Test func `reads canonical JSON and shortens its paths`() throws {
        let tree = try #require(
            read(
                #"{"a":{"_0":{"b":18446744073709551615}},"t":["x.y",{"n":1},"z",{"n":2}],"l":[1,2],"s":"q\"\n\u0001"}"#)
        )
        #expect(tree[path: "a.b"] == .bare("18446744073709551615"))
        #expect(tree[path: "t.x.y.n"] == .bare("1"))
        #expect(tree[path: "l.1"] == .bare("2"))
        #expect(tree[path: "l.count"] == .bare("2"))
        #expect(tree[path: "s"] == .text("q\"\n\u{1}"))
        #expect(tree[path: "a.c"] == nil)
        #expect(tree[path: "l.9"] == nil)
    }

    @Test(arguments: ["", "{", "{\"a\"}", "[1,", "\"x", "{\"a\":1}x", "[1 2", "\"\\u12\""])
    func `invalid JSON is refused`(json: String) {
        #expect(read(json) == nil)
    }

    @Test func `the depth is limited`() {
        #expect(read(String(repeating: "[", count: 5000)) == nil)
    }

    @Test func `differences are reported with their paths`() {
        let old = read(#"{"a":1,"b":{"c":[1,2],"d":"x"},"e":{}}"#)
        let new = read(#"{"a":2,"b":{"c":[1,3],"d":"x"},"f":true}"#)
        #expect(
            StateTree.differences(old, new, path: "n") == [
                "n.a: 1 → 2", "n.b.c.1: 2 → 3", "n.e: {} → -", "n.f: - → true",
            ])
        #expect(StateTree.differences(old, old, path: "n").isEmpty)
    }

    @Test func `a breakpoint can ignore a number of hits`() throws {
        var list = StopList()
        let added = list.add(try ReplayCondition("kick"), count: 3)
        let hits = (0..<4).map { _ in list.hit(added.number) }
        #expect(hits == [false, false, true, true])
        let isUnknownHit = list.hit(99)
        #expect(!isUnknownHit)
    }

    @Test func `invalid bytes are shown in hex`() {
        #expect(WireRows([0xFF, 0xFF]).lines.count == 1)
        #expect(WireRows([0x0A, 0x02, 0x08, 0x07]).lines.count == 2)
        #expect(WireRows([]).lines.isEmpty)
        for length in 0..<40 { _ = WireRows((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ length) }).lines }
    }
}
