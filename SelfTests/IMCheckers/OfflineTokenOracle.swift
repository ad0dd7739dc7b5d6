import IMClient
import IMProtocol
import IMSession
import SansIO

/// In an offline login a token ends by the device's clock, also by one that was set meanwhile, for as long as the server
/// has not told the time in this process (C-10, ZIM-1).
struct OfflineTokenOracle {
    /// What falls due is told within that.
    private static let slack = Interval.seconds(1)
    /// Whether the server has told the time in this process.
    private var isTimeKnown = false
    /// What the device's clock showed at instant zero, in milliseconds since 1970.
    private var deviceZero: Int64 = 0
    /// When the token of the login ends, in milliseconds since 1970; nil where it does not, or that is told already.
    private var expiresAt: Int64?
    /// Of a login that is not taken on yet.
    private var asked: (id: CommandID, expiresAt: Int64)?
    /// Since when the client could know what it knows of the time.
    private var since = Instant.zero

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = OfflineTokenOracle()
        case .input(let input):
            given(input, at: event.time, trace)
            guard let left = left(at: event.time), left < -Self.slack.inMilliseconds,
                event.time - max(since, trace.awakeSince) > Self.slack
            else { return }
            expiresAt = nil
            faults.append(
                Violation(.tokens, "C-10", "an offline login outlives its token by the device's clock", "\(-left) ms"))
        case .effect(.complete(let id, let completion)) where id == asked?.id:
            if completion.status == .ok { (expiresAt, since) = (asked?.expiresAt, event.time) }
            asked = nil
        case .effect(.notify(.tokenExpired)):
            if let left = left(at: event.time), left > 1 {
                faults.append(
                    Violation(.tokens, "C-10", "a token ends before its time by the device's clock", "\(left) ms"))
            }
            expiresAt = nil
        case .effect(.transition(let change)) where change.to.isOver && change.to != .tokenExpired: expiresAt = nil
        default: break
        }
    }

    private mutating func given(_ input: NodeInput, at now: Instant, _ trace: ClientTrace) {
        switch input {
        case .frame(_, let frame) where !trace.isInputStale:
            guard case .loginAck = frame.body else { return }
            (isTimeKnown, expiresAt) = (true, nil)
        case .clientCommand(let id, .login(_, _, .offline, let clock, _)):
            guard !isTimeKnown, trace.state.isOver, clock.deviceMilliseconds > 0, clock.expiresAtMilliseconds > 0
            else { return }
            deviceZero = clock.deviceMilliseconds - now.nanoseconds / 1_000_000
            asked = (id, clock.expiresAtMilliseconds)
        case .clientCommand(_, .renewToken), .clientCommand(_, .logout): expiresAt = nil
        case .app(.clockSet(let interval)):
            deviceZero += interval.inMilliseconds
            since = now
        default: break
        }
    }

    /// Milliseconds up to the end of the token, by the device's clock.
    private func left(at now: Instant) -> Int64? {
        expiresAt.map { $0 - (deviceZero + now.nanoseconds / 1_000_000) }
    }
}
