import Foundation
import SimulatedApp
import Testing
import WilddogSync

@MainActor
@Suite struct ObserverTests {
    @Test func aValueIsReportedFirstAndAtEveryChange() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let (other, _) = try phone("pad", in: simulation)
            try device.perform { app.observe(app.child("news"), .value) }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["value news=null"])
            try await other.run { try await WDGSync.sync().reference(withPath: "/news").setValue("tea") }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["value news=null", "value news=\"tea\""])
        }
    }

    @Test func childrenAreAddedMovedChangedAndRemoved() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                try await app.child("scores").setValue(["ann": 3, "bob": 1])
                app.observe(
                    app.child("scores").queryOrderedByValue(), .childAdded, .childRemoved, .childChanged, .childMoved,
                    .value)
            }
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard == [
                    "childAdded bob=1", "childAdded ann=3 after bob", "value scores={\"ann\":3,\"bob\":1}",
                ])
            app.forget()
            try await device.run { try await app.child("scores/bob").setValue(5) }
            try await device.run { try await app.child("scores/ann").removeValue() }
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard == [
                    "childMoved bob=5 after ann", "childChanged bob=5 after ann",
                    "value scores={\"ann\":3,\"bob\":5}", "childRemoved ann=3", "value scores={\"bob\":5}",
                ])
        }
    }

    @Test func aLaterObserverGetsTheKnownValue() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run { try await app.child("scores").setValue(["ann": 3, "bob": 1, "carl": 2]) }
            let query = try device.perform { app.child("scores").queryOrderedByValue() }
            try device.perform { app.observe(query, .childAdded, .value, name: "first") }
            await simulation.run(for: .seconds(1))
            app.forget()
            try simulation.script("@phone net down\nwait 1s")
            try device.perform { app.observe(query, .childAdded, .value, name: "second") }
            #expect(app.heard == [])
            await simulation.runDueEntries()
            let known = [
                "second childAdded bob=1", "second childAdded carl=2 after bob", "second childAdded ann=3 after carl",
                "second value scores={\"ann\":3,\"bob\":1,\"carl\":2}",
            ]
            #expect(app.heard == known)
            try device.perform { app.child("scores/bob").setValue(4) }
            await simulation.runDueEntries()
            #expect(
                app.heard == known + ["first", "second"].map { "\($0) value scores={\"ann\":3,\"bob\":4,\"carl\":2}" })
        }
    }

    /// An observer that is added between a change and its event gets the new state, and no earlier event.
    @Test func aNewObserverGetsNoEarlierEvents() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("list"), .childAdded, .childRemoved, name: "first") }
            await simulation.run(for: .seconds(1))
            try device.perform {
                app.child("list/a").setValue(1)
                app.child("list/b").setValue(2)
                app.observe(app.child("list"), .childAdded, .childRemoved, name: "second")
                app.child("list/a").removeValue()
            }
            await simulation.runDueEntries()
            #expect(
                app.heard == [
                    "first childAdded a=1", "first childAdded b=2 after a", "second childAdded a=1",
                    "second childAdded b=2 after a", "first childRemoved a=1", "second childRemoved a=1",
                ])
        }
    }

    @Test func aRemovedObserverGetsNoMoreEvents() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let handles = try device.perform {
                app.observe(app.child("x"), .value, name: "first") + app.observe(app.child("x"), .value, name: "second")
            }
            #expect(handles == [1, 2])
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform {
                app.child("x").setValue(1)
                app.child("x").removeObserver(withHandle: handles[0])
            }
            await simulation.runDueEntries()
            #expect(app.heard == ["second value x=1"])
            try device.perform {
                app.child("y").removeObserver(withHandle: handles[1])
                app.child("x").setValue(2)
            }
            await simulation.runDueEntries()
            #expect(app.heard == ["second value x=1", "second value x=2"])
            try device.perform {
                app.child("x").removeAllObservers()
                app.child("x").setValue(3)
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["second value x=1", "second value x=2"])
            try simulation.script("@phone expect-none frame in tree-data for 1s")
        }
    }

    @Test func aRemovalAffectsOnlyItsQuery() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run { try await app.child("n").setValue(["a": 1, "b": 2]) }
            try device.perform {
                app.observe(app.child("n"), .value, name: "all")
                app.observe(app.child("n").queryLimited(toFirst: 1), .value, name: "first")
                app.observe(app.child("n").queryLimited(toLast: 1), .value, name: "last")
            }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform {
                app.child("n").queryLimited(toFirst: 1).removeAllObservers()
                app.child("n").setValue(["c": 3])
            }
            await simulation.runDueEntries()
            #expect(app.heard == ["all value n={\"c\":3}", "last value n={\"c\":3}"])
            app.forget()
            try device.perform {
                app.child("n").removeAllObservers()
                app.child("n").setValue(["d": 4])
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == [])
        }
    }

    @Test func anObserverForOneEventEndsWithinItsBlock() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run { try await app.child("n").setValue(["a": 1, "b": 2]) }
            try device.perform {
                app.child("n").observeSingleEvent(of: .value) { snapshot in
                    let text = json(snapshot.value)
                    MainActor.assumeIsolated {
                        app.note("once \(text)")
                        app.child("n/a").setValue(5)
                    }
                }
                app.child("n").observeSingleEvent(
                    of: .childAdded,
                    andPreviousSiblingKeyWith: { snapshot, _ in
                        let key = snapshot.key
                        MainActor.assumeIsolated { app.note("child \(key)") }
                    })
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["child a", "once {\"a\":1,\"b\":2}"])
            let (snapshot, previous) = try await device.run {
                await app.child("n").observeSingleEventAndPreviousSiblingKey(of: .value)
            }
            #expect(json(snapshot.value) == "{\"a\":5,\"b\":2}")
            #expect(previous == nil)
        }
    }

    @Test func anObserverMayBeAddedAndRemovedWithinABlock() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            app.onWord = { word in
                guard word == "first value x=1" else { return }
                app.child("x").removeAllObservers()
                app.observe(app.child("x"), .value, name: "third")
            }
            try device.perform {
                app.observe(app.child("x"), .value, name: "first")
                app.observe(app.child("x"), .value, name: "second")
            }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform { app.child("x").setValue(1) }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["first value x=1", "third value x=1"])
        }
    }

    @Test func aForbiddenReadIsCancelled() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("server rules set secret --read pad-1")
            try device.perform {
                app.observe(app.child("secret"), .value, .childAdded)
                app.observe(app.child("news"), .value)
            }
            await simulation.run(for: .seconds(1))
            #expect(app.heard.sorted() == ["cancelled 26101", "cancelled 26101", "value news=null"])
            app.forget()
            try simulation.script("server rules set secret --read all")
            try device.perform { app.observe(app.child("secret"), .value) }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["value secret=null"])
            try simulation.script("server rules set secret --read pad-1\nwait 1s")
            #expect(app.heard == ["value secret=null", "cancelled 26101"])
        }
    }

    /// One refusal cancels several listeners. The second cancel event does not end an observer added in the first.
    @Test func anObserverThatIsAddedInACancelBlockStays() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("secret"), .value, .childAdded) }
            await simulation.run(for: .seconds(1))
            app.forget()
            app.onWord = { word in
                guard word == "cancelled 26101", app.heard.count == 1 else { return }
                app.observe(app.child("secret"), .value, name: "again")
            }
            // The rule is removed while the refusal is on its way.
            try simulation.script("server rules set secret --read nobody-1\nserver rules set secret --read all")
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["cancelled 26101", "cancelled 26101", "again value secret=null"])
        }
    }

    @Test func tooManyPathsAreRefused() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                for number in 1...101 { app.observe(app.child("n/\(number)"), .value) }
                app.observe(app.child("n").queryLimited(toLast: 501), .value)
            }
            await simulation.run(for: .seconds(5))
            #expect(app.heard.filter { $0.hasPrefix("cancelled") } == ["cancelled 26102", "cancelled 26103"])
        }
    }
}
