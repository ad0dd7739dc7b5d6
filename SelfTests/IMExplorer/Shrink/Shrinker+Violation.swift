import IMCheckers
import IMDebugger

extension Shrinker {
    /// A condition for a shrinker: it returns true while the scenario still has a violation of the same kind.
    ///
    /// - Parameter canaryAt: the number of events after which a violation is reported on purpose, as in the search.
    public static func keeping(
        _ violation: Violation, selfChecks: RecordingSelfChecks = RecordingSelfChecks(), canaryAt: Int? = nil
    ) -> (Scenario) -> Bool {
        { scenario in
            switch violation.checker {
            case .recorder where violation.kind == StateCodingCheck.kind,
                .localData where [LocalPagingCheck.kind, LocalCallCheck.kind].contains(violation.kind):
                return StateCodingCheck.isBroken(by: scenario, as: violation.kind)
            case .recorder: return selfChecks.isBroken(by: scenario, as: violation)
            case .pairs: return MetamorphicChecks.isBroken(scenario, as: violation)
            case .tree where violation.kind.hasPrefix("an app that starts"):
                return (try? TreeRestartCheck.violation(of: scenario))??.group == violation.group
            default: break
            }
            var options = ScenarioPlayer.Options()
            options.heals = false
            options.canaryAt = canaryAt
            let outcome = try? ScenarioPlayer(scenario, options).play()
            return outcome?.violation?.group == violation.group
        }
    }
}
