import IMSession

/// The presence of other users and of the user's other devices, collected only from the app's callbacks. At quiescence
/// it equals the presence on the server (ZIM-5, NIM-13, P8).
struct PresenceChecker {
    private(set) var users: [String: Bool] = [:]
    private(set) var devices: Set<String>?
    /// The users that the current login watches, and the channels that it joins.
    private var watching: Set<String> = []
    private var joining: Set<String> = []
    /// The presence in the frame of the current input. The app must be notified of it before the next input.
    private var expected: (user: String, isPresent: Bool)?
    /// True from the request to log out until the login ends. A client that has lost a frame then handles no later
    /// presence, because it does not request a resync any more.
    private var isLoggingOut = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        if case .input(let input) = event.content {
            if let expected, let known = users[expected.user], known != expected.isPresent {
                violations.add(.presence, "ZIM-5", "the app is not notified of a change of presence", expected.user)
            }
            expected = nil
            if case .frame(_, let frame) = input, case .presence(let user, let change) = frame.body,
                !trace.isInputStale, !isLoggingOut
            {
                expected = (user, change == .online)
            }
        }
        switch event.content {
        case .start, .stop: self = PresenceChecker()
        // A login that replaces a retrying login also starts without presence data.
        case .effect(.transition(let change)) where change.reason == .login: self = PresenceChecker()
        case .effect(.transition(let change)):
            switch change.to {
            case .loggedOut, .kicked, .tokenExpired: self = PresenceChecker()
            case .connecting, .syncing, .online, .reconnecting, .offline: break
            }
        // The server answers a new watch with the present state, which the app must be notified of.
        case .input(.clientCommand(_, .watch(let user, let isOn))):
            users[user] = nil
            if isOn { watching.insert(user) }
        case .input(.clientCommand(_, .join(let channel))): joining.insert(channel)
        case .input(.clientCommand(_, .logout)): isLoggingOut = true
        case .effect(.notify(.memberChanged(let channel, _, _))) where !joining.contains(channel):
            violations.add(.presence, "C-4", "the app is notified of a channel that this login did not join", channel)
        case .effect(.notify(.presence(let user, let change))):
            if !watching.contains(user) {
                violations.add(.presence, "C-4", "the app is notified of a user whom this login does not watch", user)
            }
            let isPresent = change == .online
            if users[user] == isPresent {
                violations.add(
                    .presence, "P13", "the app is notified of a presence that has not changed", "\(user), \(change)")
            }
            users[user] = isPresent
        case .effect(.notify(.devicesChanged(let change, let changed))):
            var known = devices ?? []
            switch change {
            case .initial:
                known = Set(changed.map(\.id))
                if devices == known {
                    let detail = known.sorted().joined(separator: ", ")
                    violations.add(.presence, "P13", "the app is notified of devices that have not changed", detail)
                }
            case .login: known.formUnion(changed.map(\.id))
            case .logout: known.subtract(changed.map(\.id))
            }
            devices = known
        default: break
        }
    }
}
