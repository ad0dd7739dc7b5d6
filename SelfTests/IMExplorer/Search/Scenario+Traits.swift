import IMClient
import IMDebugger
import IMSimulation

// The properties of a scenario that decide which additional checks it gets.

extension Scenario {
    /// True if the scenario changes a device's clock.
    var setsClock: Bool { steps.contains { if case .skew = $0.action { true } else { false } } }

    /// True if the scenario has a network rule that holds frames back until they are released.
    var holdsFrames: Bool {
        steps.contains { if case .net(.rule(let rule)) = $0.action { rule.action == .hold } else { false } }
    }

    /// True if the scenario has a network rule that holds frames back, or ends a process. Random searches seldom reach
    /// the states just before these frames are released and just after a process ended. `violationContinuing(ofRare:)`
    /// checks them.
    var hasRareStates: Bool {
        holdsFrames || steps.contains { if case .app(.kill) = $0.action { true } else { false } }
    }

    /// True if a device may take the slot of a disconnected device, and log in once more before that device reconnects.
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
