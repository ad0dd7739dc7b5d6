import NIOCore
import SansIO
import Testing

@testable import IMLive

/// Tests of the limits of a listener for its peers, and of its answers at the limits.
@Suite struct LimitTests {
    private func answer(_ harness: Harness, _ name: String) async throws -> String {
        try await harness.connectRaw(name)
        await harness.sendRaw(name, RawPeer.upgradeRequest)
        return String(decoding: try await harness.readRaw(name), as: UTF8.self)
    }

    @Test func anAddressHasAMaximumOfConnections() async throws {
        try await withHarness { harness in
            try await harness.serve(limits: ListenLimits(connectionsPerAddressMax: 2))
            for (name, server) in [("a", "s1"), ("b", "s2")] { try await harness.connectAndOpen(name, as: server) }
            let refused = try await answer(harness, "c")
            #expect(refused.hasPrefix("HTTP/1.1 429 "), "\(refused)")
            #expect(refused.hasSuffix("Too many connections from 127.0.0.1: at most 2.\n"), "\(refused)")
            // After a connection has ended, one more connection from the address is accepted.
            await harness.close("a")
            #expect(try await harness.next("a") == .ended(.closedHere))
            #expect(try await harness.next("s1") == .ended(.closedByPeer(code: 1000, reason: "")))
            try await harness.settleSockets()
            try await harness.connectAndOpen("d", as: "s4")
        }
    }

    /// The addresses of one IPv6 network share one limit, because they usually have one owner (S14).
    @Test func addressesOfOneNetworkShareALimit() throws {
        func network(_ address: String) throws -> String { try SocketAddress(ipAddress: address, port: 1).peerNetwork }
        #expect(try network("192.0.2.7") == "192.0.2.7")
        #expect(try network("::ffff:192.0.2.7") == "192.0.2.7")
        #expect(try network("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::/64")
        #expect(try network("2001:db8:1:2::9") == "2001:db8:1:2::/64")
        #expect(try network("2001:db8:1:3::9") == "2001:db8:1:3::/64")
    }

    @Test func theListenerHasAMaximumOfConnections() async throws {
        try await withHarness { harness in
            try await harness.serve(limits: ListenLimits(connectionsMax: 1))
            try await harness.connectAndOpen("a", as: "s1")
            let refused = try await answer(harness, "b")
            #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
        }
    }

    @Test func aClientThatDoesNotReadIsDisconnected() async throws {
        try await withHarness { harness in
            try await harness.serve(limits: ListenLimits(unsentBytesMax: 1 << 20))
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            #expect(try await harness.next("s1") == .open)
            await harness.stopReadingRaw("raw")
            // The data exceeds the system's buffers and the limit together.
            let bytes = [UInt8](repeating: 7, count: 256 << 10)
            for _ in 0..<256 { await harness.send("s1", bytes) }
            guard case .ended(.violation(1008, let why)) = try await harness.next("s1") else {
                Issue.record("it was not closed")
                return
            }
            #expect(why.hasPrefix("the peer does not read: "), "\(why)")
        }
    }

    @Test func unreadBytesStayWithThePeer() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            #expect(try await harness.next("s1") == .open)
            await harness.setReading("s1", false)
            let frame = RawPeer.frame(0x2, [UInt8](repeating: 7, count: 60_000))
            // The data exceeds the buffers of both ends, so the peer's writes do not complete.
            for _ in 0..<300 { await harness.sendRaw("raw", frame) }
            try await harness.settleSockets()
            let receivedCount = await harness.unread("s1").count
            #expect(receivedCount * 60_000 <= 1 << 20, "\(receivedCount) messages came while nothing was read")
            await harness.setReading("s1", true)
            _ = try await harness.next(300, "s1")
        }
    }
}
