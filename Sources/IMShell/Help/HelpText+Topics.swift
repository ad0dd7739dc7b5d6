import ArgumentParser
import IMDebugger
import IMLocalData
import IMProfiles
import IMText

/// The topics of `help` that are not commands.
extension HelpText {
    static let rulesTopic = "rules"
    static let profilesTopic = "profiles"
    static let filterTopic = "filter"
    static let scriptsTopic = "scripts"
    static let recordingsTopic = "recordings"
    static let jsonTopic = "json"
    static let callsTopic = "calls"
    static let policyTopic = "policy"

    package static let topics: [(word: String, abstract: String)] = [
        (profilesTopic, "the five systems"),
        (rulesTopic, "the rules: 'help rules NIM-4', 'help rules kick'"),
        (recordingsTopic, "how to use recordings"),
        (scriptsTopic, "how to write scripts and run them as tests"),
        (callsTopic, "calls on local data: 'help calls NAME' lists the arguments"),
        (policyTopic, "the settings of each SDK, and the source of each value"),
        (jsonTopic, "the JSON interface for programs"),
        (filterTopic, "conditions on the events of recordings"),
    ]

    /// The words that `help` explains and that are neither commands nor topics: ids of rules, names of systems, and the
    /// words of ``Lookup``.
    package static let knownWords: [String] = {
        let names =
            RuleCatalogue.rules.map(\.id) + Dialects.all.map(\.profile) + ProfileVersion.all.map(\.name)
            + Lookup.profileNames.keys
        let other = Set(names + Lookup.words).subtracting(CommandTable.shell.names).subtracting(topics.map(\.word))
        return other.sorted()
    }()

    /// The text of a topic; nil for an unknown topic. A rule's id and a profile's name also count as topics: their text
    /// is the rule, or the rules of the profile.
    package func topic(_ word: String, _ rest: [String] = []) throws(WordError) -> String? {
        if word == Self.rulesTopic { return try rules(rest) }
        if word == Self.callsTopic { return try calls(rest) }
        if word == Self.policyTopic { return try policy(rest) }
        let text: String
        switch word {
        case Self.profilesTopic: text = profiles
        case Self.filterTopic: text = FilterHelp.text(width: width)
        case Self.scriptsTopic: text = scripts
        case Self.jsonTopic: text = json
        case Self.recordingsTopic: text = recordings
        default:
            let isRule = RuleCatalogue.rules.contains { $0.id.lowercased() == word.lowercased() }
            let profile = Lookup.profileNames[word.lowercased()] ?? word
            guard isRule || Dialects.named(profile.lowercased()) != nil else { return nil }
            let version = ProfileVersion.all.first { $0.name == profile.lowercased() }
            return try rules([profile] + rest) + (rest.isEmpty ? version.map(differences) ?? "" : "")
        }
        guard rest.isEmpty else { throw WordError(1, "nothing follows 'help \(word)'") }
        return text
    }

    /// The text of `help rules`: the rules of all systems, or the rules that contain all given words.
    private func rules(_ words: [String]) throws(WordError) -> String {
        let groups = RuleCatalogue.search(words)
        guard !groups.isEmpty else {
            throw WordError(1, "no rule matches '\(words.joined(separator: " "))'", hint: "'help rules' lists all")
        }
        let isSingleRule = groups.count == 1 && groups[0].rules.count == 1
        func text(_ rule: Rule) -> String {
            let details = isSingleRule && !rule.details.isEmpty ? " " + rule.details : ""
            return rule.text + details + (rule.isImplemented ? "" : " (Not implemented yet.)")
        }
        let sections = groups.map { group in
            ([group.title.uppercased()] + rows(group.rules.map { ($0.id, text($0)) })).joined(separator: "\n")
        }
        let sessions = isSingleRule ? library.sessions(ofRule: groups[0].rules[0].id) : []
        let shown = sessions.flatMap { Self.fill($0.line, width: width, indent: 2, hanging: 4) }
        return (sections + (shown.isEmpty ? [] : [shown.joined(separator: "\n")])).joined(separator: "\n\n")
    }

    /// The changes of an SDK version according to the vendor's migration guide, and the parts of the version that this
    /// program does not simulate; empty for the first version.
    private func differences(of version: ProfileVersion) -> String {
        let guide = version.removed.isEmpty ? [] : MigrationNote.texts(of: version.name)
        return [
            ("CHANGES IN \(version.name)", guide), ("REMOVED IN \(version.name)", version.removed),
            ("NOT MODELLED IN \(version.name)", version.notModelled),
        ].filter { !$0.1.isEmpty }.map { title, lines in
            let filled = lines.flatMap { Self.fill($0, width: width, indent: 2, hanging: 4) }
            return "\n\n" + ([title] + filled).joined(separator: "\n")
        }.joined()
    }

    /// The text of `help calls`: the list of calls on local data, or the arguments of one call.
    private func calls(_ words: [String]) throws(WordError) -> String {
        guard let word = words.first else {
            let sections = LocalDeclaration.Topic.allCases.map { topic in
                let calls = LocalCall.allCases.map(\.declaration).filter { $0.topic == topic }
                return ([topic.rawValue.uppercased()] + rows(calls.map { ($0.name, $0.abstract) })).joined(
                    separator: "\n")
            }
            let others = Dialects.all.compactMap { dialect -> String? in
                let names = LocalCallName.all.filter { $0.profile == dialect.profile }
                guard !names.isEmpty, dialect.clientPolicy.features.contains(.localCalls) else { return nil }
                let title = "NAMES IN \(dialect.title.uppercased())"
                return ([title] + rows(names.map { ($0.name, $0.call.name) })).joined(separator: "\n")
            }
            return (sections + others).joined(separator: "\n\n")
        }
        guard let call = CallArgument(word: word) else {
            throw WordError(
                1, "there is no call '\(word)'", hint: Suggestion.hint(for: word, among: CallArgument.allValueStrings))
        }
        guard words.count == 1 else { throw WordError(2, "nothing follows 'help calls \(word)'") }
        let arguments = call.parameters.map { name, parameter in
            let defaultValue = parameter.defaultValue.map { $0.isEmpty ? "" : ", default \($0)" } ?? ", required"
            return (name, "\(parameter.what): \(parameter.kind.takes)\(defaultValue)")
        }
        let head = "\(word): \(call.call.declaration.abstract)"
        return ([head] + (arguments.isEmpty ? [] : ["", "TAKES"] + rows(arguments))).joined(separator: "\n")
    }

