import IMDebugger
import IMLocalData
import IMText

/// Candidates for one argument of a command.
struct ValueCompletion {
    let context: CompletionContext
    let table: CommandTable

    typealias Candidate = LineCompletion.Candidate

    func candidates(for argument: ArgumentInfo, partial: String) -> [Candidate] {
        if !argument.values.isEmpty {
            // The candidates have no help text, because each would repeat the help of the argument.
            return argument.values.map { Candidate($0) }
        }
        switch argument.kind {
        case .client: return named(context.clients, "client")
        case .user: return named(context.users, "user")
        case .device: return named(context.devices, "device") + named(context.clients, "client")
        case .channel: return named(context.channels, "channel")
        case .to: return named(context.users, "user") + named(context.channels, "channel")
        case .profile: return named(context.profiles, "profile")
        case .frame: return named(context.frames, "frame")
        case .state: return context.states.map { Candidate($0, help: "state") }
        case .variable: return named(context.variables, "variable")
        case .duration, .offset: return durations(partial)
        case .setting: return keys(context.settings, "setting", partial)
        case .option: return keys(context.options, "option", partial)
        case .policy: return keys(context.policies, "policy", partial)
        case .clientPolicy: return keys(context.clientPolicies, "setting", partial)
        case .file:
            return context.files(partial).map { Candidate($0, isComplete: !$0.hasSuffix("/")) }
        case .command: return command(after: [], partial: partial)
        case .detail, .callArgument: return []
        case .filter: return filter(after: [], partial: partial, isQuoted: false)
        case .pattern: return pattern(after: [], isNegative: false, partial: partial)
        case .token, .password, .text: return []
        }
    }

    private func named(_ names: [String], _ help: String) -> [Candidate] {
        names.sorted().map { Candidate($0, help: help) }
    }

    /// Completes the key of `key=value`, or the value if the word contains the `=`.
    private func keys(_ names: [String], _ help: String, _ partial: String) -> [Candidate] {
        guard let equals = partial.firstIndex(of: "=") else {
            return names.sorted().map { Candidate($0 + "=", help: help, isComplete: false) }
        }
        let key = String(partial[..<equals])
        return (context.choices[key] ?? []).map { Candidate("\(key)=\($0)", help: "value") }
    }

    /// Completes the arguments of `help`.
    func command(after words: [String], partial: String) -> [Candidate] {
        guard let first = words.first else {
            // There are hundreds of words that `help` explains, so they are only offered after the first letter.
            let known = partial.isEmpty ? [] : HelpText.knownWords.map { Candidate($0) }
            return table.commands.sorted { $0.name < $1.name }.map { Candidate($0.name, help: $0.abstract) }
                + table.groups.map { Candidate("@" + $0.name, help: "group") }
                + HelpText.topics.map { Candidate($0.word, help: $0.abstract) } + known
        }
        if first == HelpText.rulesTopic { return RuleCatalogue.rules.map { Candidate($0.id, help: $0.text) } }
        if first == HelpText.policyTopic { return HelpText.policyWords.map { Candidate($0) } }
        guard let found = table.resolve(words), found.wordCount == words.count else {
            return words.count == 1 ? Lookup.values(ofCallback: first).map { Candidate($0, help: "value") } : []
        }
        return found.command.subcommands.map { Candidate($0.name, help: $0.abstract) }
    }

    /// The possible continuations of a filter. The filter may be one quoted word or several words.
    func filter(after words: [String], partial: String, isQuoted: Bool) -> [Candidate] {
        let typed = (words + [partial]).joined(separator: " ")
        let (length, candidates) = FilterCompletion.completion(for: typed, nodes: context.clients)
        return candidates.map { Candidate(partial.dropLast(length) + $0, isComplete: !isQuoted) }
    }

    /// Completes the argument after the subject of `query`.
    func detail(after words: [String]) -> [Candidate] {
        switch words.first.flatMap(QuerySubject.init(rawValue:))?.detail {
        case .channel: named(context.channels, "channel")
        case .user: named(context.users, "user")
        case .kind: QuerySubject.itemKinds.map { Candidate($0, help: "kind") }
        case .conversation: named(context.users, "user")
        case nil, .some(.none): []
        }
    }

    /// Completes `name=value` of a call: a name that the call does not have yet, or the value if the word contains the
    /// `=`.
    func callArguments(after words: [String], partial: String) -> [Candidate] {
        guard let parameters = words.first.flatMap(CallArgument.init(word:))?.parameters else { return [] }
        if let equals = partial.firstIndex(of: "=") {
            let name = String(partial[..<equals])
            let values = parameters.first { $0.name == name }?.parameter.kind.words ?? []
            return values.map { Candidate("\(name)=\($0)", help: "value") }
        }
        let typedNames = Set(words.dropFirst().compactMap { KeyValue($0)?.key })
        return parameters.filter { !typedNames.contains($0.name) }.map {
            Candidate($0.name + "=", help: $0.parameter.what, isComplete: false)
        }
    }

