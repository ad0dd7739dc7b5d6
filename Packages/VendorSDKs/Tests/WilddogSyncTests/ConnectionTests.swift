import AppStandIns
import Foundation
import SimulatedApp
import Testing
import WilddogSync

@MainActor
@Suite struct ConnectionTests {
    @Test func infoFollowsTheConnection() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child(".info/connected"), .value) }
            await simulation.runDueEntries()
            #expect(app.heard == ["value connected=false"])
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["value connected=false", "value connected=true"])
            app.forget()
            try device.networkDown()
            await simulation.run(for: .seconds(1))
            try device.networkUp()
            await simulation.run(for: .seconds(30))
            #expect(app.heard == ["value connected=false", "value connected=true"])
            app.forget()
            try device.perform {
                WDGSync.sync().goOffline()
                WDGSync.sync().goOffline()
            }
            await simulation.run(for: .seconds(60))
            #expect(app.heard == ["value connected=false"])
            try device.perform { WDGSync.sync().goOnline() }
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["value connected=false", "value connected=true"])
        }
    }

    @Test func theOffsetFollowsTheDevicesClock() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("@phone clock skew -1h")
            try device.perform { app.observe(app.child(".info/serverTimeOffset"), .value) }
            await simulation.run(for: .seconds(1))
            let offset = app.heard.last.flatMap { Int($0.dropFirst("value serverTimeOffset=".count)) } ?? 0
            #expect(abs(offset - 3_600_000) < 100)
        }
    }

    @Test func writesWaitForTheLinkAndListenersSurviveIt() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let (other, friend) = try phone("pad", in: simulation)
            try device.perform { app.observe(app.child("list"), .childAdded) }
            try other.perform { friend.observe(friend.child("list"), .value) }
            await simulation.run(for: .seconds(1))
            try device.networkDown()
            await simulation.run(for: .seconds(1))
            friend.forget()
            try device.perform {
                app.child("list/a").setValue(1, withCompletionBlock: app.told("first"))
                app.child("list/b").setValue(2, withCompletionBlock: app.told("second"))
            }
            try other.perform { friend.child("list/c").setValue(3) }
            await simulation.run(for: .seconds(10))
            #expect(app.heard == ["childAdded a=1", "childAdded b=2 after a"])
            try device.networkUp()
            await simulation.run(for: .seconds(40))
            #expect(
                app.heard.sorted() == [
                    "childAdded a=1", "childAdded b=2 after a", "childAdded c=3 after b", "first ok at /list/a",
                    "second ok at /list/b",
                ])
            #expect(
                friend.heard == [
                    "value list={\"c\":3}", "value list={\"a\":1,\"c\":3}", "value list={\"a\":1,\"b\":2,\"c\":3}",
                ])
        }
    }

    @Test func anOperatorsKickEndsTheConnectionAlone() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                app.observe(app.child("x"), .value)
                app.observe(app.child(".info/connected"), .value)
            }
            await simulation.run(for: .seconds(1))
            // No user logs in: the device is its own user.
            let user = try #require(device.client?.user)
            #expect(user.hasPrefix("phone-"))
            app.forget()
            try simulation.script(
                "client new pad --platform ios\nserver kick \(user)\nwait 5s\n@pad sync set x 2\nwait 30s")
            #expect(app.heard == ["value connected=false", "value connected=true", "value x=2"])
        }
    }

    @Test func aBannedUserIsNotifiedAndStaysLoggedOut() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                app.observe(app.child("x"), .value)
                app.observe(app.child(".info/connected"), .value)
            }
            await simulation.run(for: .seconds(1))
            app.forget()
            let user = try #require(device.client?.user)
            try device.perform { app.child("n").runTransactionBlock { .success(withValue: $0) } }
            try simulation.script("server account ban \(user)\nwait 5s")
            #expect(app.heard == ["value connected=false", "cancelled 26101", "cancelled 26101"])
            try simulation.script("@phone expect-none frame out login for 60s")
            try device.perform { app.child("y").setValue(3, withCompletionBlock: app.told("set")) }
            await simulation.run(for: .seconds(5))
            #expect(app.heard.last == "set failed 26101 at /y")
        }
    }

    /// S-23: the last four online, a restart without a network, the last two from the local data.
    @Test func theLastTwoAreReadableAfterAnOfflineRestart() async throws {
        try await withSimulation("wilddog") { simulation in
            try simulation.script(
                """
                client new web --platform web
                @web sync set scores '{"bruhathkayosaurus": 55, "lambeosaurus": 21, "linhenykus": 80, \
                "pterodactyl": 93, "stegosaurus": 5, "triceratops": 22}'
                wait 2s
                """)
            let (device, app) = try phone(isPersistent: true, in: simulation)
            let last = { (app: Phone, count: UInt) in
                app.child("scores").queryOrderedByValue().queryLimited(toLast: count)
            }
            try device.perform { app.observe(last(app, 4), .childAdded) }
            await simulation.run(for: .seconds(2))
            #expect(app.heard.count == 4)
            try device.networkDown()
            try device.kill()
            await simulation.run(for: .seconds(5))
            let again = try device.launch { Phone(isPersistent: true) }
            try device.perform {
                again.child("scores/velociraptor").setValue(60)
                again.observe(last(again, 2), .childAdded, .value)
            }
            await simulation.run(for: .seconds(2))
            #expect(
                again.heard == [
                    "childAdded linhenykus=80", "childAdded pterodactyl=93 after linhenykus",
                    "value scores={\"linhenykus\":80,\"pterodactyl\":93}",
                ])
            // The next process sends the writes from before the kill, whatever process it is.
            try device.kill()
            let third = try device.launch { Phone(isPersistent: true) }
            try device.perform { third.observe(third.child(".info/connected"), .value) }
            try device.networkUp()
            await simulation.run(for: .seconds(30))
            try simulation.script("@web sync get scores/velociraptor\n@web expect result sync ok value=60 within 5s")
            #expect(third.heard == ["value connected=false", "value connected=true"])
            #expect(app.heard.count == 4)
        }
    }

    /// The event is larger than a session file allows: the world stops and reports it.
    @Test func aFailureToRecordEndsTheSession() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let (device, app) = try phone(in: simulation)
            for number in 1...4 {
                try device.perform { app.child("big/\(number)").setValue(String(repeating: "x", count: 90_000)) }
                await simulation.run(for: .seconds(1))
            }
            try device.perform { app.observe(app.child("big"), .value) }
            await simulation.run(for: .seconds(3))
            #expect(app.heard == [])
        }
        #expect(violations.map(\.rule) == ["C-16"])
    }

    @Test func withoutPersistenceNothingSurvivesTheProcess() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try await device.run { try await app.child("x").setValue(1) }
            try device.networkDown()
            await simulation.run(for: .seconds(1))
            try device.perform { app.child("x").setValue(2, withCompletionBlock: app.told("set")) }
            try device.kill()
            let again = try device.launch { Phone() }
            try device.perform { again.observe(again.child("x"), .value) }
            await simulation.run(for: .seconds(10))
            #expect(again.heard == [])
            try device.networkUp()
            await simulation.run(for: .seconds(30))
            #expect(again.heard == ["value x=1"])
            #expect(app.heard == [])
        }
    }

    @Test func keptSyncedDataNeedsNoListener() async throws {
        try await withSimulation("wilddog") { simulation in
            try simulation.script("client new web --platform web\n@web sync set list '{\"a\": 1}'\nwait 2s")
            let (device, app) = try phone(in: simulation)
            try device.perform { app.child("list").keepSynced(true) }
            await simulation.run(for: .seconds(2))
            try device.networkDown()
            await simulation.run(for: .seconds(1))
            try device.perform { app.observe(app.child("list"), .value) }
            await simulation.runDueEntries()
            #expect(app.heard == ["value list={\"a\":1}"])
            try device.perform { app.child("list").keepSynced(false) }
        }
    }

    @Test func settingsComeBeforeTheFirstReference() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                app.observe(app.child("x"), .value)
                WDGSync.sync().persistenceEnabled = true
                WDGSync.sync().callbackQueue = SimulatedDispatchQueue(label: "late")
                #expect(!WDGSync.sync().persistenceEnabled)
                #expect(WDGSync.sync().callbackQueue === SimulatedDispatchQueue.main)
            }
        }
        #expect(violations.map(\.rule) == ["SYNC-2", "SYNC-2"])
    }

    @Test func blocksAreCalledOnTheChosenQueue() async throws {
        var rules: [String] = []
        try await withSimulation("wilddog", report: { rules = $0.violations.map(\.rule) }) { simulation in
            let device = simulation.device("phone")
            let words = Words()
            try device.launch {
                WDGApp.configure(with: WDGOptions(syncURL: "https://samplechat.wilddogio.com"))
                let queue = SimulatedDispatchQueue(label: "sync")
                let key = DispatchSpecificKey<String>()
                queue.setSpecific(key: key, value: "own")
                WDGSync.sync().callbackQueue = queue
                let place = WDGSync.sync().reference(withPath: "x")
                func note(_ word: String) {
                    words.all.append("\(word) \(SimulatedDispatchQueue.getSpecific(key: key) ?? "main")")
                }
                place.observe(.value) { note("value \(json($0.value))") }
                place.setValue(1) { error, _ in note("set \(error == nil)") }
                place.setValue(Date()) { error, _ in note("refused \(error != nil)") }
                place.runTransactionBlock({ .success(withValue: $0) }) {
                    note("transaction \($1) \($0 == nil) \($2 != nil)")
                }
            }
            await simulation.run(for: .seconds(2))
            #expect(
                words.all == [
                    "value 1 own", "refused true own", "set true own", "transaction true true true own",
                ])
        }
        #expect(rules == ["SYNC-10"])
    }

    /// A removed observer gets no event, even if the event is already on its way to the queue.
    @Test func aRemovalAlsoAppliesOnTheChosenQueue() async throws {
        try await withSimulation("wilddog") { simulation in
            let device = simulation.device("phone")
            let words = Words()
            try device.launch {
                WDGApp.configure(with: WDGOptions(syncURL: "https://samplechat.wilddogio.com"))
                WDGSync.sync().callbackQueue = SimulatedDispatchQueue(label: "sync")
                let place = WDGSync.sync().reference(withPath: "x")
                place.observe(.value) { _ in
                    words.all.append("first")
                    place.removeAllObservers()
                }
                place.observe(.value) { _ in words.all.append("second") }
                place.setValue(1)
            }
            await simulation.run(for: .seconds(2))
            #expect(words.all == ["first"])
        }
    }
}

/// Used only on the job thread of virtual time.
private final class Words: @unchecked Sendable {
    var all: [String] = []
}