    /// The text of `help profiles`.
    private var profiles: String {
        (["PROFILES"] + rows(Dialects.all.map { ($0.profile, $0.title) })
            + [
                "",
                "'imrepl --profile NAME' starts with a profile, 'use NAME' switches to it, 'help NAME' explains it.",
            ])
            .flatMap { Self.fill($0, keepingShort: width) }.joined(separator: "\n")
    }

    /// The text of `help recordings`. The commands for recordings run in the terminal and not at the shell's prompt.
    private var recordings: String {
        let about = Self.fill(
            "Every event is recorded at once; 'status' prints the file. Type these commands in the terminal. 'last' is "
                + "the newest recording; the names in 'sessions' also work.",
            width: width, indent: 0, hanging: 0)
        return
            (about + [
                "", "EXAMPLES", "  imrepl sessions", "  imrepl show last --filter 'kind == transition'",
                "  imrepl verify last", "  imrepl replay last", "  imrepl export last --as html",
                "  imrepl sessions search 'callback == onKick and in-state == syncing'", "", "COMMANDS OF THE TERMINAL",
            ] + rows(TerminalCommand.allCases.map { ($0.rawValue, $0.abstract) }) + [
                "", "'imrepl help COMMAND' explains a command.",
            ])
            .joined(separator: "\n")
    }

    /// The text of `help scripts`.
    private var scripts: String {
        let keys: [(String, String)] = ScriptMetadata.Key.allCases.map { key in
            switch key {
            case .title: (key.rawValue, "one line about the scenario")
            case .profile: (key.rawValue, "the system")
            case .rules: (key.rawValue, "ids of the rules that it demonstrates")
            case .world: (key.rawValue, "live or simulated, if it can run only in one of them")
            case .because: (key.rawValue, "the reason for world")
            case .seed: (key.rawValue, "the random seed")
            case .order: (key.rawValue, "drawn: the seed orders simultaneous events")
            case .timeScale: (key.rawValue, "the speed of the live clock; 20 is twenty times as fast")
            case .strict: (key.rawValue, "true: accounts and tokens are not created automatically")
            }
        }
        return
            ([
                "A script is a file of lines that you type here. Its first line identifies it.", "", "EXAMPLE",
            ] + Self.scriptExample.map { $0.isEmpty ? "" : "  \($0)" } + ["", "HEAD"]
            + rows(keys.map { ("# \($0.0):", $0.1) })
            + [
                "", "IN THE TERMINAL", "  imrepl run kick.imr",
                "  imrepl run kick.imr user=bob            sets $user to bob",
                "  imrepl test kick.imr --junit out.xml    one line per script, a file for CI",
                "  imrepl test scenarios                   every script in a folder",
                "  imrepl export last --as script          a script of the recording", "",
            ]
            + Self.fill(
                "Commands return at once; only 'wait' and 'expect' let time pass. A script stops at the first line "
                    + "that fails. A test needs at least one 'expect'. '! COMMAND' must fail. 'help expect' describes "
                    + "expectations.", width: width, indent: 0, hanging: 0))
            .joined(separator: "\n")
    }

    /// The text of `help json`, generated from the table in ``AnswerObject``.
    private var json: String {
        let about = Self.fill(
            "'imrepl --json' and 'imrepl replay FILE --json' read lines from the standard input as they arrive. They "
                + "answer each line with objects on the standard output, one object a line. A line that fails does "
                + "not end the conversation, unless 'set on-error=stop' is set; the exit code then is not 0. With "
                + "--json, 'sessions', 'test', 'verify', 'diff', 'report' and 'shrink' print row objects and an end "
                + "object.",
            width: width, indent: 0, hanging: 0)
        var lines = about + ["", "EXAMPLE", "  echo 'login alice' | imrepl --json | jq 'select(.type == \"done\")'"]
        lines +=
            ["", "EVERY OBJECT"] + rows([("schema", "number: \(AnswerObject.schema)"), ("type", "text: its kind")])
        for kind in AnswerObject.Kind.allCases {
            lines += ["", kind.rawValue.uppercased()]
            lines += Self.fill(kind.meaning, width: width, indent: 2, hanging: 2)
            lines += rows(
                kind.members.map { ($0.name, "\($0.type): \($0.meaning)" + ($0.isRequired ? "" : "; not always")) })
        }
        return lines.joined(separator: "\n")
    }

    static let scriptExample = [
        "#! imrepl script 1", "# title: a pad kicks a phone", "# profile: nim", "", "client new phone",
        "client new pad", "@phone login alice", "@phone expect state online within 5s", "@pad login alice",
        "@phone expect callback onKick within 2s", "@phone expect-none frame out login for 1m",
    ]

    /// Breaks a line at blanks if it is longer than `width`; otherwise its blanks do not change.
    private static func fill(_ line: String, keepingShort width: Int) -> [String] {
        line.count <= width ? [line] : fill(line, width: width, indent: 0, hanging: 0)
    }
}
