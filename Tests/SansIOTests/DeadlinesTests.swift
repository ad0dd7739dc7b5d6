import Foundation
import SansIO
import Testing

@Suite struct DeadlinesTests {
    private func at(_ seconds: Int64) -> Instant { .zero + .seconds(seconds) }

    private func drain(_ deadlines: inout Deadlines<String>, at now: Instant) -> [String] {
        var names: [String] = []
        while let name = deadlines.popDue(at: now) { names.append(name) }
        return names
    }

    @Test("design 2: timers fire by time, and by name at equal times, in any order of setting")
    func orderIsTimeThenName() {
        let timers: [(String, Int64)] = [("b", 2), ("c", 1), ("a", 2), ("d", 3), ("e", 2)]
        var random = SeededRandom(seed: 7)
        for _ in 0..<50 {
            var left = timers
            var deadlines = Deadlines<String>()
            while !left.isEmpty {
                let (name, second) = left.remove(at: Int(random.below(UInt64(left.count))))
                deadlines.set(name, at: at(second))
            }
            #expect(deadlines.next == at(1))
            #expect(deadlines.entries.map(\.name) == ["c", "a", "b", "e", "d"])
            #expect(drain(&deadlines, at: at(2)) == ["c", "a", "b", "e"])
            #expect(deadlines.next == at(3))
        }
    }

    @Test("design 2: a timer that is set again moves in either direction, and fires once")
    func settingAgainMoves() {
        var deadlines = Deadlines<String>()
        deadlines.set("a", at: at(5))
        deadlines.set("b", at: at(6))
        deadlines.set("a", at: at(7))
        #expect(deadlines.instant(of: "a") == at(7))
        #expect(deadlines.entries.count == 2)
        #expect(deadlines.next == at(6))
        deadlines.set("a", at: at(1))
        #expect(drain(&deadlines, at: at(10)) == ["a", "b"])
        #expect(deadlines.next == nil)
    }

