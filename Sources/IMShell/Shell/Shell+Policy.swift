import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSimulation
import IMText

extension Shell {
    /// `server policy`: prints all settings, or the named one with its possible values.
    func listPolicy(_ key: String?) throws {
        guard let usual = plan.configuration.serverPolicy else {
            throw CommandFailure("the server is another process; only its operator can see the policy")
        }
        let policy = try world.perform { core in core.serverID.flatMap { core[$0].machine?.server?.policy } }
        guard let policy else { throw CommandFailure("the server is down; 'server up' starts it") }
        let keys = ServerPolicy.settings.filter { key == nil || $0.key == key }
        if keys.isEmpty, let key { throw unknownPolicy(key) }
        guard output.form == .text else {
            return printResult(
                rows: keys.map { known in
                    AnswerRow([
                        ("policy", known.key), ("value", known.shown(in: policy)), ("default", known.shown(in: usual)),
                        ("takes", known.takes), ("meaning", known.meaning),
                    ])
                }, none: "none")
        }
        let width = keys.map(\.key.count).max() ?? 0
        for known in keys {
            let (value, normal) = (known.shown(in: policy), known.shown(in: usual))
            let other = value == normal ? "" : "  (\(plan.dialect.profile): \(normal))"
            printResult(TextWidth.padded(known.key, to: width + 2) + value + other)
            printResult("    \(known.meaning)")
            printResult("    takes \(known.takes)")
            if key != nil, let choices = known.choiceText { printResult(choices) }
        }
    }

    func unknownPolicy(_ key: String) -> CommandFailure {
        let names = ServerPolicy.settings.map(\.key)
        let hint = Suggestion.nearest(to: key, among: names).map { "; did you mean '\($0)'?" } ?? ""
        return CommandFailure("there is no policy '\(key)'\(hint) ('server policy' lists them)")
    }
}
