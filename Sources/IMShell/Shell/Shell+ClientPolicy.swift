import IMClient
import IMDebugger
import IMProtocol
import IMText

// `client policy`: the settings of the clients' SDK.

extension Shell {
    /// The policy of a new client, with settings that apply only to this client.
    func clientPolicy(with settings: [KeyValue]) throws -> ClientPolicy {
        var policy = clientPolicy ?? plan.dialect.clientPolicy
        for setting in settings {
            guard let known = ClientPolicy.setting(named: setting.key) else {
                throw unknownClientPolicy(setting.key)
            }
            guard let changed = known.set(known.value(of: setting.value), in: policy) else {
                throw CommandFailure(
                    "invalid value '\(setting.value)' for \(setting.key); it takes \(known.takes)"
                        + (known.milliseconds == nil ? "" : ", such as 1500 (milliseconds) or 10s"))
            }
            policy = changed
        }
        return policy
    }

    func setClientPolicy(_ settings: [KeyValue]) throws {
        clientPolicy = try clientPolicy(with: settings)
        let others = try clientNames
        guard !others.isEmpty else { return }
        printResult("applies to clients that are created from now on, not to \(others.joined(separator: ", "))")
    }

    /// Prints all settings, or the named one, with the source of each value.
    func listClientPolicy(_ key: String?) throws {
        let usual = plan.dialect.clientPolicy
        let policy = clientPolicy ?? usual
        let known = ClientPolicy.settings.filter { key == nil || $0.key == key }
        if known.isEmpty, let key { throw unknownClientPolicy(key) }
        guard output.form == .text else {
            return printResult(
                rows: known.map {
                    AnswerRow([
                        ("policy", $0.key), ("value", $0.text(policy)), ("default", $0.text(usual)),
                        ("takes", $0.takes), ("meaning", $0.meaning), ("source", source(of: $0)),
                    ])
                }, none: "none")
        }
        let width = known.map(\.key.count).max() ?? 0
        for setting in known {
            let (value, normal) = (setting.text(policy), setting.text(usual))
            let other = value == normal ? "" : "\(plan.dialect.profile): \(normal), "
            let key = TextWidth.padded(setting.key, to: width + 2)
            printResult("\(key)\(value)  (\(other)\(source(of: setting)))")
            printResult("    \(setting.meaning)")
        }
    }

    private func source(of setting: PolicySetting<ClientPolicy>) -> String {
        plan.dialect.source(of: setting.key).text
    }

    private func unknownClientPolicy(_ key: String) -> CommandFailure {
        let near = Suggestion.nearest(to: key, among: ClientPolicy.settings.map(\.key))
        let hint = near.map { "; did you mean '\($0)'?" } ?? ""
        return CommandFailure("there is no client policy '\(key)'\(hint) ('client policy' lists them)")
    }
}
