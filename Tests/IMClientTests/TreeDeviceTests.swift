import IMClient
import IMProtocol
import IMTree
import SansIO
import TestSupport
import Testing

/// Tests of the tree data that a client stores for its next process.
@Suite struct TreeDeviceTests {
    private func persistent(_ contents: TreeStorage.Contents = .init(), bytesMax: Int = 1000) -> TreeTranscript {
        let phone = TreeTranscript()
        #expect(phone.command(.tree(.persistence(bytesMax: bytesMax))) == ["data 1 tree open"])
        #expect(phone.device(.opened(contents)).contains("done 1 ok"))
        return phone
    }

    @Test("SYNC-2: persistence must come before the first reference")
    func order() {
        let phone = TreeTranscript()
        #expect(phone.command(.tree(.persistence(bytesMax: nil))) == ["done 1 ok"])
        #expect(phone.command(.tree(.persistence(bytesMax: 0))) == ["done 2 invalid-argument"])
        // A read of known data does not create a reference.
        _ = phone.outline("")
        #expect(phone.command(.tree(.persistence(bytesMax: 5))) == ["data 1 tree open"])
        #expect(phone.command(.tree(.persistence(bytesMax: 5))) == ["done 5 too-late"])
        #expect(phone.device(.opened(.init())) == ["done 4 ok"])
        #expect(phone.command(.tree(.persistence(bytesMax: 6))) == ["done 6 ok"])
        phone.on("a")
        #expect(phone.command(.tree(.persistence(bytesMax: nil))) == ["done 8 too-late"])
        let other = TreeTranscript()
        other.on(".info/connected")
        #expect(other.command(.tree(.persistence(bytesMax: 5))) == ["done 2 too-late"])
        #expect(phone.incomplete == [] && other.incomplete == [])
    }

