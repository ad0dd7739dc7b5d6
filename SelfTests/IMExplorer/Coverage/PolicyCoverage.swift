import IMCheckers
import IMClient
import IMProfiles
import IMProtocol
import IMServer
import IMSession

/// The branches of the server's policy that were taken. A branch is a policy value together with the decision that it
/// caused, such as `exclusion=dual: kicks`.
enum PolicyCoverage {
    /// The branches that can be taken in a profile.
    static func branches(of dialect: any Dialect) -> [String] {
        guard !dialect.clientPolicy.features.contains(.tree) else { return [] }
        var branches: [String] = []
        for exclusion in ScenarioDriver.exclusions(of: dialect) {
            branches.append(beside(exclusion))
            if exclusion != .none { branches.append(kicks(exclusion)) }
        }
        if dialect.serverPolicy.takenPlace == .kicksCurrent {
            branches += ServerPolicy.TakenPlace.allCases.map(returns)
        }
        return branches + KickReason.allCases.filter { isPossible($0, dialect) }.map { "kick reason=\($0.name)" }
    }

    private static func isPossible(_ reason: KickReason, _ dialect: any Dialect) -> Bool {
        let features = dialect.clientPolicy.features
        return switch reason {
        case .otherDevice: features.contains(.kick) || features.contains(.accountCalls)
        case .passwordChanged: features.contains(.passwords) && dialect.serverPolicy.passwordChangeEndsLogins
        case .otherLogin, .server, .banned, .accountRemoved: true
        }
    }

    private static func beside(_ exclusion: ServerPolicy.Exclusion) -> String {
        "exclusion=\(exclusion.rawValue): beside"
    }
    private static func kicks(_ exclusion: ServerPolicy.Exclusion) -> String {
        "exclusion=\(exclusion.rawValue): kicks"
    }
    private static func returns(_ slot: ServerPolicy.TakenPlace) -> String { "taken-place=\(slot.rawValue): decides" }

    /// - Parameters:
    ///   - policy: the server's current policy.
    ///   - report: is called with each branch that was taken in the event.
    static func observeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ policy: @autoclosure () -> ServerPolicy?,
        _ report: (String) -> Void
    ) {
        guard case .effect(.send(let connection, let frame)) = event.content else { return }
        switch frame.body {
        case .kicked(let notice):
            report("kick reason=\(notice.reason.name)")
            guard notice.reason == .otherLogin, let pendingLogin = trace.pendingLogin, let policy = policy() else {
                return
            }
            // The login comes from another device, or from the kicked device itself, which returns to an occupied slot.
            if pendingLogin.connection != connection { report(kicks(policy.exclusion)) }
            if pendingLogin.login.mode != .manual { report(returns(policy.takenPlace)) }
        case .loginAck(let reply):
            guard let pendingLogin = trace.pendingLogin, pendingLogin.connection == connection, let policy = policy()
            else { return }
            switch reply.status {
            case .deviceChanged, .tooManyDevices: report(returns(policy.takenPlace))
            case .ok:
                let isBeside = trace.acceptedLogins.values.contains {
                    $0.slot.user == pendingLogin.login.user && $0.slot.device != pendingLogin.login.device.id
                }
                if isBeside { report(beside(policy.exclusion)) }
            default: break
            }
        default: break
        }
    }
}
