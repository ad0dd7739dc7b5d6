import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMText

/// `help policy`: the settings of the vendors' SDKs, and the source of each value.
extension HelpText {
    /// The text of `help policy`: all settings of all systems, all settings of the named system, or the named setting
    /// of all systems.
    func policy(_ words: [String]) throws(WordError) -> String {
        guard words.count <= 1 else { throw WordError(2, "nothing follows 'help policy \(words[0])'") }
        let word = words.first
        let settings = Self.settings(named: word)
        let dialects = Self.dialects(named: word)
        guard !settings.isEmpty else {
            let known = Self.policyWords
            throw WordError(
                1, "there is no profile or client policy '\(word ?? "")'",
                hint: Suggestion.nearest(to: word ?? "", among: known).map { "did you mean '\($0)'?" })
        }
        var lines = Self.fill(
            "The settings of a client's SDK. 'client policy KEY=VALUE' changes a setting for clients that are created "
                + "later. A value is documented by the vendor (with the rule that quotes it), measured in field logs, "
                + "or assumed.",
            width: width, indent: 0, hanging: 0)
        for setting in settings {
            lines += ["", setting.key.uppercased()]
            lines += Self.fill("\(setting.meaning); takes \(setting.takes)", width: width, indent: 2, hanging: 2)
            lines += rows(
                dialects.map { ($0.profile, "\(setting.text($0.clientPolicy)), \($0.source(of: setting.key).text)") })
        }
        return lines.joined(separator: "\n")
    }

    /// The settings as JSON objects, for the same words as `policy(_:)`.
    static func settings(_ word: String?) -> [AnswerObject] {
        settings(named: word).flatMap { setting in
            dialects(named: word).map { dialect in
                var object = AnswerObject()
                object.add("policy", setting.key)
                object.add("profile", dialect.profile)
                object.add("value", setting.text(dialect.clientPolicy))
                object.add("takes", setting.takes)
                object.add("meaning", setting.meaning)
                object.add("source", dialect.source(of: setting.key).text)
                return object
            }
        }
    }

    /// The words that can follow `help policy`.
    static var policyWords: [String] { Dialects.all.map(\.profile) + ClientPolicy.settings.map(\.key) }

    private static func settings(named word: String?) -> [PolicySetting<ClientPolicy>] {
        guard let word, Dialects.named(word) == nil else { return ClientPolicy.settings }
        return ClientPolicy.settings.filter { $0.key == word }
    }

    private static func dialects(named word: String?) -> [any Dialect] {
        word.flatMap { Dialects.named($0) }.map { [$0] } ?? Dialects.all
    }
}
