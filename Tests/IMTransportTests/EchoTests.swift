import Testing

@Suite struct EchoTests {
    @Test func messagesComeBackInOrder() async throws {
        try await withStage { stage in
            try await stage.serve(echoes: true)
            try await stage.connectAndOpen("phone", as: "s1")
            #expect(await stage.target("s1") == "/im")
            let messages: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 7, count: 200_000)]
            for message in messages { await stage.send("phone", message) }
            for message in messages {
                #expect(try await stage.next("s1") == .message(message))
                #expect(try await stage.next("phone") == .message(message))
            }
        }
    }

    @Test func aServerMaySpeakRightBehindItsAnswer() async throws {
        try await withStage { stage in
            try await stage.serve(greeting: "welcome")
            await stage.connect("phone")
            #expect(try await stage.next(2, "phone") == [.open, .text("welcome")])
        }
    }

    @Test func aCloseComesAfterWhatWasSent() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            await stage.send("phone", "last words")
            await stage.close("phone", code: 4001, reason: "logged out")
            #expect(
                try await stage.next(2, "s1")
                    == [.text("last words"), .ended(.closedByPeer(code: 4001, reason: "logged out"))])
            #expect(try await stage.next("phone") == .ended(.closedHere))
        }
    }

    @Test func aServersCloseIsSeenByTheClient() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            await stage.close("s1", code: 4009, reason: "kicked")
            #expect(try await stage.next("phone") == .ended(.closedByPeer(code: 4009, reason: "kicked")))
            #expect(try await stage.next("s1") == .ended(.closedHere))
        }
    }

    @Test func codesAndReasonsThatMayNotBeSentAreReplaced() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            await stage.close("phone", code: 1006, reason: String(repeating: "é", count: 100))
            let reason = String(repeating: "é", count: 61)
            #expect(try await stage.next("s1") == .ended(.closedByPeer(code: 1000, reason: reason)))
        }
    }

    @Test(arguments: ["phone", "s1"]) func anAbortIsAResetForTheOtherEnd(who: String) async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            await stage.abort(who)
            #expect(try await stage.next(who) == .ended(.closedHere))
            #expect(try await stage.next(who == "s1" ? "phone" : "s1") == .ended(.reset))
        }
    }

    @Test func nothingIsHeardAfterTheEnd() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            await stage.close("phone")
            await stage.send("phone", "too late")
            await stage.close("phone", code: 4002)
            await stage.abort("phone")
            _ = try await stage.next("phone")
            _ = try await stage.next("s1")
            await stage.send("phone", "much too late")
            try await stage.connectAndOpen("tablet", as: "s2")
            #expect(await stage.unseen("phone").isEmpty)
            #expect(await stage.unseen("s1").isEmpty)
        }
    }

    @Test func aClosedListenerKeepsItsLinksUnlessToldOtherwise() async throws {
        try await withStage { stage in
            try await stage.serve(echoes: true)
            try await stage.connectAndOpen("phone", as: "s1")
            try await stage.closeListener()
            await stage.send("phone", "still here")
            #expect(try await stage.next("phone") == .text("still here"))
            await stage.connect("tablet")
            #expect(try await stage.next("tablet") == .ended(.refused))
        }
    }

    @Test func aListenerCanTakeItsLinksWithIt() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectAndOpen("phone", as: "s1")
            try await stage.closeListener(abortingLinks: true)
            #expect(try await stage.next("phone") == .ended(.reset))
            #expect(try await stage.next("s1") == .ended(.closedHere))
        }
    }
}
