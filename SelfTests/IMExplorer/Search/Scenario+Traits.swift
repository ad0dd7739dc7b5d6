import IMClient
import IMDebugger
import IMSimulation

// What makes a scenario worth a further look.

extension Scenario {
    /// Whether a device's clock is set in it.
    var setsClock: Bool { steps.contains { if case .skew = $0.action { true } else { false } } }

    /// Whether frames are held somewhere in it.
    var holdsFrames: Bool {
        steps.contains { if case .net(.rule(let rule)) = $0.action { rule.action == .hold } else { false } }
    }

    /// Whether frames are held, or a process ends.
    var hasRareMoments: Bool {
        holdsFrames || steps.contains { if case .app(.kill) = $0.action { true } else { false } }
    }

    /// Whether one device may take the place of another that is away, and log in again before that one is back.
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
