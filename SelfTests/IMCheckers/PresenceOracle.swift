import IMClient
import IMProtocol
import IMSession
import SansIO

/// The presence of other users and of the user's other devices, collected from an app's callbacks alone. At quiescence
/// it equals the server's presence (ZIM-5, NIM-13, P8).
struct PresenceOracle {
    private(set) var users: [String: Bool] = [:]
    private(set) var devices: Set<String>?
    /// The users that this login watches, and the channels that it joins.
    private var watching: Set<String> = []
    private var joining: Set<String> = []

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = PresenceOracle()
        // A login that replaces a retrying one starts without data too.
        case .effect(.transition(let change)) where change.reason == .login: self = PresenceOracle()
        case .effect(.transition(let change)):
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: self = PresenceOracle()
            case .connecting, .syncing, .online, .reconnecting, .offline: break
            }
        // A new watch starts with a notification of the present state.
        case .input(.clientCommand(_, .watch(let user, let isOn))):
            users[user] = nil
            if isOn { watching.insert(user) }
        case .input(.clientCommand(_, .join(let channel))): joining.insert(channel)
        case .effect(.notify(.memberChanged(let channel, _, _))) where !joining.contains(channel):
            faults.append(Violation(.presence, "C-4", "told of a channel that another login was in", channel))
        case .effect(.notify(.presence(let user, let change))):
            if !watching.contains(user) {
                faults.append(Violation(.presence, "C-4", "told of somebody whom another login watched", user))
            }
            let isThere = change == .online
            if users[user] == isThere {
                faults.append(Violation(.presence, "P13", "the app is told again what it knows", "\(user), \(change)"))
            }
            users[user] = isThere
        case .effect(.notify(.devicesChanged(let change, let told))):
            var known = devices ?? []
            switch change {
            case .initial:
                known = Set(told.map(\.id))
                if devices == known {
                    let words = known.sorted().joined(separator: ", ")
                    faults.append(Violation(.presence, "P13", "the app is told again of the same devices", words))
                }
            case .login: known.formUnion(told.map(\.id))
            case .logout: known.subtract(told.map(\.id))
            }
            devices = known
        default: break
        }
    }
}
