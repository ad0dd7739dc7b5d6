import IMClient
import IMProtocol
import IMSession
import SansIO

/// In an offline login the token expires by the device's clock, also after a change of that clock, until the server has
/// sent the time to this process (C-10, ZIM-1).
struct OfflineTokenChecker {
    /// An expiry must be reported within this time.
    private static let slack = Interval.seconds(1)
    /// True if the server has sent the time to this process.
    private var isTimeKnown = false
    /// The device's clock at instant zero, in milliseconds since 1970.
    private var deviceZero: Int64 = 0
    /// The expiry of the login's token, in milliseconds since 1970; nil if it does not expire, or the expiry has been
    /// reported.
    private var expiresAt: Int64?
    /// A login that has not been accepted yet.
    private var pendingLogin: (id: CommandID, expiresAt: Int64)?
    /// The time from which the client has had the present information about the time.
    private var since = Instant.zero

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = OfflineTokenChecker()
        case .input(let input):
            handleInput(input, at: event.time, trace)
            guard let left = left(at: event.time), left < -Self.slack.inMilliseconds,
                event.time - max(since, trace.awakeSince) > Self.slack
            else { return }
            expiresAt = nil
            violations.append(
                Violation(.tokens, "C-10", "an offline login outlives its token by the device's clock", "\(-left) ms"))
        case .effect(.complete(let id, let completion)) where id == pendingLogin?.id:
            if completion.status == .ok { (expiresAt, since) = (pendingLogin?.expiresAt, event.time) }
            pendingLogin = nil
        case .effect(.notify(.tokenExpired)):
            if let left = left(at: event.time), left > 1 {
                violations.append(
                    Violation(.tokens, "C-10", "a token ends before its time by the device's clock", "\(left) ms"))
            }
            expiresAt = nil
        case .effect(.transition(let change)) where change.to.isOver && change.to != .tokenExpired: expiresAt = nil
        default: break
        }
    }

    private mutating func handleInput(_ input: NodeInput, at now: Instant, _ trace: ClientTrace) {
        switch input {
        case .frame(_, let frame) where !trace.isInputStale:
            guard case .loginAck = frame.body else { return }
            (isTimeKnown, expiresAt) = (true, nil)
        case .clientCommand(let id, .login(_, _, .offline, let clock, _)):
            guard !isTimeKnown, trace.state.isOver, clock.deviceMilliseconds > 0, clock.expiresAtMilliseconds > 0
            else { return }
            deviceZero = clock.deviceMilliseconds - now.nanoseconds / 1_000_000
            pendingLogin = (id, clock.expiresAtMilliseconds)
        case .clientCommand(_, .renewToken), .clientCommand(_, .logout): expiresAt = nil
        case .app(.clockSet(let interval)):
            deviceZero += interval.inMilliseconds
            since = now
        default: break
        }
    }

    /// The milliseconds until the token expires, by the device's clock.
    private func left(at now: Instant) -> Int64? {
        expiresAt.map { $0 - (deviceZero + now.nanoseconds / 1_000_000) }
    }
}
