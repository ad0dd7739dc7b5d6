import Testing

@Suite struct EchoTests {
    @Test func messagesReturnInOrder() async throws {
        try await withHarness { harness in
            try await harness.serve(echoes: true)
            try await harness.connectAndOpen("phone", as: "s1")
            #expect(await harness.target("s1") == "/im")
            let messages: [[UInt8]] = [[], [0], Array(0...255), Array(repeating: 7, count: 200_000)]
            for message in messages { await harness.send("phone", message) }
            for message in messages {
                #expect(try await harness.next("s1") == .message(message))
                #expect(try await harness.next("phone") == .message(message))
            }
        }
    }

    @Test func aServerMaySendDirectlyAfterItsAnswer() async throws {
        try await withHarness { harness in
            try await harness.serve(greeting: "welcome")
            await harness.connect("phone")
            #expect(try await harness.next(2, "phone") == [.open, .text("welcome")])
        }
    }

    @Test func aCloseComesAfterSentMessages() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            await harness.send("phone", "last words")
            await harness.close("phone", code: 4001, reason: "logged out")
            #expect(
                try await harness.next(2, "s1")
                    == [.text("last words"), .ended(.closedByPeer(code: 4001, reason: "logged out"))])
            #expect(try await harness.next("phone") == .ended(.closedHere))
        }
    }

    @Test func theClientGetsTheServersClose() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            await harness.close("s1", code: 4009, reason: "kicked")
            #expect(try await harness.next("phone") == .ended(.closedByPeer(code: 4009, reason: "kicked")))
            #expect(try await harness.next("s1") == .ended(.closedHere))
        }
    }

    @Test func codesAndReasonsThatMayNotBeSentAreReplaced() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            await harness.close("phone", code: 1006, reason: String(repeating: "é", count: 100))
            let reason = String(repeating: "é", count: 61)
            #expect(try await harness.next("s1") == .ended(.closedByPeer(code: 1000, reason: reason)))
        }
    }

    @Test(arguments: ["phone", "s1"]) func theOtherEndSeesAnAbortAsAReset(who: String) async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            await harness.abort(who)
            #expect(try await harness.next(who) == .ended(.closedHere))
            #expect(try await harness.next(who == "s1" ? "phone" : "s1") == .ended(.reset))
        }
    }

    @Test func noCallbackComesAfterTheEnd() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            await harness.close("phone")
            await harness.send("phone", "too late")
            await harness.close("phone", code: 4002)
            await harness.abort("phone")
            _ = try await harness.next("phone")
            _ = try await harness.next("s1")
            await harness.send("phone", "much too late")
            try await harness.connectAndOpen("tablet", as: "s2")
            #expect(await harness.unread("phone").isEmpty)
            #expect(await harness.unread("s1").isEmpty)
        }
    }

    @Test func aClosedListenerKeepsItsLinks() async throws {
        try await withHarness { harness in
            try await harness.serve(echoes: true)
            try await harness.connectAndOpen("phone", as: "s1")
            try await harness.closeListener()
            await harness.send("phone", "still here")
            #expect(try await harness.next("phone") == .text("still here"))
            await harness.connect("tablet")
            #expect(try await harness.next("tablet") == .ended(.refused))
        }
    }

    @Test func aListenerCanCloseItsLinks() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectAndOpen("phone", as: "s1")
            try await harness.closeListener(abortingLinks: true)
            #expect(try await harness.next("phone") == .ended(.reset))
            #expect(try await harness.next("s1") == .ended(.closedHere))
        }
    }
}
