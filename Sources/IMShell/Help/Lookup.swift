import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession

/// Explains a word from a log or a screen: a code, a callback, a value of an enum, a state, a frame, a field, a fault
/// or a policy.
struct Lookup {
    /// One meaning of the word, in one system or in all systems.
    struct Entry {
        /// The dialect of the system; nil for a meaning that is the same in all systems.
        var dialect: (any Dialect)?
        var lines: [String]
        /// The rules that mention the word.
        var rules: [Rule] = []
        /// The sessions that demonstrate the meaning.
        var sessions: [LibraryIndex.Session] = []
        /// Returns true if a command of a script, as words, demonstrates the meaning.
        var demonstrates: ([Substring]) -> Bool = { _ in false }

        var system: String { dialect?.title ?? "" }
        /// The lines that `help` prints for the meaning.
        var text: [String] { lines + rules.map { "\($0.id): \($0.text)" } + sessions.map(\.line) }
    }

    /// Other common names of the systems, in lower case, with the profile of each.
    static let profileNames = [
        "netease": "nim", "yunxin": "nim", "云信": "nim", "zego": "zim", "即构": "zim", "easemob": "agora-chat",
        "hyphenate": "agora-chat", "huanxin": "agora-chat", "环信": "agora-chat", "rtm": "agora-rtm",
        "firebase": "wilddog", "野狗": "wilddog",
    ]

    private static let callMax = 4

    /// All meanings of one word, of the words of a glossary term, or of a callback and the number of a value; empty if
    /// the words are unknown.
    static func entries(for words: [String], library: LibraryIndex = LibraryIndex()) -> [Entry] {
        if words.count > 1, let term = Glossary.term(words.joined(separator: " ")) {
            return [Entry(lines: [term.line])]
        }
        guard let first = words.first, words.count <= 2 else { return [] }
        let value = words.count == 2 ? words[1] : nil
        let systems = Dialects.all.flatMap { meanings(of: first, value, $0) }
        let (exact, lowercase) = (common(first), common(first.lowercased()))
        let shared = (lowercase.first?.lines.count ?? 0) > (exact.first?.lines.count ?? 0) ? lowercase : exact
        // A later version of an SDK is only searched if its first version does not have the word.
        let known = systems.compactMap { $0.dialect?.profile }
        let later = Dialects.versions.filter { !known.contains(ProfileVersion.base(of: $0.profile)) }
            .flatMap { meanings(of: first, value, $0) }
        let found = value == nil ? systems + shared + later : systems + later
        if found.isEmpty {
            if let name = VendorSpelling.tableName(of: first), name != first {
                return entries(for: [name] + words.dropFirst(), library: library)
            }
            return value == nil && first.contains { $0.isUppercase || $0.isNumber } ? migrations(first) : []
        }
        return found.map { entry in
            var entry = entry
            entry.sessions = library.sessions(
                of: entry.dialect?.profile, about: first, rules: entry.rules.map(\.id), where: entry.demonstrates)
            return entry
        }
    }

    /// The lines of the vendors' migration guides that mention a word.
    private static func migrations(_ word: String) -> [Entry] {
        ProfileVersion.all.filter { !$0.removed.isEmpty }.compactMap { version in
            let lines = MigrationNote.lines(mentioning: word, of: version)
            return lines.isEmpty ? nil : Entry(dialect: version.dialect, lines: lines)
        }
    }

    private static func meanings(of word: String, _ value: String?, _ dialect: any Dialect) -> [Entry] {
        guard value == nil else { return callbacks(word, value, dialect) }
        let found = codes(word, dialect)
        return (found.isEmpty ? vendorCodes(word, dialect) : found) + states(word, dialect)
            + callbacks(word, value, dialect)
    }

    /// All words that have a meaning, for suggestions and completion.
    static let words: [String] = {
        var words: Set<String> = Set(ClientState.allCases.map(\.name) + FrameBody.names)
        words.formUnion(FieldName.allCases.filter { $0.meaning != nil }.map(\.rawValue))
        words.formUnion(ServerPolicy.settings.map(\.key) + ClientPolicy.settings.map(\.key))
        words.formUnion(faults + Glossary.names)
        words.formUnion(VendorCode.all.flatMap { [String($0.number), $0.name] })
        for dialect in Dialects.withVersions {
            words.formUnion(codes(of: dialect).flatMap { [String($0.code.number), $0.code.name] })
            words.formUnion(ClientState.allCases.compactMap { dialect.name(of: $0) })
            for shape in dialect.callbacks {
                words.insert(shape.name)
                for value in shape.fields.flatMap(\.values) { words.insert(name(of: value)) }
            }
        }
        return words.sorted()
    }()