    @Test("C-1: requests while the device opens wait for it, in order, and connect nothing")
    func waits() {
        let phone = TreeTranscript()
        phone.command(.tree(.persistence(bytesMax: 1000)))
        #expect(phone.set("a", .number(1)) == [])
        #expect(phone.get("a") == [])
        #expect(phone.state == .loggedOut)
        let opened = phone.device(.opened(.init()))
        #expect(opened.first == "done 1 ok")
        #expect(
            opened.filter { !$0.contains(" > ") } == [
                "done 1 ok", "connect 1", "data 1 tree hold 1 /a 1", "done 3 ok 1",
            ])
        #expect(phone.command(.tree(.outline(path: ""))).first?.hasPrefix("done 4") == true)
    }

    @Test("SYNC-2: a write is stored on the device before it is sent, and removed with its answer")
    func storesWrites() throws {
        let phone = persistent()
        phone.on("z")
        phone.succeed()
        #expect(phone.set("a", .number(1)) == ["data 1 tree hold 1 /a 1", "send 1 set a = 1"])
        #expect(phone.answer() == ["data 1 tree release 1", "done 3 ok"])
        // A transaction is not stored, because it ends with its process.
        #expect(try !phone.transact("b", "value + 1").contains { $0.contains("hold") })
    }

    @Test("SYNC-2 SYNC-10: writes of a previous process are sent first, again, in order, and complete no command")
    func earlierWrites() {
        let writes = [
            TreeWrite(id: 4, at: ["a"], .set(.number(1))),
            TreeWrite(id: 7, at: ["b"], .update(.parts(["x": .bool(true)]))),
        ]
        let phone = persistent(.init(writes: writes))
        phone.set("c", .number(3))
        #expect(
            phone.succeed().filter { $0.hasPrefix("send") } == [
                "send 1 set a = 1", #"send 1 update b = {"x":true}"#, "send 1 set c = 3",
            ])
        #expect(phone.answer("set a = 1") == ["data 1 tree release 4"])
        #expect(phone.answer(#"update b = {"x":true}"#) == ["data 1 tree release 7"])
        #expect(phone.answer("set c = 3") == ["data 1 tree release 8", "done 2 ok"])
        #expect(phone.incomplete == [])
    }

    @Test("SYNC-2 SYNC-4: without a link listeners and reads are answered by the device, with pending writes")
    func answers() {
        let trackedQueries = [
            TrackedQuery(number: 3, path: ["a"], query: .all, isComplete: true, isActive: false, lastUse: 1)
        ]
        let phone = persistent(
            .init(tracked: trackedQueries, writes: [TreeWrite(id: 1, at: ["a", "y"], .set(.number(2)))]))
        #expect(phone.on("a").suffix(2) == ["done 2 ok", "data 1 tree read 1 3"] as ArraySlice)
        #expect(phone.get("a/x").last == "data 1 tree read 2 3")
        let data = children(["x": .number(1)])
        #expect(phone.device(.read(number: 1, [.init(3, data)])).first == #"a is {"x":1,"y":2}"#)
        #expect(phone.device(.read(number: 2, [.init(3, data)])) == ["done 3 ok 1"])
        // An answer to no request is ignored.
        #expect(phone.device(.read(number: 9, [.init(3, .null)])) == [])
        #expect(phone.device(.read(number: 1, [.init(3, .null)])) == [])
    }

    @Test("C-3: answers from an earlier opening of the device are ignored")
    func generations() {
        let phone = persistent()
        phone.on("a")
        #expect(phone.device(.opened(.init(writes: [TreeWrite(id: 1, at: ["x"], .set(.number(1)))]))) == [])
        #expect(phone.device(.failed(.dataUnavailable), generation: 7) == [])
        #expect(phone.device(.failed(.dataUnavailable), generation: 0) == [])
        phone.succeed()
        #expect(phone.set("b", .number(1)).first == "data 1 tree hold 1 /b 1")
    }

    @Test("if the device fails, requests continue without it, and writes are sent")
    func failing() {
        let phone = TreeTranscript()
        phone.command(.tree(.persistence(bytesMax: 1000)))
        phone.on("a")
        #expect(phone.device(.failed(.dataUnavailable)).first == "done 1 data-unavailable")
        phone.succeed()
        #expect(phone.set("b", .number(1)) == ["send 1 set b = 1"])

        // The device can also fail while a listener waits for its data.
        let trackedQueries = [
            TrackedQuery(number: 3, path: ["a"], query: .all, isComplete: true, isActive: false, lastUse: 1)
        ]
        let pad = persistent(.init(tracked: trackedQueries))
        pad.on("a")
        pad.succeed()
        #expect(pad.device(.failed(.dataUnavailable)) == ["send 1 on a"])
        #expect(pad.complete("a", .number(5)) == ["a is 5"])
    }

    @Test("SYNC-3: a path is kept synced without a listener, until it is switched off")
    func keepsSynced() {
        let phone = persistent()
        phone.on("z")
        phone.succeed()
        let on = phone.command(.tree(.keep(path: "a", isOn: true)))
        #expect(on == ["data 1 tree track 2 /a active", "send 1 on a", "done 3 ok"])
        #expect(phone.command(.tree(.keep(path: "a", isOn: true))) == ["done 4 ok"])
        #expect(phone.complete("a", .number(1)) == ["data 1 tree put 2 {\"\":1} track 2 /a whole active"])
        #expect(phone.on("a") == ["done 5 ok", "a is 1"])
        #expect(phone.off("a") == ["done 6 ok"])
        let off = phone.command(.tree(.keep(path: "a", isOn: false)))
        #expect(off == ["data 1 tree track 2 /a whole", "send 1 off a", "done 7 ok"])
        #expect(phone.command(.tree(.keep(path: ".info/connected", isOn: true))) == ["done 8 invalid-argument"])
        // A path that the server refuses is no longer kept synced. The app has no listener there, so it is not
        // notified.
        phone.command(.tree(.keep(path: "b", isOn: true)))
        #expect(phone.answer("on b", .forbidden) == ["data 1 tree forget 3"])
        phone.drop()
        #expect(!phone.succeed().contains { $0.contains(" on b") })
    }
}

extension TreeTranscript {
    fileprivate func device(_ answer: TreeDataAnswer, generation: UInt32 = 1) -> [String] {
        feed(.dataAnswered(DataAnswer(generation: generation, .tree(answer))))
    }
}
