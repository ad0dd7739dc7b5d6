import IMProtocol
import IMServer
import IMSession
import SansIO

/// Counts the events of a run and computes a checksum of them, so that two runs can be compared without recordings.
package final class EventChecksum {
    @exclusivity(unchecked) package var count = 0
    @exclusivity(unchecked) package var chain: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package func note(_ event: SessionEvent) {
        count += 1
        mix(UInt64(bitPattern: event.time.nanoseconds))
        // Different names of nodes give different numbers if they have at most eight bytes.
        mix(event.node.utf8.reduce(0) { $0 << 8 ^ $0 >> 56 ^ UInt64($1) })
        mix(event.fingerprint)
    }

    private func mix(_ word: UInt64) { chain = (chain ^ word) &* 0x0000_0100_0000_01B3 }
}

extension SessionEvent {
    /// A number that depends on the kind of event, the connection, the command and the state, but not on the contents
    /// of frames.
    fileprivate var fingerprint: UInt64 {
        switch content {
        case .header: return 1
        case .clock: return 2
        case .start: return 3
        case .stop: return 4
        case .environment: return 5
        case .mark: return 6
        case .keyframe: return 7
        case .closing: return 8
        case .unreadable: return 9
        case .input(let input):
            switch input {
            case .frame(let id, let frame): return 16 + UInt64(id.rawValue) << 16 + UInt64(frame.request) << 40
            case .unreadable: return 17
            case .linkOpened(let id): return 18 + UInt64(id.rawValue) << 16
            case .linkFailed(let id, let fault): return 19 + UInt64(id.rawValue) << 16 + UInt64(fault.rawValue) << 8
            case .linkClosed(let id, let fault): return 20 + UInt64(id.rawValue) << 16 + UInt64(fault.rawValue) << 8
            case .deadlineReached: return 21
            case .network(let change): return 22 + UInt64(change.rawValue) << 8
            case .app: return 23
            case .data: return 24
            case .clientCommand(let id, _): return 25 + UInt64(id.rawValue) << 16
            case .serverCommand(let id, _): return 26 + UInt64(id.rawValue) << 16
            }
        case .effect(let effect):
            switch effect {
            case .send(let id, let frame): return 32 + UInt64(id.rawValue) << 16 + UInt64(frame.request) << 40
            case .connect(let id): return 33 + UInt64(id.rawValue) << 16
            case .closeLink(let id): return 34 + UInt64(id.rawValue) << 16
            case .persist: return 35
            case .keep: return 36
            case .data: return 37
            case .complete(let id, let completion):
                return 38 + UInt64(id.rawValue) << 16 + UInt64(completion.status.rawValue) << 8
            case .notify: return 39
            case .transition(let change):
                return 40 + UInt64(change.to.rawValue) << 8 + UInt64(change.reason.rawValue) << 16
            case .presence(_, _, let change): return 41 + UInt64(change.rawValue) << 8
            }
        }
    }
}