    /// The numbers of the values that a callback's fields can have.
    static func values(ofCallback name: String) -> [String] {
        let shapes = Dialects.withVersions.flatMap(\.callbacks).filter { $0.name == name }
        let values = shapes.flatMap(\.numberedValues).flatMap { $0 }
        return Set(values.compactMap { number(of: $0) }).sorted { (Int($0) ?? 0, $0) < (Int($1) ?? 0, $1) }
    }

    /// The text that `help` prints for the meanings.
    static func text(_ entries: [Entry], width: Int) -> String {
        entries.map { entry in
            let title = entry.system.isEmpty ? [] : [entry.system.uppercased()]
            return (title + entry.text.flatMap { HelpText.fill($0, width: width, indent: 2, hanging: 4) })
                .joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    // MARK: Codes

    static func codes(of dialect: any Dialect) -> [(code: Code, status: Status, call: CallKind)] {
        CallKind.allCases.flatMap { call in
            Status.allCases.map { (dialect.code(for: $0, of: call), $0, call) }
        }
    }

    private static func codes(_ word: String, _ dialect: any Dialect) -> [Entry] {
        let found = codes(of: dialect).filter {
            String($0.code.number) == word || $0.code.name.lowercased() == word.lowercased()
        }
        return grouped(found).map { code, meanings in
            let lines = meanings.map { meaning, calls in
                let callList = calls.count > callMax ? "" : " (\(calls.joined(separator: ", ")))"
                return meaning.meaning + callList + (meaning.advice.isEmpty ? "" : "; \(meaning.advice)")
            }
            let texts: Set<String> = [String(code.number), code.name, code.description]
            return Entry(
                dialect: dialect, lines: [code.description] + lines, rules: rules(mentioning: word, dialect),
                demonstrates: { has($0, fields: codeFields, values: texts) })
        }
    }

    /// Each code once, with its meanings, and the calls that return the code with a meaning.
    static func grouped(
        _ codes: [(code: Code, status: Status, call: CallKind)]
    ) -> [(code: Code, meanings: [(meaning: StatusMeaning, calls: [String])])] {
        codes.map(\.code).uniqued.map { code in
            let uses = codes.filter { $0.code == code }
            let meanings = Status.allCases.map { status in
                let calls = uses.filter { $0.status == status }.map(\.call.word).uniqued
                return (meaning: StatusMeaning(of: status), calls: calls)
            }
            return (code, meanings.filter { !$0.calls.isEmpty })
        }
    }

    /// The meanings of codes that the vendor documents but that no simulated call returns.
    private static func vendorCodes(_ word: String, _ dialect: any Dialect) -> [Entry] {
        VendorCode.named(word, of: dialect.profile).map { code in
            Entry(
                dialect: dialect,
                lines: [code.text, code.meaning.isEmpty ? "the vendor gives no meaning" : code.meaning],
                rules: rules(mentioning: String(code.number), dialect))
        }
    }

    // MARK: Callbacks and states

    static func name(of value: String) -> String { String(value.prefix { $0 != "(" }) }

    /// The number of a value: `9` for `NIMLoginStepLoseConnection(9)`; nil if the value has none.
    static func number(of value: String) -> String? {
        value.hasSuffix(")")
            ? value.firstIndex(of: "(").map { String(value[value.index(after: $0)...].dropLast()) } : nil
    }

    /// The names of the fields of results and callbacks that contain a code.
    private static let codeFields = ["code", "error", "errorCode", "status"]

    /// True if the command contains `field=value` for one of the fields and one of the values.
    private static func has(_ command: [Substring], fields: [String], values: Set<String>) -> Bool {
        command.contains { word in
            guard let equals = word.firstIndex(of: "=") else { return false }
            return fields.contains(String(word[..<equals]))
                && values.contains(String(word[word.index(after: equals)...]))
        }
    }

    private static func names(of value: String) -> Set<String> {
        Set([value, name(of: value), number(of: value)].compactMap { $0 })
    }

    private static func callbacks(_ word: String, _ value: String?, _ dialect: any Dialect) -> [Entry] {
        var entries: [Entry] = []
        for shape in dialect.callbacks {
            if shape.name.lowercased() == word.lowercased() {
                var lines = ["callback \(shape.name)"]
                for (field, all) in zip(shape.fields.map(\.name), shape.numberedValues) {
                    let values = all.uniqued
                    let shown = value == nil ? values : values.filter { $0.hasSuffix("(\(value ?? ""))") }
                    if value == nil || !shown.isEmpty { lines.append(([field + ":"] + shown).joined(separator: " ")) }
                }
                if value != nil, lines.count == 1 { continue }
                let values = zip(shape.fields.map(\.name), shape.numberedValues).flatMap { field, all in
                    all.filter { $0.hasSuffix("(\(value ?? ""))") }.map { (field, names(of: $0)) }
                }
                entries.append(
                    Entry(
                        dialect: dialect, lines: lines, rules: rules(mentioning: shape.name, dialect),
                        demonstrates: { command in
                            command.contains { $0 == shape.name }
                                && (value == nil || values.contains { has(command, fields: [$0], values: $1) })
                        }))
            } else if value == nil {
                for (field, values) in zip(shape.fields.map(\.name), shape.numberedValues) {
                    for found in Set(values).sorted()
                    where name(of: found).lowercased() == word.lowercased() || found == word {
                        let lines = ["\(found): a value of \(field) in the callback \(shape.name)"]
                        entries.append(
                            Entry(
                                dialect: dialect, lines: lines, rules: rules(mentioning: word, dialect),
                                demonstrates: { command in
                                    command.contains { $0 == shape.name }
                                        && has(command, fields: [field], values: names(of: found))
                                }))
                    }
                }
            }
        }
        return entries
    }

    private static func states(_ word: String, _ dialect: any Dialect) -> [Entry] {
        ClientState.allCases.compactMap { state in
            guard let name = dialect.name(of: state),
                self.name(of: name).lowercased() == word.lowercased() || name == word
            else { return nil }
            return Entry(
                dialect: dialect, lines: ["\(name): the vendor's name of the state \(state.name)"],
                rules: rules(mentioning: word, dialect), demonstrates: { isState($0, state.name) })
        }
    }

    // MARK: Words of all systems

    private static func isState(_ command: [Substring], _ name: String) -> Bool {
        command.indices.dropLast().contains { command[$0] == "state" && command[$0 + 1] == name }
    }

    /// True if the command contains the two words one after the other. The second may also be the key of `key=value`.
    private static func has(_ command: [Substring], _ first: String, _ last: String) -> Bool {
        command.indices.dropLast().contains {
            command[$0] == first && (command[$0 + 1] == last || command[$0 + 1].hasPrefix(last + "="))
        }
    }

    static let faults = [
        "down", "up", "switch", "half-open", "reset", "delay", "loss", "drop", "hold", "duplicate",
    ]

    private static func common(_ word: String) -> [Entry] {
        var lines: [String] = []
        if let state = ClientState.allCases.first(where: { $0.name == word }) {
            lines.append("\(word): a state of a client; 'show --filter \"to == \(word)\"' finds it")
            for dialect in Dialects.all {
                if let name = dialect.name(of: state) { lines.append("\(dialect.title): \(name)") }
            }
        }
        if FrameBody.names.contains(word) {
            lines.append("\(word): a frame; 'net drop \(word)' drops it, 'show --filter \"frame == \(word)\"' finds it")
        }
        if let meaning = FieldName(rawValue: word)?.meaning { lines.append("\(word): a field of events: \(meaning)") }
        if faults.contains(word) { lines.append("\(word): a network fault; 'help net \(word)' explains it") }
        lines += policy(word)
        if let setting = ClientPolicy.setting(named: word) {
            lines.append("\(word): a setting of the client's SDK: \(setting.meaning); 'client policy' prints its value")
            for dialect in Dialects.all {
                let value = setting.text(dialect.clientPolicy)
                lines.append("\(dialect.title): \(value) (\(dialect.source(of: setting.key).text))")
            }
        }
        if let term = Glossary.term(word) { lines.append(term.line) }
        guard !lines.isEmpty else { return [] }
        return [
            Entry(
                lines: lines,
                demonstrates: { command in
                    isState(command, word) || faults.contains(word) && has(command, "net", word)
                        || FrameBody.names.contains(word) && (has(command, "in", word) || has(command, "out", word))
                        || has(command, "policy", word)
                })
        ]
    }

    /// The lines about a policy of the server: its meaning, its possible values, and its value in each system.
    private static func policy(_ key: String) -> [String] {
        guard let known = ServerPolicy.setting(named: key) else { return [] }
        let use = "takes \(known.takes); 'server policy \(key)=VALUE' sets it"
        return ["\(key): a policy of the server: \(known.meaning); \(use)"]
            + known.choices.map { "\($0.name): \($0.meaning)" }
            + Dialects.all.map { "\($0.title): \(known.shown(in: $0.serverPolicy))" }
    }

    /// The rules of a system whose text contains a word.
    private static func rules(mentioning word: String, _ dialect: any Dialect) -> [Rule] {
        let profile = ProfileVersion.base(of: dialect.profile)
        let title = Dialects.named(profile)?.title
        let groups = RuleCatalogue.search([profile]).filter { $0.title == title }
        return groups.flatMap(\.rules).filter { rule in
            rule.text.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains {
                $0.lowercased() == word.lowercased()
            }
        }
    }
}
