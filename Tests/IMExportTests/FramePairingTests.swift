import IMSession
import Recorder
import Testing

@testable import IMDebugger

/// The sent frame of each arrived frame, reconstructed from the events of both ends.
@Suite struct FramePairingTests {
    typealias ConnectionEvent = FramePairing.ConnectionEvent

    private static let phone = end(0, 1)
    private static let server = end(9, 1)

    private static func end(_ node: UInt16, _ connection: UInt32) -> CausalGraph.End {
        CausalGraph.End(node: NodeIndex(rawValue: node), connection: connection)
    }

    private func pair(_ moments: [ConnectionEvent]) -> FramePairing {
        FramePairing(moments, servers: [NodeIndex(rawValue: 9)])
    }

    /// A link that is open on both sides at 20, and its events.
    private func link(_ rest: [ConnectionEvent]) -> [ConnectionEvent] {
        [
            .connecting(Self.phone, event: 0, at: 0), .opened(Self.server, event: 1, at: 10),
            .opened(Self.phone, event: 2, at: 20),
        ] + rest
    }

    @Test func aFrameArrivesWithItsDelay() {
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "login", event: 3, at: 20),
                .received(Self.server, contents: "login", event: 4, at: 30),
                .sent(Self.server, contents: "ack", event: 5, at: 30),
                .received(Self.phone, contents: "ack", event: 6, at: 40),
            ]))
        #expect(pairing.arrivals == [3: 4, 5: 6])
        #expect(pairing.origins == [4: 3, 6: 5])
        #expect(pairing.peers[Self.server] == Self.phone)
        #expect(pairing.peers[Self.phone] == Self.server)
    }

    @Test func theLostOneOfEqualFramesIsFoundByLatency() {
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "beat", event: 3, at: 100),
                .received(Self.server, contents: "beat", event: 4, at: 110),
                .sent(Self.phone, contents: "beat", event: 5, at: 200),
                .sent(Self.phone, contents: "beat", event: 6, at: 300),
                .received(Self.server, contents: "beat", event: 7, at: 310),
            ]))
        #expect(pairing.arrivals == [3: 4, 6: 7])
    }

    @Test func equalFramesInFlightKeepTheirOrder() {
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "beat", event: 3, at: 100),
                .sent(Self.phone, contents: "beat", event: 4, at: 105),
                .received(Self.server, contents: "beat", event: 5, at: 110),
                .received(Self.server, contents: "beat", event: 6, at: 115),
            ]))
        #expect(pairing.arrivals == [3: 5, 4: 6])
    }

    @Test func onASlowedLinkTheOldestOfEqualFramesArrives() {
        let moments = link([
            .sent(Self.phone, contents: "beat", event: 3, at: 100),
            .received(Self.server, contents: "beat", event: 4, at: 110),
            .slowed(node: NodeIndex(rawValue: 0), by: 250, at: 150),
            .sent(Self.phone, contents: "beat", event: 5, at: 200),
            .sent(Self.phone, contents: "beat", event: 6, at: 300),
            .sent(Self.phone, contents: "beat", event: 7, at: 400),
            .received(Self.server, contents: "beat", event: 8, at: 460),
            .received(Self.server, contents: "beat", event: 9, at: 560),
            // The network is fast again, but the frame arrives after the slow ones.
            .slowed(node: NodeIndex(rawValue: 0), by: 0, at: 570),
            .sent(Self.phone, contents: "beat", event: 10, at: 580),
            .received(Self.server, contents: "beat", event: 11, at: 660),
            .received(Self.server, contents: "beat", event: 12, at: 660),
        ])
        let origins: [UInt64: UInt64] = [4: 3, 8: 5, 9: 6, 11: 7, 12: 10]
        #expect(pair(moments).origins == origins)
        // If the network of a client without a connection is slowed instead, the pairing does not consider it.
        let other = moments.map { moment -> ConnectionEvent in
            if case .slowed(_, let by, let at) = moment { return .slowed(node: NodeIndex(rawValue: 5), by: by, at: at) }
            return moment
        }
        #expect(pair(other).origins[8] == 7)
    }

    @Test func equalFramesThatWereHeldKeepTheirOrder() {
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "beat", event: 3, at: 100),
                .sent(Self.phone, contents: "beat", event: 4, at: 200),
                .sent(Self.phone, contents: "beat", event: 5, at: 300),
                .received(Self.server, contents: "beat", event: 6, at: 320),
                .received(Self.server, contents: "beat", event: 7, at: 320),
                .received(Self.server, contents: "beat", event: 8, at: 320),
            ]))
        #expect(pairing.origins == [6: 3, 7: 4, 8: 5])
        #expect(pairing.arrivals == [3: 6, 4: 7, 5: 8])
    }

    @Test func theNetworksEventsShowItsDelay() {
        func extraDelay(_ command: String) -> Int64? { FramePairing.extraDelay(EnvironmentAction(command: command)) }
        #expect(extraDelay("net delay 300ms --jitter 20ms") == 300_000_000)
        #expect(extraDelay("net clear") == 0)
        for command in ["net down", "net delay", "net delay x", "net", "", "app sleep 300ms", "net loss 20%"] {
            #expect(extraDelay(command) == nil)
        }
    }

    @Test func extremeInstantsDoNotTrap() {
        let far = Int64.max
        let pairing = pair(
            link([
                .slowed(node: NodeIndex(rawValue: 0), by: far, at: 30),
                .sent(Self.phone, contents: "a", event: 3, at: 40),
                .received(Self.server, contents: "a", event: 4, at: far),
                .slowed(node: NodeIndex(rawValue: 0), by: .min, at: far),
                .sent(Self.phone, contents: "a", event: 5, at: far),
                .received(Self.server, contents: "a", event: 6, at: far),
            ]))
        #expect(pairing.origins == [4: 3, 6: 5])
    }

    @Test func aHeldFrameArrivesLateAndADuplicateTwice() {
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "a", event: 3, at: 100),
                .sent(Self.phone, contents: "b", event: 4, at: 101),
                .received(Self.server, contents: "b", event: 5, at: 111),
                .received(Self.server, contents: "b", event: 6, at: 112),
                .received(Self.server, contents: "a", event: 7, at: 9_000),
            ]))
        #expect(pairing.arrivals == [3: 7, 4: 5])
        #expect(pairing.origins == [5: 4, 6: 4, 7: 3])
    }

    @Test func aLostAttemptDoesNotTakeTheNextOnesLink() {
        let second = Self.end(0, 2)
        let accepted = Self.end(9, 2)
        // Both attempts reach the server with the same frames; only the second gets a frame through.
        let pairing = pair(
            link([
                .sent(Self.phone, contents: "login", event: 3, at: 30),
                .connecting(second, event: 4, at: 5_000), .opened(accepted, event: 5, at: 5_010),
                .opened(second, event: 6, at: 5_020), .sent(second, contents: "login", event: 7, at: 5_020),
                .received(accepted, contents: "login", event: 8, at: 5_030),
            ]))
        #expect(pairing.arrivals == [7: 8])
        #expect(pairing.peers[Self.phone] == Self.server)
        #expect(pairing.peers[second] == accepted)
    }

    @Test func concurrentConnectsAreDistinguishedByTheirFrames() {
        let pad = Self.end(1, 1)
        let other = Self.end(9, 2)
        let pairing = pair(
            [
                .connecting(Self.phone, event: 0, at: 0), .connecting(pad, event: 1, at: 0),
                .opened(Self.server, event: 2, at: 10), .opened(other, event: 3, at: 10),
                .opened(Self.phone, event: 4, at: 20), .opened(pad, event: 5, at: 20),
                .sent(Self.phone, contents: "login phone", event: 6, at: 20),
                .sent(pad, contents: "login pad", event: 7, at: 20),
                .received(other, contents: "login phone", event: 8, at: 30),
                .received(Self.server, contents: "login pad", event: 9, at: 30),
            ])
        #expect(pairing.arrivals == [6: 8, 7: 9])
        #expect(pairing.peers[pad] == Self.server)
    }

    @Test func thousandsOfAttemptsAreFast() {
        var moments: [ConnectionEvent] = []
        let count = 5_000
        for attempt in 0..<count {
            let client = Self.end(0, UInt32(attempt + 1))
            let server = Self.end(9, UInt32(attempt + 1))
            let (event, at) = (UInt64(attempt) * 5, Int64(attempt) * 1_000)
            moments += [
                .connecting(client, event: event, at: at), .opened(server, event: event + 1, at: at + 10),
                .opened(client, event: event + 2, at: at + 20),
                .sent(client, contents: "login", event: event + 3, at: at + 20),
                .received(server, contents: "login", event: event + 4, at: at + 30),
            ]
        }
        let pairing = pair(moments)
        #expect(pairing.origins.count == count)
        #expect(pairing.origins.allSatisfy { $0.key == $0.value + 1 })
    }
}
