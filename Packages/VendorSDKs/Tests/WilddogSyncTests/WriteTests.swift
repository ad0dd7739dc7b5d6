import Foundation
import SimulatedApp
import Testing
import WilddogSync

@MainActor
@Suite struct WriteTests {
    @Test func aWriteShowsAtOnceAndCompletesInOrder() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("a"), .value) }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform {
                app.child("a").setValue(["n": 1], withCompletionBlock: app.told("set"))
                app.child("a").updateChildValues(["m/k": true, "n": 2], withCompletionBlock: app.told("update"))
                app.child("a/m").removeValue(completionBlock: app.told("remove"))
            }
            await simulation.runDueEntries()
            #expect(
                app.heard == ["value a={\"n\":1}", "value a={\"m\":{\"k\":true},\"n\":2}", "value a={\"n\":2}"])
            app.forget()
            await simulation.run(for: .seconds(1))
            #expect(app.heard == ["set ok at /a", "update ok at /a", "remove ok at /a/m"])
        }
    }

    @Test func awaitedCallsReturnTheReferenceAndThrow() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("server rules set closed --write nobody-1")
            let key = try await device.run { try await app.child("a/b").setValue(1).key }
            #expect(key == "b")
            try await device.run {
                try await app.child("a").setValue("x", andPriority: 3)
                try await app.child("a").setPriority("p")
                try await app.child("a").updateChildValues(["c": 1])
                try await app.child("a").removeValue()
            }
            let error = await #expect(throws: NSError.self) {
                try await device.run { try await app.child("closed").setValue(1) }
            }
            #expect(error?.domain == WDGSyncErrorDomain)
            #expect(error?.code == WDGSyncErrorCode.permissionDenied.rawValue)
        }
    }

    @Test func aRefusedWriteIsRolledBack() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try simulation.script("server rules set closed --write nobody-1")
            try device.perform {
                app.observe(app.child("closed"), .value)
                app.child("closed").setValue(7, withCompletionBlock: app.told("set"))
            }
            await simulation.run(for: .seconds(2))
            #expect(app.heard == ["value closed=7", "value closed=null", "set failed 26101 at /closed"])
        }
    }

    @Test func prioritiesSortAndAreRemovedByANewValue() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let nowhere = await #expect(throws: NSError.self) {
                try await device.run { try await app.child("scores/nobody").setPriority(1) }
            }
            #expect(nowhere?.code == WDGSyncErrorCode.nonExistentNode.rawValue)
            try await device.run {
                try await app.child("scores/a").setValue(1, andPriority: 2)
                try await app.child("scores/b").setValue(2, andPriority: "x")
                try await app.child("scores/c").setValue(3, andPriority: 1)
                try await app.child("scores/d").setValue(4)
                try await app.child("scores/b").setPriority(0)
            }
            let (snapshot, _) = try await device.run {
                await app.child("scores").observeSingleEventAndPreviousSiblingKey(of: .value)
            }
            let children = snapshot.children.allObjects.compactMap { $0 as? WDGDataSnapshot }
            #expect(children.map(\.key) == ["d", "b", "c", "a"])
            #expect(children.map { $0.priority as? Int } == [nil, 0, 1, 2])
            #expect(json(snapshot.value) == "{\"a\":1,\"b\":2,\"c\":3,\"d\":4}")
            #expect(
                json(snapshot.valueInExportFormat())
                    == """
                    {"a":{".priority":2,".value":1},"b":{".priority":0,".value":2},\
                    "c":{".priority":1,".value":3},"d":4}
                    """)
            // An exported value can be written back.
            try await device.run {
                try await app.child("copy").setValue(snapshot.valueInExportFormat())
                try await app.child("copy/a").setValue(1)
            }
            let (copy, _) = try await device.run {
                await app.child("copy").observeSingleEventAndPreviousSiblingKey(of: .value)
            }
            let copied = copy.children.allObjects.compactMap { $0 as? WDGDataSnapshot }
            #expect(copied.map(\.key) == ["a", "d", "b", "c"])
        }
    }

    @Test func theServersTimeIsEstimatedFirst() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform { app.observe(app.child("seen"), .value) }
            await simulation.run(for: .seconds(1))
            app.forget()
            try device.perform { app.child("seen").setValue(WDGServerValue.timestamp()) }
            await simulation.run(for: .seconds(1))
            let times = app.heard.compactMap { Int64($0.dropFirst("value seen=".count)) }
            #expect(times.count == 2)
            let now = Int64(Date().timeIntervalSince1970 * 1000)
            #expect(times.allSatisfy { abs($0 - now) < 1500 })
            #expect(times.first != times.last)
        }
    }

    @Test func generatedNamesAreInOrder() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let keys = try device.perform { (0..<50).map { _ in app.child("list").childByAutoId().key } }
            await simulation.run(for: .seconds(1))
            let later = try device.perform { app.child("list").childByAutoId().key }
            #expect(keys.allSatisfy { $0.count == 20 && $0.hasPrefix("-") })
            #expect((keys + [later]) == (keys + [later]).sorted())
            #expect(Set(keys).count == 50)
        }
    }

    @Test func anInvalidValueIsRefusedAtOnce() async throws {
        var violations: [AppViolation] = []
        try await withSimulation("wilddog", report: { violations = $0.violations }) { simulation in
            let (device, app) = try phone(in: simulation)
            try device.perform {
                app.child("a").setValue(Date(), withCompletionBlock: app.told("date"))
                app.child("a").setValue(["x": ["b.c": 1]], withCompletionBlock: app.told("key"))
                app.child("a").setValue(1, andPriority: true, withCompletionBlock: app.told("priority"))
                app.child("b#").setValue(1, withCompletionBlock: app.told("path"))
                app.child("a").setValue(String(repeating: "x", count: 200_000), withCompletionBlock: app.told("text"))
                app.child("a").updateChildValues(["b": 1, "b/c": 2], withCompletionBlock: app.told("overlap"))
                app.child(".info/connected").setValue(1, withCompletionBlock: app.told("info"))
            }
            await simulation.run(for: .seconds(1))
            #expect(
                app.heard.map { $0.prefix { $0 != "/" } } == [
                    "date failed 26106 at ", "key failed 26106 at ", "priority failed 26106 at ",
                    "path failed 26106 at ", "text failed 26104 at ", "overlap failed 26106 at ",
                    "info failed 26106 at ",
                ])
        }
        #expect(
            violations.map(\.text) == [
                "a value of the type Date at /a", "the key 'b.c' at /a",
                "a priority that is neither a number nor a text at /a", "a reference with the key 'b#'",
            ])
        #expect(violations.allSatisfy { $0.rule == "SYNC-10" })
    }

    @Test func onDisconnectOperationsRunOnce() async throws {
        try await withSimulation("wilddog") { simulation in
            let (device, app) = try phone(in: simulation)
            let (other, friend) = try phone("pad", in: simulation)
            try await device.run {
                try await app.child("room").setValue(["topic": "tea", "draft": "x", "lamp": "on"])
                try await app.child("room/topic").onDisconnectSetValue("none", andPriority: 3)
                try await app.child("room/draft").onDisconnectRemoveValue()
                try await app.child("room").onDisconnectUpdateChildValues(["lamp": "off", "count": 1])
                try await app.child("room/lamp").cancelDisconnectOperations()
            }
            try other.perform { friend.observe(friend.child("room"), .value) }
            await simulation.run(for: .seconds(1))
            try device.perform { WDGSync.sync().goOffline() }
            await simulation.run(for: .seconds(1))
            #expect(friend.heard.suffix(1) == ["value room={\"count\":1,\"lamp\":\"on\",\"topic\":\"none\"}"])
            try device.perform { WDGSyncReference.goOnline() }
            try await other.run { try await friend.child("room/topic").setValue("tea") }
            friend.forget()
            try device.kill()
            await simulation.run(for: .seconds(90))
            #expect(friend.heard == [])
        }
    }
}
