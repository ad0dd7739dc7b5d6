import IMNetwork
import SansIO
import Testing

/// Each verb of `net`, on real sockets.
///
/// That an end hears nothing is checked after a round trip on another connection: on one loop, and on one machine,
/// whatever had been sent before would have arrived by then.
@Suite struct FaultTests {
    private func withNetwork(
        latency: Interval = .zero, timeScale: Double = 1, echoes: Bool = false, _ body: (Stage) async throws -> Void
    ) async throws {
        try await withStage { stage in
            await stage.addFaults(latency: latency, timeScale: timeScale)
            try await stage.serve(echoes: echoes)
            try await stage.connectAndOpen("phone", as: "s1")
            try await body(stage)
        }
    }

    /// A round trip on a connection of its own.
    private func settle(_ stage: Stage, as name: String, _ serverName: String) async throws {
        try await stage.connectAndOpen(name, as: serverName)
        await stage.send(name, "ping")
        #expect(try await stage.next(serverName) == .text("ping"))
        await stage.send(serverName, "pong")
        var event = try await stage.next(name)
        while event != .text("pong") { event = try await stage.next(name) }
    }

    // MARK: down, up, switch

    @Test func downEndsTheClientAndLeavesTheServerInSilence() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.down() }
            // At once: no wait for it.
            #expect(await stage.unseen("phone") == [.ended(.networkDown)])
            await stage.connect("phone2")
            #expect(try await stage.next("phone2") == .ended(.networkDown))
            await stage.send("s1", "anybody there?")
            try await stage.net { $0.up() }
            try await settle(stage, as: "phone3", "s2")
            #expect(await stage.unseen("s1") == [])
            #expect(try await stage.net { $0.ghostCount } == 1)
            // The server's own timeout ends its half, and with it the ghost.
            await stage.close("s1", code: 4008)
            #expect(try await stage.next("s1") == .ended(.closedHere))
            try await settle(stage, as: "phone4", "s3")
            #expect(try await stage.net { $0.ghostCount } == 0)
        }
    }

    @Test func switchEndsTheClientAndTheNextConnectWorks() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.switchNetwork() }
            #expect(await stage.unseen("phone") == [.ended(.networkDown)])
            try await settle(stage, as: "phone2", "s2")
            #expect(await stage.unseen("s1") == [])
        }
    }

    @Test func aGhostDoesNotOutliveTheWorld() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.down() }
            #expect(try await stage.net { $0.ghostCount } == 1)
            let closed = try await stage.net { $0.shutDown() }
            try await closed.get()
            #expect(try await stage.next("s1") == .ended(.reset))
        }
    }

    @Test func aConnectThatTheDownOvertakesFailsAndReachesNobody() async throws {
        try await withNetwork(latency: .seconds(60), timeScale: 600) { stage in
            await stage.connect("phone2")
            try await stage.net { $0.down() }
            #expect(await stage.unseen("phone2") == [.ended(.networkDown)])
            try await stage.net {
                $0.clear()
                $0.setDelay(.zero)
            }
            try await settle(stage, as: "phone3", "s2")
        }
    }

    // MARK: half-open

    @Test func halfOpenLosesBothDirectionsAndHeals() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.halfOpen() }
            await stage.send("phone", "lost out")
            await stage.send("s1", "lost in")
            try await stage.settleSockets()
            await stage.connect("phone2", timeout: .milliseconds(50))
            #expect(try await stage.next("phone2") == .ended(.timedOut))
            try await stage.net { $0.up() }
            await stage.send("phone", "back out")
            #expect(try await stage.next("s1") == .text("back out"))
            await stage.send("s1", "back in")
            #expect(try await stage.next("phone") == .text("back in"))
            #expect(await stage.verdicts == ["toServer lost drop", "toClient lost drop"])
        }
    }

    @Test func aClientThatClosesWhileHalfOpenIsFoundGoneLater() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.halfOpen() }
            await stage.close("phone")
            #expect(try await stage.next("phone") == .ended(.closedHere))
            try await stage.net { $0.up() }
            try await settle(stage, as: "phone2", "s2")
            #expect(await stage.unseen("s1") == [])
            await stage.send("s1", "anybody there?")
            #expect(try await stage.next("s1") == .ended(.reset))
        }
    }

    @Test func aClientThatAbortsWhileHalfOpenIsFoundGoneLater() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.halfOpen() }
            await stage.abort("phone")
            #expect(try await stage.next("phone") == .ended(.closedHere))
            try await stage.net { $0.up() }
            await stage.send("s1", "anybody there?")
            #expect(try await stage.next("s1") == .ended(.reset))
        }
    }

    @Test func aServerThatClosesWhileHalfOpenIsFoundGoneLater() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.halfOpen() }
            await stage.abort("s1")
            #expect(try await stage.next("s1") == .ended(.closedHere))
            try await stage.settleSockets()
            try await stage.net { $0.up() }
            try await settle(stage, as: "phone2", "s3")
            #expect(await stage.unseen("phone") == [])
            await stage.send("phone", "anybody there?")
            #expect(try await stage.next("phone") == .ended(.reset))
        }
    }

    @Test func aServersCloseWhileHalfOpenIsNotHeard() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.halfOpen() }
            await stage.close("s1", code: 4009)
            try await stage.settleSockets()
            try await stage.net { $0.up() }
            // The server gives up waiting for an answer.
            #expect(try await stage.next("s1") == .ended(.closedHere))
            try await settle(stage, as: "phone2", "s3")
            #expect(await stage.unseen("phone") == [])
            await stage.send("phone", "anybody there?")
            #expect(try await stage.next("phone") == .ended(.reset))
        }
    }

    @Test func aPingWhileHalfOpenIsNotAnswered() async throws {
        try await withStage { stage in
            await stage.addFaults()
            try await stage.serve()
            try await stage.connectThroughTheMiddle("phone")
            try await stage.net { $0.halfOpen() }
            await stage.sendRaw("toClient", RawPeer.frame(0x9, [5], masked: false))
            try await stage.settleSockets()
            try await stage.net { $0.up() }
            await stage.sendRaw("toClient", RawPeer.frame(0x9, [6], masked: false))
            let pong = try await stage.readRaw("toClient", atLeast: 7)
            #expect(pong[0...1] == [0x8A, 0x81])
            #expect(pong[6] ^ pong[2] == 6)
        }
    }

    // MARK: reset

    @Test func resetIsSeenByBothEnds() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.reset() }
            #expect(await stage.unseen("phone") == [.ended(.reset)])
            #expect(try await stage.next("s1") == .ended(.reset))
            try await settle(stage, as: "phone2", "s2")
        }
    }

    // MARK: frames

    @Test func dropsTheNamedFrames() async throws {
        try await withNetwork(echoes: true) { stage in
            try await stage.net { $0.add(FrameRule(.drop, frame: "beat", direction: .toServer, count: 2)) }
            for text in ["beat 1", "login", "beat 2", "beat 3"] { await stage.send("phone", text) }
            #expect(try await stage.next(2, "phone") == [.text("login"), .text("beat 3")])
            #expect(await stage.verdicts == ["toServer beat drop", "toServer beat drop"])
        }
    }

    @Test func duplicatesInBothDirections() async throws {
        try await withNetwork(echoes: true) { stage in
            try await stage.net { $0.add(FrameRule(.duplicate, frame: "ack")) }
            await stage.send("phone", "ack")
            #expect(try await stage.next(2, "s1") == [.text("ack"), .text("ack")])
            #expect(try await stage.next(4, "phone") == Array(repeating: .text("ack"), count: 4))
        }
    }

    @Test func holdsUntilReleaseInOrder() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.add(FrameRule(.hold, frame: "ack", direction: .toClient)) }
            for text in ["ack 1", "news", "ack 2", "end"] { await stage.send("s1", text) }
            #expect(try await stage.next(2, "phone") == [.text("news"), .text("end")])
            #expect(try await stage.net { $0.release() } == 2)
            #expect(try await stage.next(2, "phone") == [.text("ack 1"), .text("ack 2")])
            // The rule is still there; clear takes it away and lets go what it held.
            await stage.send("s1", "ack 3")
            await stage.send("s1", "end")
            #expect(try await stage.next("phone") == .text("end"))
            try await stage.net { $0.clear() }
            #expect(try await stage.next("phone") == .text("ack 3"))
        }
    }

    @Test func aHeldFrameOfADeadConnectionReachesTheServerLate() async throws {
        try await withNetwork { stage in
            try await stage.net { $0.add(FrameRule(.hold, frame: "logout", count: 1)) }
            await stage.send("phone", "logout")
            try await stage.net { $0.switchNetwork() }
            try await settle(stage, as: "phone2", "s2")
            #expect(await stage.unseen("s1") == [])
            #expect(try await stage.net { $0.release() } == 1)
            #expect(try await stage.next("s1") == .text("logout"))
        }
    }

    @Test func certainLoss() async throws {
        try await withNetwork(echoes: true) { stage in
            try await stage.net { $0.setLoss(LinkConditions.certain) }
            await stage.send("phone", "lost")
            try await stage.net { $0.setLoss(0) }
            await stage.send("phone", "found")
            #expect(try await stage.next("phone") == .text("found"))
        }
    }

    // MARK: delay

    @Test func delaysAndJitterKeepTheOrderInBothDirections() async throws {
        try await withNetwork(timeScale: 1000, echoes: true) { stage in
            try await stage.net { $0.setDelay(.seconds(5), jitter: .seconds(60)) }
            let texts = (0..<50).map { "m \($0)" }
            for text in texts { await stage.send("phone", text) }
            // What is sent when the delay is gone still has to wait for what went before.
            try await stage.net { $0.setDelay(.zero) }
            await stage.send("phone", "m last")
            #expect(try await stage.next(51, "s1") == (texts + ["m last"]).map { .text($0) })
            #expect(try await stage.next(51, "phone") == (texts + ["m last"]).map { .text($0) })
        }
    }

    @Test func aDelayTakesItsTimeInTheWorldsOwn() async throws {
        try await withNetwork(timeScale: 100) { stage in
            try await stage.net { $0.setDelay(.seconds(5)) }
            let clock = ContinuousClock()
            let start = clock.now
            await stage.send("phone", "slow")
            #expect(try await stage.next("s1") == .text("slow"))
            #expect(clock.now - start >= .milliseconds(49))
        }
    }

    @Test func aCloseQueuesBehindTheFramesBeforeIt() async throws {
        try await withNetwork(timeScale: 1000) { stage in
            try await stage.net { $0.setDelay(.seconds(60)) }
            await stage.send("phone", "last words")
            try await stage.net { $0.setDelay(.zero) }
            await stage.close("phone", code: 4001)
            #expect(
                try await stage.next(2, "s1")
                    == [.text("last words"), .ended(.closedByPeer(code: 4001, reason: ""))])
        }
    }

    @Test func whatIsOnItsWayArrivesAfterTheDown() async throws {
        try await withNetwork(timeScale: 1000) { stage in
            try await stage.net { $0.setDelay(.seconds(60)) }
            await stage.send("phone", "sent before")
            try await stage.net { $0.down() }
            #expect(try await stage.next("s1") == .text("sent before"))
        }
    }

    @Test func aServersEndArrivesBehindItsLastMessages() async throws {
        try await withNetwork(timeScale: 1000) { stage in
            try await stage.net { $0.setDelay(.seconds(60)) }
            await stage.send("s1", "kick")
            await stage.close("s1", code: 4009, reason: "kicked")
            #expect(
                try await stage.next(2, "phone")
                    == [.text("kick"), .ended(.closedByPeer(code: 4009, reason: "kicked"))])
        }
    }

    @Test func aConnectTakesTheTimeOfARoundTrip() async throws {
        try await withNetwork(timeScale: 100) { stage in
            try await stage.net { $0.setDelay(.seconds(20)) }
            let clock = ContinuousClock()
            let start = clock.now
            try await stage.connectAndOpen("phone2", as: "s2")
            #expect(clock.now - start >= .milliseconds(399))
        }
    }

    @Test func aTimeoutShrinksWithTheWorldsTime() async throws {
        try await withNetwork(timeScale: 1_000_000) { stage in
            try await stage.net { $0.halfOpen() }
            await stage.connect("phone2", timeout: .seconds(3600 * 24))
            #expect(try await stage.next("phone2") == .ended(.timedOut))
        }
    }
}
