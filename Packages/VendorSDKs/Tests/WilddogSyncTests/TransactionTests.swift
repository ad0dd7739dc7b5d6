import Foundation
import SimulatedApp
import Testing
import WilddogSync

/// Adds one.
private func count(_ data: WDGMutableData) -> WDGTransactionResult {
    data.value = (data.value as? Int ?? 0) + 1
    return .success(withValue: data)
}

@MainActor
@Suite struct TransactionTests {
    @Test func incrementsTheValue() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                let (first, one) = try await app.child("n").runTransactionBlock(count)
                #expect(first)
                #expect(one.value as? Int == 1)
                try await app.child("n").setValue(41)
                let (second, two) = try await app.child("n").runTransactionBlock(count)
                #expect(second)
                #expect(two.value as? Int == 42)
                #expect(two.ref.url == "https://samplechat.wilddogio.com/n")
            }
        }
    }

    @Test func anUnknownValueIsFirstNull() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("client new pad --platform ios\n@pad sync set n 5\nwait 2s")
            try await device.run {
                let (isCommitted, snapshot) = try await app.child("n").runTransactionBlock { data in
                    let old = json(data.value)
                    MainActor.assumeIsolated { app.note("on \(old)") }
                    return count(data)
                }
                #expect(isCommitted)
                #expect(snapshot.value as? Int == 6)
            }
            #expect(app.heard == ["on null", "on 5"])
        }
    }

    @Test func twoConcurrentIncrementsBothCount() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, alice) = try phone(in: simulation)
            let (other, bob) = try phone("pad", in: simulation)
            for (device, app) in [(device, alice), (other, bob)] {
                try device.perform { app.observe(app.child("n"), .value) }
            }
            await simulation.run(for: .seconds(5))
            try simulation.script("@pad net delay 50ms")
            for (device, app) in [(device, alice), (other, bob)] {
                try device.perform {
                    app.child("n").runTransactionBlock(count) { error, isCommitted, snapshot in
                        let value = json(snapshot?.value)
                        MainActor.assumeIsolated { app.note("\(isCommitted) \(value)") }
                    }
                }
            }
            await simulation.run(for: .seconds(2))
            #expect(alice.heard == ["value n=null", "value n=1", "true 1", "value n=2"])
            // The first value comes from the other client, between the two runs.
            #expect(bob.heard == ["value n=null", "value n=1", "value n=2", "true 2"])
        }
    }

    @Test func anAbortedTransactionCommitsNothing() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                try await app.child("seat").setValue(["by": "pad"])
                let (isCommitted, snapshot) = try await app.child("seat").runTransactionBlock { data in
                    guard data.value == nil else { return .abort() }
                    data.value = ["by": "phone"]
                    return .success(withValue: data)
                }
                #expect(!isCommitted || json(snapshot.value) == "{\"by\":\"phone\"}")
                #expect(json(snapshot.value) == "{\"by\":\"pad\"}")
            }
        }
    }

    @Test func dataIsChangedInItsParts() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run {
                try await app.child("room").setValue(["a": ["n": 1.5e-7, "t": "a \"q\" \\ \n x"], "list": [1, 2, 3]])
                try await app.child("room/a/n").setPriority(3)
                let (isCommitted, snapshot) = try await app.child("room").runTransactionBlock { data in
                    #expect(data.childrenCount == 2 || data.value == nil)
                    guard data.hasChildren() else { return .success(withValue: data) }
                    #expect(data.hasChild(atPath: "a/n"))
                    #expect(data.children.allObjects.compactMap { ($0 as? WDGMutableData)?.key } == ["a", "list"])
                    data.childData(byAppendingPath: "b/c").value = WDGServerValue.timestamp()
                    data.childData(byAppendingPath: "list/1").value = nil
                    data.childData(byAppendingPath: "a/t").priority = "p"
                    return .success(withValue: data)
                }
                #expect(isCommitted)
                #expect(snapshot.childSnapshot(forPath: "a/n").priority as? Int == 3)
                #expect(snapshot.childSnapshot(forPath: "a/n").value as? Double == 1.5e-7)
                #expect(snapshot.childSnapshot(forPath: "a/t").value as? String == "a \"q\" \\ \n x")
                #expect(snapshot.childSnapshot(forPath: "a/t").priority as? String == "p")
                #expect(json(snapshot.childSnapshot(forPath: "list").value) == "[1,null,3]")
                #expect(snapshot.childSnapshot(forPath: "b/c").value is NSNumber)
            }
        }
    }

    @Test func ownWritesOverrideAndABrokenLinkFails() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("n"), .value) }
            await simulation.run(for: .seconds(1))
            try simulation.script("@phone net down\nwait 1s")
            app.forget()
            try device.perform {
                app.child("n").runTransactionBlock(count) { error, isCommitted, snapshot in
                    MainActor.assumeIsolated { app.ended(error, isCommitted, snapshot) }
                }
                app.child("n").setValue(10)
            }
            await simulation.runDueEntries()
            #expect(
                app.heard.suffix(2) == ["value n=10", "failed 26204"]
                    || app.heard.suffix(2) == ["failed 26204", "value n=10"])
            try simulation.script(
                "@phone net up\n@phone expect state online within 60s\nwait 5s\n@phone net drop tree --dir out --count 1"
            )
            app.forget()
            try device.perform {
                app.child("n").runTransactionBlock(count) { error, isCommitted, snapshot in
                    MainActor.assumeIsolated { app.ended(error, isCommitted, snapshot) }
                }
            }
            try simulation.script("@phone net reset\n@phone net clear\nwait 10s")
            #expect(app.heard == ["value n=11", "value n=10", "failed 26003"])
        }
    }

    @Test func withoutLocalEventsOnlyTheOutcomeIsReported() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("n"), .value) }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform {
                app.child("n").runTransactionBlock(count, andCompletionBlock: nil, withLocalEvents: false)
            }
            await simulation.runDueEntries()
            #expect(app.heard == [])
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["value n=1"])
        }
    }

    @Test func itFailsAfterTwentyFiveRuns() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("client new pad --platform ios\n@pad sync set n 1000\nwait 2s")
            try simulation.script("@phone net delay 50ms")
            var others = 0
            try device.perform { app.observe(app.child("n"), .value) }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform {
                app.child("n").runTransactionBlock({ data in
                    MainActor.assumeIsolated { app.note("run") }
                    // Another client writes first each time.
                    others += 1
                    let other = others
                    MainActor.assumeIsolated { _ = try? simulation.script("@pad sync set n \(1000 + other)") }
                    return count(data)
                }) { error, isCommitted, snapshot in
                    let code = (error as NSError?)?.code
                    MainActor.assumeIsolated { app.note("\(code ?? 0) \(isCommitted) \(snapshot == nil)") }
                }
            }
            await simulation.run(for: .seconds(20))
            #expect(app.heard.filter { $0 == "run" }.count == 26)
            #expect(app.heard.last { !$0.hasPrefix("value") } == "26203 false true")
        }
    }

    /// The transaction keeps its path synchronized only while it runs; a path that the app keeps synchronized stays so.
    @Test func itsPathIsNoLongerSynced() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.child("kept").keepSynced(true) }
            for place in ["n", "kept"] {
                try device.perform { app.child(place).runTransactionBlock(count) }
                try device.perform { app.child(place).runTransactionBlock(count) }
            }
            await simulation.run(for: .seconds(2))
            try simulation.script(
                """
                client new pad --platform ios
                @pad sync set n 10
                @phone expect-none frame in tree-data path=n for 2s
                @pad sync set kept 10
                @phone expect frame in tree-data path=kept within 2s
                """)
            try device.perform { app.child("kept").keepSynced(false) }
            try simulation.script("wait 1s\n@pad sync set kept 11\n@phone expect-none frame in tree-data for 2s")
        }
    }

    @Test func aBlockWithATooLargeResultFails() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let error = await #expect(throws: NSError.self) {
                try await device.run {
                    try await app.child("n").runTransactionBlock { data in
                        data.value = String(repeating: "x", count: 70_000)
                        return .success(withValue: data)
                    }
                }
            }
            #expect(error?.code == WDGSyncErrorCode.dataRequestedLimitExceeded.rawValue)
        }
    }
}