    @Test("design 2: a cancelled timer does not fire, and cancelling what is not set does nothing")
    func cancelledTimersAreGone() {
        var deadlines = Deadlines<String>()
        for (name, second) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] as [(String, Int64)] {
            deadlines.set(name, at: at(second))
        }
        deadlines.cancel("b")
        deadlines.cancel("never set")
        deadlines.cancel { $0 == "c" }
        #expect(deadlines.instant(of: "b") == nil)
        #expect(drain(&deadlines, at: at(9)) == ["a", "d"])
        deadlines.set("a", at: at(1))
        deadlines.cancelAll()
        #expect(deadlines.next == nil)
        #expect(deadlines == Deadlines<String>())
    }

    @Test("design 2: a timer is due at its instant and not a nanosecond earlier")
    func dueExactlyAtItsInstant() {
        var deadlines = Deadlines<String>()
        deadlines.set("a", at: at(1))
        #expect(deadlines.popDue(at: at(1) - .nanoseconds(1)) == nil)
        #expect(deadlines.popDue(at: at(1)) == "a")
        #expect(deadlines.popDue(at: at(1)) == nil)
    }

    @Test("design 2: a timer at the end of time never fires, so that none can repeat there forever")
    func theEndOfTimeNeverComes() {
        var deadlines = Deadlines<String>()
        deadlines.set("a", at: .distantFuture)
        #expect(deadlines.popDue(at: .distantFuture) == nil)
    }

    @Test("D.7: thousands of timers fire in the same order as a few, however they were set, moved and cancelled")
    func manyAreInTheSameOrderAsFew() {
        var random = SeededRandom(seed: 11)
        var deadlines = Deadlines<Int>()
        var model: [Int: Instant] = [:]
        for _ in 0..<20_000 {
            let name = Int(random.below(3000))
            if random.below(3) == 0 {
                deadlines.cancel(name)
                model[name] = nil
            } else {
                let instant = at(Int64(random.below(500)))
                deadlines.set(name, at: instant)
                model[name] = instant
            }
        }
        #expect(deadlines.count == model.count)
        let expected = model.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map(\.key)
        #expect(deadlines.entries.map(\.name) == expected)
        var again = Deadlines<Int>()
        for (name, instant) in model { again.set(name, at: instant) }
        #expect(again == deadlines)
        var fired: [Int] = []
        while let name = deadlines.popDue(at: at(1000)) { fired.append(name) }
        #expect(fired == expected)
        #expect(deadlines == Deadlines<Int>())
    }

    @Test("D.7: setting and cancelling ten thousand timers takes linear time")
    func manyAreCancelledQuickly() {
        var deadlines = Deadlines<Int>()
        for name in 0..<100_000 { deadlines.set(name, at: at(Int64(name % 100))) }
        // If the time grew quadratically with the number of timers, this would take minutes.
        for name in 0..<100_000 { deadlines.cancel(name) }
        #expect(deadlines.next == nil)
        #expect(deadlines.count == 0)
    }

    @Test("D.1: timers in a file that are unsorted or duplicate are refused")
    func timersOfFilesAreLookedAt() throws {
        var deadlines = Deadlines<Int>()
        for name in 0..<100 { deadlines.set(name, at: at(Int64(name))) }
        let json = try JSONEncoder().encode(deadlines)
        #expect(try JSONDecoder().decode(Deadlines<Int>.self, from: json) == deadlines)
        let entry = try JSONEncoder().encode(deadlines.entries[1])
        let text = String(decoding: entry, as: UTF8.self)
        for entries in ["[\(text),\(text)]", "[\(text),\(text.replacing("1", with: "0"))]"] {
            let data = Data("{\"entries\":\(entries)}".utf8)
            #expect(throws: DecodingError.self) { try JSONDecoder().decode(Deadlines<Int>.self, from: data) }
        }
    }

    /// A timer that sets itself for the present instant is postponed, so that time advances.
    @Test func dueTimersArePostponed() {
        var timers = Deadlines<String>()
        timers.set("a", at: .zero)
        timers.set("b", at: Instant(nanoseconds: 5))
        timers.set("c", at: Instant(nanoseconds: 9))
        timers.postponeDue(at: Instant(nanoseconds: 5))
        #expect(timers.entries.map(\.name) == ["a", "b", "c"])
        #expect(timers.entries.map(\.at.nanoseconds) == [6, 6, 9])
        timers.set("d", at: .distantFuture)
        timers.postponeDue(at: .distantFuture)
        #expect(timers.popDue(at: .distantFuture) == nil)
    }

    @Test(arguments: [
        #"{"entries":[{"at":2,"name":"a"},{"at":1,"name":"b"}]}"#,
        #"{"entries":[{"at":1,"name":"a"},{"at":2,"name":"a"}]}"#,
        #"{"entries":[{"at":1,"name":"b"},{"at":1,"name":"a"}]}"#,
    ])
    func timersThatNoMachineSetAreRefused(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Deadlines<String>.self, from: Data(json.utf8))
        }
    }

    /// Few timers are stored in an array and many in a heap. Both store which event set each timer.
    @Test(arguments: [0, 200])
    func aTimerStoresItsSetter(others: Int) {
        var timers = Deadlines<Int>()
        for other in 0..<others { timers.set(1000 + other, at: .zero + .seconds(Int64(1000 + other))) }
        #expect(timers.nextSetter == 0)
        timers.setter = 7
        timers.set(1, at: .zero + .seconds(10))
        timers.setter = 8
        timers.set(2, at: .zero + .seconds(5))
        #expect(timers.nextSetter == 8)
        timers.setter = 9
        // Setting a timer to its current instant changes nothing.
        timers.set(2, at: .zero + .seconds(5))
        #expect(timers.nextSetter == 8)
        timers.set(2, at: .zero + .seconds(20))
        #expect(timers.nextSetter == 7)
        timers.set(1, at: .zero + .seconds(30))
        #expect(timers.nextSetter == 9)
        // The timer is set to an earlier instant.
        timers.setter = 10
        timers.set(1, at: .zero + .seconds(10))
        #expect(timers.nextSetter == 10)
        // The setter is not part of the equality of two sets of timers.
        var same = Deadlines<Int>()
        for entry in timers.entries { same.set(entry.name, at: entry.at) }
        #expect(same == timers && same.hashValue == timers.hashValue)
    }
}
