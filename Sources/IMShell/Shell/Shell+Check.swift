import IMDebugger
import IMSession
import IMSimulation
import IMText

// `check`: conditions on a whole session.

extension Shell {
    package func check(_ request: CheckRequest) throws {
        defer { markLogEnd() }
        switch request {
        case .rules: try checkRules()
        case .condition(let text): try check(condition: text)
        }
    }

    private func checkRules() throws {
        guard let simulated = world as? SimulatedWorld, plan.checksRules else {
            throw CommandFailure(
                "'check rules' works only in scripts in virtual time, because the checkers need all events from the "
                    + "beginning"
            )
        }
        guard let rules = plan.rules else {
            printResult(
                "rules are not checked here; 'imrepl-explore run SCRIPT' and 'imrepl-explore test SCRIPT' check them")
            return
        }
        // A simulated world runs on the thread of the caller, so no other thread changes it during the check.
        if let broken = rules.checkAtQuiescence(simulated) { throw CommandFailure(broken) }
    }

    private func check(condition text: String) throws {
        let condition: SessionCondition
        do throws(FilterError) {
            condition = try SessionCondition(text)
        } catch {
            throw CommandFailure(error.text)
        }
        let log = log
        let counts = try world.perform { _ in condition.filters.map { log.count($0) } }
        guard !condition.holds(counts) else { return }
        let words = zip(condition.filters, counts).map { "\($1) of '\($0.source)'" }
        throw CommandFailure("the condition does not hold: there are \(words.joined(separator: ", "))")
    }
}
