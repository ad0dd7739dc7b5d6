import ArgumentParser
import IMDebugger
import IMLocalData
import IMProfiles
import IMText

/// What `help` tells of besides commands.
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
        (profilesTopic, "the five systems"), (rulesTopic, "what they do: 'help rules NIM-4', 'help rules kick'"),
        (recordingsTopic, "what to do with a recording"),
        (scriptsTopic, "how to write a script, and run it as a test"),
        (callsTopic, "calls on local data: 'help calls NAME' says what one takes"),
        (policyTopic, "the numbers of each SDK, and where each comes from"),
        (jsonTopic, "how programs talk with the shell"),
        (filterTopic, "conditions on the events of recordings"),
    ]

    /// What `help` explains besides commands and topics: rules, systems under all their names, and the words of ``Lookup``.
    package static let knownWords: [String] = {
        let names = RuleCatalogue.rules.map(\.id) + Dialects.all.map(\.profile) + Lookup.profileNames.keys
        let other = Set(names + Lookup.words).subtracting(CommandTable.shell.names).subtracting(topics.map(\.word))
        return other.sorted()
    }()

    /// The text of a topic; nil when the word names none. The id of a rule and the name of a profile ask for rules.
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
            return try rules([profile] + rest)
        }
        guard rest.isEmpty else { throw WordError(1, "nothing follows 'help \(word)'") }
        return text
    }

    /// The rules of the five systems, all or those that the words find.
    private func rules(_ words: [String]) throws(WordError) -> String {
        let groups = RuleCatalogue.search(words)
        guard !groups.isEmpty else {
            throw WordError(1, "no rule has '\(words.joined(separator: " "))'", hint: "'help rules' lists all")
        }
        let isOne = groups.count == 1 && groups[0].rules.count == 1
        func text(_ rule: Rule) -> String {
            let details = isOne && !rule.details.isEmpty ? " " + rule.details : ""
            return rule.text + details + (rule.isBuilt ? "" : " (Not built yet.)")
        }
        let sections = groups.map { group in
            ([group.title.uppercased()] + rows(group.rules.map { ($0.id, text($0)) })).joined(separator: "\n")
        }
        let sessions = isOne ? library.sessions(ofRule: groups[0].rules[0].id) : []
        let shown = sessions.flatMap { Self.fill($0.line, width: width, indent: 2, hanging: 4) }
        return (sections + (shown.isEmpty ? [] : [shown.joined(separator: "\n")])).joined(separator: "\n\n")
    }

    /// The calls on local data, or what one of them takes.
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
                let title = "THE SAME UNDER THE NAMES OF \(dialect.title.uppercased())"
                return ([title] + rows(names.map { ($0.name, $0.call.name) })).joined(separator: "\n")
            }
            return (sections + others).joined(separator: "\n\n")
        }
        guard let call = CallArgument(word: word) else {
            throw WordError(
                1, "there is no call '\(word)'", hint: Suggestion.hint(for: word, among: CallArgument.allValueStrings))
        }
        guard words.count == 1 else { throw WordError(2, "nothing follows 'help calls \(word)'") }
        let takes = call.parameters.map { name, parameter in
            let defaultValue = parameter.defaultValue.map { $0.isEmpty ? "" : ", else \($0)" } ?? ", must be given"
            return (name, "\(parameter.what): \(parameter.kind.takes)\(defaultValue)")
        }
        let head = "\(word): \(call.call.declaration.abstract)"
        return ([head] + (takes.isEmpty ? [] : ["", "TAKES"] + rows(takes))).joined(separator: "\n")
    }

    /// The systems there are.
    private var profiles: String {
        (["PROFILES"] + rows(Dialects.all.map { ($0.profile, $0.title) })
            + [
                "", "'imrepl --profile NAME' begins with one, 'use NAME' changes to it, 'help NAME' says what it does.",
            ])
            .flatMap { Self.fill($0, keepingShort: width) }.joined(separator: "\n")
    }

    /// What is done with recordings, which is done in the terminal and not at this prompt.
    private var recordings: String {
        let about = Self.fill(
            "All that happens is recorded while it happens; 'status' says into which file. These commands are for the "
                + "terminal; 'last' is the newest recording, and a recording is also found by its name in 'sessions'.",
            width: width, indent: 0, hanging: 0)
        return
            (about + [
                "", "EXAMPLES", "  imrepl sessions", "  imrepl show last --filter 'kind == transition'",
                "  imrepl verify last", "  imrepl replay last", "  imrepl export last --as html",
                "  imrepl sessions search 'callback == onKick and in-state == syncing'", "", "COMMANDS OF THE TERMINAL",
            ] + rows(TerminalCommand.allCases.map { ($0.rawValue, $0.abstract) }) + [
                "", "'imrepl help COMMAND' says more.",
            ])
            .joined(separator: "\n")
    }

    /// How scripts are written and run.
    private var scripts: String {
        let keys: [(String, String)] = ScriptMetadata.Key.allCases.map { key in
            switch key {
            case .title: (key.rawValue, "one line about the scenario")
            case .profile: (key.rawValue, "the system it is told for")
            case .rules: (key.rawValue, "ids of the rules that it shows")
            case .world: (key.rawValue, "live or simulated, when it can run in one of them only")
            case .because: (key.rawValue, "why it can")
            case .seed: (key.rawValue, "the seed of everything random")
            case .order: (key.rawValue, "drawn: the seed orders what is due at the same moment")
            case .timeScale: (key.rawValue, "how many times as fast the live clock runs")
            case .strict: (key.rawValue, "true: no account or token is made by itself")
            }
        }
        return
            ([
                "A script is a file of lines as they are typed here; its first line says so.", "", "EXAMPLE",
            ] + Self.scriptExample.map { $0.isEmpty ? "" : "  \($0)" } + ["", "HEAD"]
            + rows(keys.map { ("# \($0.0):", $0.1) })
            + [
                "", "IN THE TERMINAL", "  imrepl run kick.imr",
                "  imrepl run kick.imr user=bob            $user is bob in it",
                "  imrepl test kick.imr --junit out.xml    one line each, and a file for CI",
                "  imrepl test scenarios                     every script in a folder",
                "  imrepl export last --as script          a script of what was recorded", "",
            ]
            + Self.fill(
                "Commands begin things and return; only 'wait' and 'expect' let time pass. A script stops at the first "
                    + "line that fails, and as a test it has to expect something. '! COMMAND' must fail. 'help expect' "
                    + "says what can be expected.", width: width, indent: 0, hanging: 0))
            .joined(separator: "\n")
    }

    /// The conversation of a program with the shell: the table of ``AnswerObject``.
    private var json: String {
        let about = Self.fill(
            "'imrepl --json' and 'imrepl replay FILE --json' read lines from the standard input as they arrive, and "
                + "answer each with objects, one a line, on the standard output. A line that fails does not end the "
                + "conversation, unless 'set on-error=stop' was said; the exit code tells of it in the end. 'sessions', "
                + "'test', 'verify', 'diff', 'report' and 'shrink' print rows and an end with --json.",
            width: width, indent: 0, hanging: 0)
        var lines = about + ["", "EXAMPLE", "  echo 'login alice' | imrepl --json | jq 'select(.type == \"done\")'"]
        lines +=
            ["", "EVERY OBJECT"] + rows([("schema", "number: \(AnswerObject.schema)"), ("type", "text: its kind")])
        for kind in AnswerObject.Kind.allCases {
            lines += ["", kind.rawValue.uppercased()]
            lines += Self.fill(kind.meaning, width: width, indent: 2, hanging: 2)
            lines += rows(
                kind.members.map { ($0.name, "\($0.takes): \($0.meaning)" + ($0.isAlways ? "" : "; not always")) })
        }
        return lines.joined(separator: "\n")
    }

    static let scriptExample = [
        "#! imrepl script 1", "# title: a pad kicks a phone", "# profile: nim", "", "client new phone",
        "client new pad", "@phone login alice", "@phone expect state online within 5s", "@pad login alice",
        "@phone expect callback onKick within 2s", "@phone expect-none frame out login for 1m",
    ]

    /// Breaks a line only when it is too long.
    private static func fill(_ line: String, keepingShort width: Int) -> [String] {
        line.count <= width ? [line] : fill(line, width: width, indent: 0, hanging: 0)
    }
}