    /// The typed number with each unit; durations with the number 5 if no number is typed.
    func durations(_ partial: String) -> [Candidate] {
        let digits = partial.prefix { $0.isNumber || $0 == "." || $0 == "+" || $0 == "-" }
        let number = digits.last?.isNumber == true ? String(digits) : String(digits) + "5"
        return [("ms", "milliseconds"), ("s", "seconds"), ("m", "minutes"), ("h", "hours")]
            .map { Candidate(number + $0.0, help: $0.1) }
    }

    /// Completes the next word of an expectation; `words` are the words before it.
    func pattern(after words: [String], isNegative: Bool, partial: String) -> [Candidate] {
        var words = words[...]
        var isNegative = isNegative
        if words.first == "none" {
            words = words.dropFirst()
            isNegative = true
        } else if words.isEmpty {
            let none = isNegative ? [] : [Candidate("none", help: "no such event within a time")]
            return subjects + none
        }
        guard let first = words.first else { return subjects }
        guard let kind = ObservedEvent.Kind(rawValue: first) else { return [] }
        switch words.last {
        case ExpectClause.Suffix.within.rawValue, ExpectClause.Suffix.for.rawValue:
            return durations(partial)
        case ExpectClause.Suffix.as.rawValue:
            return context.variables.sorted().map { Candidate("$" + $0, help: "variable") }
        default:
            return expectationCandidates(kind, Array(words.dropFirst()), isNegative: isNegative, partial: partial)
        }
    }

    private var subjects: [Candidate] {
        ObservedEvent.Kind.allCases.map { Candidate($0.rawValue, help: help(for: $0)) }
    }

    private func help(for kind: ObservedEvent.Kind) -> String {
        switch kind {
        case .state: "the client changes to this state"
        case .callback: "the SDK calls a callback"
        case .frame: "a frame is received or sent"
        case .result: "a command completes"
        case .output: "the shell prints this"
        case .event: "an event that matches a filter"
        }
    }

    /// Completes `field=value` of a callback: a field that the expectation does not contain yet, or the value if the
    /// word contains the `=`.
    private func fields(of callback: String, used: ArraySlice<String>, _ partial: String) -> [Candidate] {
        let fields = context.callbackFields[callback] ?? []
        if let equals = partial.firstIndex(of: "=") {
            let sign = partial[..<equals].hasSuffix("!") ? "!" : ""
            let key = partial[..<equals].dropLast(sign.count)
            let values = fields.filter { $0.name == key }.flatMap(\.values)
            return values.map { Candidate("\(key)\(sign)=\($0)", help: "value") }
        }
        let names = Set(used.compactMap { KeyValue($0)?.key })
        guard used.last.flatMap(ExpectClause.Suffix.init(rawValue:)) == nil else { return [] }
        return fields.filter { !names.contains($0.name) }
            .map { Candidate($0.name + "=", help: "field", isComplete: false) }
    }

    private func expectationCandidates(
        _ kind: ObservedEvent.Kind, _ words: [String], isNegative: Bool, partial: String
    ) -> [Candidate] {
        let suffixes = suffixes(isNegative: isNegative, used: words)
        switch (kind, words.count) {
        case (.state, 0): return context.states.map { Candidate($0, help: "state") }
        case (.callback, 0): return named(context.callbacks, "callback")
        case (.frame, 0): return ObservedEvent.Direction.allCases.map { Candidate($0.rawValue, help: "direction") }
        case (.frame, 1): return named(context.frames, "frame")
        case (.result, 0):
            return ExpectClause.Outcome.allCases.map { Candidate($0.rawValue, help: "outcome") }
                + [Candidate("code=", help: "the code of the completion", isComplete: false)]
        case (.output, 0), (.event, _): return []
        case (.callback, _): return fields(of: words[0], used: words.dropFirst(), partial) + suffixes
        default: return suffixes
        }
    }

    func suffixes(isNegative: Bool, used: [String]) -> [Candidate] {
        let all: [(ExpectClause.Suffix, String)] =
            isNegative
            ? [(.for, "the time in which none may come")]
            : [(.within, "the maximum wait for it"), (.as, "store the event in a variable")]
        return all.filter { !used.contains($0.0.rawValue) }.map { Candidate($0.0.rawValue, help: $0.1) }
    }
}
