import IMSession
import SansIO
import Testing

/// Tests of each `net` command on real sockets.
///
/// To check that a callback is missing, a test waits for a round trip on another connection. All connections share one
/// loop and one computer, so earlier bytes have arrived by then.
@Suite struct FaultTests {
    private func withNetwork(
        latency: Interval = .zero, timeScale: Double = 1, echoes: Bool = false, _ body: (Harness) async throws -> Void
    ) async throws {
        try await withHarness { harness in
            await harness.addFaults(latency: latency, timeScale: timeScale)
            try await harness.serve(echoes: echoes)
            try await harness.connectAndOpen("phone", as: "s1")
            try await body(harness)
        }
    }

    /// Makes a round trip on a separate connection.
    private func roundTrip(_ harness: Harness, as name: String, _ serverName: String) async throws {
        try await harness.connectAndOpen(name, as: serverName)
        await harness.send(name, "ping")
        #expect(try await harness.next(serverName) == .text("ping"))
        await harness.send(serverName, "pong")
        var event = try await harness.next(name)
        while event != .text("pong") { event = try await harness.next(name) }
    }

    // MARK: down, up, switch

    @Test func downEndsTheClientsLinkAndTheServerSeesSilence() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.down() }
            // The client's connection ends at once, so no waiting is needed.
            #expect(await harness.unread("phone") == [.ended(.networkDown)])
            await harness.connect("phone2")
            #expect(try await harness.next("phone2") == .ended(.networkDown))
            await harness.send("s1", "anybody there?")
            try await harness.net { $0.up() }
            try await roundTrip(harness, as: "phone3", "s2")
            #expect(await harness.unread("s1") == [])
            #expect(try await harness.net { $0.ghostCount } == 1)
            // The server's own time limit ends its end of the connection. The network then drops the dead connection.
            await harness.close("s1", code: 4008)
            #expect(try await harness.next("s1") == .ended(.closedHere))
            try await roundTrip(harness, as: "phone4", "s3")
            #expect(try await harness.net { $0.ghostCount } == 0)
        }
    }

    @Test func switchEndsTheClientAndTheNextConnectWorks() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.switchNetwork() }
            #expect(await harness.unread("phone") == [.ended(.networkDown)])
            try await roundTrip(harness, as: "phone2", "s2")
            #expect(await harness.unread("s1") == [])
        }
    }

    @Test func connectionsStartedAtASwitchUseTheNewNetwork() async throws {
        try await withNetwork { harness in
            try await harness.switchNetwork(connecting: "phone2", sending: "lost", over: "phone")
            #expect(await harness.unread("phone") == [.ended(.networkDown)])
            #expect(try await harness.next("phone2") == .open)
            #expect(try await harness.next("s2") == .open)
            #expect(await harness.unread("s1") == [])
        }
    }

    @Test func aDeadConnectionEndsWithTheWorld() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.down() }
            #expect(try await harness.net { $0.ghostCount } == 1)
            let closed = try await harness.net { $0.shutDown() }
            try await closed.get()
            #expect(try await harness.next("s1") == .ended(.reset))
        }
    }

    @Test func aConnectDuringDownFailsAndDoesNotReachTheServer() async throws {
        try await withNetwork(latency: .seconds(60), timeScale: 600) { harness in
            await harness.connect("phone2")
            try await harness.net { $0.down() }
            #expect(await harness.unread("phone2") == [.ended(.networkDown)])
            try await harness.net {
                $0.clear()
                $0.setDelay(.zero)
            }
            try await roundTrip(harness, as: "phone3", "s2")
        }
    }

    // MARK: half-open

    @Test func halfOpenDropsBothDirectionsUntilItEnds() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.halfOpen() }
            await harness.send("phone", "lost out")
            await harness.send("s1", "lost in")
            try await harness.settleSockets()
            await harness.connect("phone2", timeout: .milliseconds(50))
            #expect(try await harness.next("phone2") == .ended(.timedOut))
            try await harness.net { $0.up() }
            await harness.send("phone", "back out")
            #expect(try await harness.next("s1") == .text("back out"))
            await harness.send("s1", "back in")
            #expect(try await harness.next("phone") == .text("back in"))
            #expect(await harness.verdicts == ["toServer lost drop", "toClient lost drop"])
        }
    }

    @Test func aClientsCloseWhileHalfOpenIsDetectedLater() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.halfOpen() }
            await harness.close("phone")
            #expect(try await harness.next("phone") == .ended(.closedHere))
            try await harness.net { $0.up() }
            try await roundTrip(harness, as: "phone2", "s2")
            #expect(await harness.unread("s1") == [])
            await harness.send("s1", "anybody there?")
            #expect(try await harness.next("s1") == .ended(.reset))
        }
    }

    @Test func aClientsAbortWhileHalfOpenIsDetectedLater() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.halfOpen() }
            await harness.abort("phone")
            #expect(try await harness.next("phone") == .ended(.closedHere))
            try await harness.net { $0.up() }
            await harness.send("s1", "anybody there?")
            #expect(try await harness.next("s1") == .ended(.reset))
        }
    }

    @Test func aServersCloseWhileHalfOpenIsDetectedLater() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.halfOpen() }
            await harness.abort("s1")
            #expect(try await harness.next("s1") == .ended(.closedHere))
            try await harness.settleSockets()
            try await harness.net { $0.up() }
            try await roundTrip(harness, as: "phone2", "s3")
            #expect(await harness.unread("phone") == [])
            await harness.send("phone", "anybody there?")
            #expect(try await harness.next("phone") == .ended(.reset))
        }
    }

    @Test func aServersCloseWhileHalfOpenIsNotReceived() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.halfOpen() }
            await harness.close("s1", code: 4009)
            try await harness.settleSockets()
            try await harness.net { $0.up() }
            // The server's time limit for the answer to its close expires.
            #expect(try await harness.next("s1") == .ended(.closedHere))
            try await roundTrip(harness, as: "phone2", "s3")
            #expect(await harness.unread("phone") == [])
            await harness.send("phone", "anybody there?")
            #expect(try await harness.next("phone") == .ended(.reset))
        }
    }

    @Test func aPingWhileHalfOpenIsNotAnswered() async throws {
        try await withHarness { harness in
            await harness.addFaults()
            try await harness.serve()
            try await harness.connectThroughTheMiddle("phone")
            try await harness.net { $0.halfOpen() }
            await harness.sendRaw("toClient", RawPeer.frame(0x9, [5], masked: false))
            try await harness.settleSockets()
            try await harness.net { $0.up() }
            await harness.sendRaw("toClient", RawPeer.frame(0x9, [6], masked: false))
            let pong = try await harness.readRaw("toClient", atLeast: 7)
            #expect(pong[0...1] == [0x8A, 0x81])
            #expect(pong[6] ^ pong[2] == 6)
        }
    }

    // MARK: reset

    @Test func bothEndsSeeAReset() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.reset() }
            #expect(await harness.unread("phone") == [.ended(.reset)])
            #expect(try await harness.next("s1") == .ended(.reset))
            try await roundTrip(harness, as: "phone2", "s2")
        }
    }

    // MARK: frames

    @Test func dropsTheNamedFrames() async throws {
        try await withNetwork(echoes: true) { harness in
            try await harness.net { $0.add(FrameRule(.drop, frame: "beat", direction: .toServer, count: 2)) }
            for text in ["beat 1", "login", "beat 2", "beat 3"] { await harness.send("phone", text) }
            #expect(try await harness.next(2, "phone") == [.text("login"), .text("beat 3")])
            #expect(await harness.verdicts == ["toServer beat drop", "toServer beat drop"])
        }
    }

    @Test func duplicatesInBothDirections() async throws {
        try await withNetwork(echoes: true) { harness in
            try await harness.net { $0.add(FrameRule(.duplicate, frame: "ack")) }
            await harness.send("phone", "ack")
            #expect(try await harness.next(2, "s1") == [.text("ack"), .text("ack")])
            #expect(try await harness.next(4, "phone") == Array(repeating: .text("ack"), count: 4))
        }
    }

    @Test func holdsUntilReleaseInOrder() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.add(FrameRule(.hold, frame: "ack", direction: .toClient)) }
            for text in ["ack 1", "news", "ack 2", "end"] { await harness.send("s1", text) }
            #expect(try await harness.next(2, "phone") == [.text("news"), .text("end")])
            #expect(try await harness.net { $0.release().delivered } == 2)
            #expect(try await harness.next(2, "phone") == [.text("ack 1"), .text("ack 2")])
            // The rule is still active. `clear` removes it and releases the held frame.
            await harness.send("s1", "ack 3")
            await harness.send("s1", "end")
            #expect(try await harness.next("phone") == .text("end"))
            try await harness.net { $0.clear() }
            #expect(try await harness.next("phone") == .text("ack 3"))
        }
    }

    @Test func aHeldFrameOfADeadConnectionReachesTheServerLate() async throws {
        try await withNetwork { harness in
            try await harness.net { $0.add(FrameRule(.hold, frame: "logout", count: 1)) }
            await harness.send("phone", "logout")
            try await harness.net { $0.switchNetwork() }
            try await roundTrip(harness, as: "phone2", "s2")
            #expect(await harness.unread("s1") == [])
            #expect(try await harness.net { $0.release().delivered } == 1)
            #expect(try await harness.next("s1") == .text("logout"))
        }
    }

    @Test func lossOf100Percent() async throws {
        try await withNetwork(echoes: true) { harness in
            try await harness.net { $0.setLoss(LinkConditions.certain) }
            await harness.send("phone", "lost")
            try await harness.net { $0.setLoss(0) }
            await harness.send("phone", "found")
            #expect(try await harness.next("phone") == .text("found"))
        }
    }

    // MARK: delay

    @Test func delaysAndJitterKeepTheOrderInBothDirections() async throws {
        try await withNetwork(timeScale: 1000, echoes: true) { harness in
            try await harness.net { $0.setDelay(.seconds(5), jitter: .seconds(60)) }
            let texts = (0..<50).map { "m \($0)" }
            for text in texts { await harness.send("phone", text) }
            // A frame that is sent after the end of the delay does not overtake earlier frames.
            try await harness.net { $0.setDelay(.zero) }
            await harness.send("phone", "m last")
            #expect(try await harness.next(51, "s1") == (texts + ["m last"]).map { .text($0) })
            #expect(try await harness.next(51, "phone") == (texts + ["m last"]).map { .text($0) })
        }
    }

    @Test func aDelayIsInTheWorldsTime() async throws {
        try await withNetwork(timeScale: 100) { harness in
            try await harness.net { $0.setDelay(.seconds(5)) }
            let clock = ContinuousClock()
            let start = clock.now
            await harness.send("phone", "slow")
            #expect(try await harness.next("s1") == .text("slow"))
            #expect(clock.now - start >= .milliseconds(49))
        }
    }

    @Test func aCloseIsQueuedAfterEarlierFrames() async throws {
        try await withNetwork(timeScale: 1000) { harness in
            try await harness.net { $0.setDelay(.seconds(60)) }
            await harness.send("phone", "last words")
            try await harness.net { $0.setDelay(.zero) }
            await harness.close("phone", code: 4001)
            #expect(
                try await harness.next(2, "s1")
                    == [.text("last words"), .ended(.closedByPeer(code: 4001, reason: ""))])
        }
    }

    @Test func framesInFlightArriveAfterDown() async throws {
        try await withNetwork(timeScale: 1000) { harness in
            try await harness.net { $0.setDelay(.seconds(60)) }
            await harness.send("phone", "sent before")
            try await harness.net { $0.down() }
            #expect(try await harness.next("s1") == .text("sent before"))
        }
    }

    @Test func aServersCloseArrivesAfterItsLastMessages() async throws {
        try await withNetwork(timeScale: 1000) { harness in
            try await harness.net { $0.setDelay(.seconds(60)) }
            await harness.send("s1", "kick")
            await harness.close("s1", code: 4009, reason: "kicked")
            #expect(
                try await harness.next(2, "phone")
                    == [.text("kick"), .ended(.closedByPeer(code: 4009, reason: "kicked"))])
        }
    }

    @Test func aConnectTakesTheTimeOfARoundTrip() async throws {
        try await withNetwork(timeScale: 100) { harness in
            try await harness.net { $0.setDelay(.seconds(20)) }
            let clock = ContinuousClock()
            let start = clock.now
            try await harness.connectAndOpen("phone2", as: "s2")
            #expect(clock.now - start >= .milliseconds(399))
        }
    }

    @Test func aTimeoutScalesWithTheWorldsTime() async throws {
        try await withNetwork(timeScale: 1_000_000) { harness in
            try await harness.net { $0.halfOpen() }
            await harness.connect("phone2", timeout: .seconds(3600 * 24))
            #expect(try await harness.next("phone2") == .ended(.timedOut))
        }
    }
}
