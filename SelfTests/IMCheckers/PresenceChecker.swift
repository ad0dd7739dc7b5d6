import IMClient
import IMProtocol
import IMSession
import SansIO

/// The presence of other users and of the user's other devices, collected from an app's callbacks alone. At quiescence
/// it equals the server's presence (ZIM-5, NIM-13, P8).
struct PresenceChecker {
    private(set) var users: [String: Bool] = [:]
    private(set) var devices: Set<String>?
    /// The users that this login watches, and the channels that it joins.
    private var watching: Set<String> = []
    private var joining: Set<String> = []

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = PresenceChecker()
        // A login that replaces a retrying one starts without data too.
        case .effect(.transition(let change)) where change.reason == .login: self = PresenceChecker()
        case .effect(.transition(let change)):
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: self = PresenceChecker()
            case .connecting, .syncing, .online, .reconnecting, .offline: break
            }
        // A new watch starts with a notification of the present state.
        case .input(.clientCommand(_, .watch(let user, let isOn))):
            users[user] = nil
            if isOn { watching.insert(user) }
        case .input(.clientCommand(_, .join(let channel))): joining.insert(channel)
        case .effect(.notify(.memberChanged(let channel, _, _))) where !joining.contains(channel):
            violations.append(Violation(.presence, "C-4", "told of a channel that another login was in", channel))
        case .effect(.notify(.presence(let user, let change))):
            if !watching.contains(user) {
                violations.append(Violation(.presence, "C-4", "told of somebody whom another login watched", user))
            }
            let isPresent = change == .online
            if users[user] == isPresent {
                violations.append(
                    Violation(.presence, "P13", "the app is told again what it knows", "\(user), \(change)"))
            }
            users[user] = isPresent
        case .effect(.notify(.devicesChanged(let change, let changed))):
            var known = devices ?? []
            switch change {
            case .initial:
                known = Set(changed.map(\.id))
                if devices == known {
                    let detail = known.sorted().joined(separator: ", ")
                    violations.append(Violation(.presence, "P13", "the app is told again of the same devices", detail))
                }
            case .login: known.formUnion(changed.map(\.id))
            case .logout: known.subtract(changed.map(\.id))
            }
            devices = known
        default: break
        }
    }
}
