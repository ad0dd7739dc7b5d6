import IMClient
import IMProtocol
import IMSession
import SansIO

/// A token ends when it ends, by the server's clock and whatever the device's shows (C-10, ZIM-6, RTM-5); a renewed one
/// ends later.
struct TokenOracle {
    /// When the newest token ends by the server's word, in milliseconds since 1970; 0 where it does not or nobody said.
    private var expiresAt: Int64 = 0
    /// Whether the server has told the time in this process.
    private var isTimeKnown = false
    /// The renewals that have no answer yet: one that comes later does not count.
    private var renewals: Set<CommandID> = []
    /// The server may have taken a renewed token without the client's learning when that ends.
    private var isRenewalLost = false

    mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, epochMilliseconds: Int64, into faults: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: self = TokenOracle()
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            switch frame.body {
            case .loginAck(let reply) where reply.status == .ok:
                isTimeKnown = true
                isRenewalLost = false
                expiresAt = reply.expiresAtMilliseconds
            case .renewTokenAck(.ok, let expiry, _): if !renewals.isEmpty { expiresAt = expiry }
            default: break
            }
        // A new token that the server has not seen yet says itself when it ends.
        case .input(.clientCommand(let id, .renewToken)): renewals.insert(id)
        case .input(.clientCommand(_, .login)): expiresAt = 0
        case .effect(.complete(let id, let completion)) where renewals.contains(id):
            renewals.remove(id)
            if Self.saysNothing(completion.status) { isRenewalLost = true }
            // Without a link it is taken on before the server has seen it.
            if completion.status == .ok, trace.acceptedLink == nil { expiresAt = 0 }
        case .effect(.transition(let change)) where change.to == .tokenExpired:
            ended(event.time, epochMilliseconds, into: &faults)
        case .effect(.notify(.tokenExpired)): ended(event.time, epochMilliseconds, into: &faults)
        default: break
        }
    }

    /// Whether the server may have done what a call asked for all the same.
    private static func saysNothing(_ status: Status) -> Bool {
        [.timeout, .networkUnavailable, .connectionFailed, .cancelled].contains(status)
    }

    private func ended(_ now: Instant, _ epochMilliseconds: Int64, into faults: inout [Violation]) {
        guard isTimeKnown, expiresAt > 0, renewals.isEmpty, !isRenewalLost else { return }
        let left = expiresAt - (epochMilliseconds + now.nanoseconds / 1_000_000)
        // A timer falls due to the millisecond.
        guard left > 1 else { return }
        faults.append(Violation(.tokens, "C-10", "a token ends before its time", "\(left) ms before"))
    }
}
