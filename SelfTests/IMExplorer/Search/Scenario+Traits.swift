import IMClient
import IMDebugger
import IMSimulation

// The properties of a scenario that call for further checks.

extension Scenario {
    /// True if a device's clock is changed.
    var setsClock: Bool { steps.contains { if case .skew = $0.action { true } else { false } } }

    /// True if frames are held.
    var holdsFrames: Bool {
        steps.contains { if case .net(.rule(let rule)) = $0.action { rule.action == .hold } else { false } }
    }

    /// True if frames are held or a process ends.
    var hasRareStates: Bool {
        holdsFrames || steps.contains { if case .app(.kill) = $0.action { true } else { false } }
    }

    /// True if one device may take the slot of a disconnected one, and log in again before that one is back.
    var mayKickLate: Bool {
        var logins: [String: Int] = [:]
        for step in steps { if case .login = step.action { logins[step.node, default: 0] += 1 } }
        return logins.count > 1 && logins.values.contains { $0 > 1 }
            && steps.contains { step in
                switch step.action {
                case .net(.halfOpen), .net(.down), .app(.kill): true
                default: false
                }
            }
    }
}
