import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMText
import SansIO

extension PolicySetting {
    /// Converts a value that the user typed to the form of the policy. In a setting in milliseconds, durations such as
    /// 10s become numbers; other texts are returned unchanged.
    func value(of typed: String) -> String {
        guard milliseconds != nil else { return typed }
        return typed.split(separator: ",", omittingEmptySubsequences: false).map { part in
            DurationText.interval(String(part)).map { String($0.inMilliseconds) } ?? String(part)
        }.joined(separator: ",")
    }

    /// The setting's value in a policy, for display: milliseconds are printed as a duration such as `90s`.
    package func shown(in policy: Policy) -> String {
        let value = text(policy)
        guard milliseconds != nil, let count = Int64(value) else { return value }
        return Interval.milliseconds(count).text
    }

    /// The possible values with their meanings, one per line; nil if the setting has no list of possible values.
    var choiceText: String? {
        guard !choices.isEmpty else { return nil }
        let width = choices.map(\.name.count).max() ?? 0
        return choices.map { "  " + TextWidth.padded($0.name, to: width + 2) + $0.meaning }.joined(separator: "\n")
    }
}

extension AnswerObject {
    /// The settings of a server's policy as JSON objects, for `help --json`.
    package static var policies: [AnswerObject] {
        ServerPolicy.settings.map { setting in
            var object = AnswerObject()
            object.add("policy", setting.key)
            object.add("takes", setting.takes)
            object.add("meaning", setting.meaning)
            object.add("defaults", fields: Dialects.all.map { ($0.profile, setting.shown(in: $0.serverPolicy)) })
            return object
        }
    }
}
