import IMClient
import IMProtocol
import IMServer
import IMSession

/// Other users receive the way in which a user left: Logout after a logout, Offline after a broken connection, Kicked
/// after a kick (ZIM-5). A user who comes back over another connection while the previous one carries the login has not
/// left (C-3).
struct PresenceChangeChecker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The way in which users left during the current input.
    private var gone: [String: PresenceChange] = [:]
    /// True if the login that a device resumes is still carried by another connection.
    private var isStillConnected = false

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input:
            if !gone.isEmpty { gone.removeAll() }
            isStillConnected =
                trace.asking.map { Self.isStillConnected($0.login, besides: $0.connection, trace) } ?? false
        case .effect(.presence(let user, let device, let change)) where change != .online:
            gone[user] = change
            guard let input = trace.input, !Self.ways(of: input).contains(change) else { return }
            violations.append(
                Violation(
                    .presence, "ZIM-5", "others are told that one went in another way",
                    "\(user) on \(device): \(change.name)"))
        case .effect(.send(_, let frame)):
            if isStillConnected, case .loginAck(let reply) = frame.body, reply.status == .ok, reply.wasGone {
                violations.append(Violation(.presence, "C-3", "who comes back over another link is taken for gone"))
            }
            if isStillConnected, let asking = trace.asking, frame.body.tells(ofComing: asking.login) {
                let detail = "\(asking.login.user) on \(asking.login.device.id)"
                violations.append(
                    Violation(.presence, "C-3", "who was there all the time is told as having come", detail))
            }
            guard case .presence(let user, let change) = frame.body, change != .online, let right = gone[user],
                right != change
            else { return }
            violations.append(
                Violation(
                    .presence, "ZIM-5", "who watches is told that one went in another way",
                    "\(user): \(change.name), not \(right.name)"))
        default: break
        }
    }

    private static func isStillConnected(_ login: LoginRequest, besides id: ConnectionID, _ trace: ServerTrace) -> Bool
    {
        guard login.mode == .resume, let other = trace.newest[DeviceSlot(user: login.user, device: login.device.id)],
            other != id, !trace.over.contains(other)
        else { return false }
        return trace.carried[other]?.epoch == login.epoch
    }

    private static func ways(of input: NodeInput) -> [PresenceChange] {
        switch input {
        case .frame(_, let frame):
            switch frame.body {
            case .logout: [.logout]
            case .kick, .accountCall: [.kicked]
            // A new login ends others and replaces an earlier connection of its own.
            case .login: [.kicked, .offline]
            default: [.offline]
            }
        case .serverCommand(_, let command):
            switch command {
            case .kick, .banAccount, .deleteAccount, .passwordChanged, .revokeTokens: [.kicked]
            default: [.offline]
            }
        default: [.offline]
        }
    }
}

extension FrameBody {
    /// True if it notifies others that the user has logged in.
    fileprivate func tells(ofComing login: LoginRequest) -> Bool {
        switch self {
        case .devicesChanged(.login, let devices): devices.contains { $0.id == login.device.id }
        case .presence(login.user, .online), .memberChanged(_, login.user, joined: true): true
        default: false
        }
    }
}
