import IMClient
import IMProfiles
import IMProtocol
import IMText

/// Checks that the expectations of a script use only callbacks, fields and values that the profile has. The check runs
/// before the first line of the script. Without it, `expect` with a misspelled callback would wait until its time
/// limit, and `expect none` with a misspelled callback would always pass.
package struct ProfileCheck {
    let dialect: any Dialect

    package init(dialect: any Dialect) {
        self.dialect = dialect
    }

    /// The error of a name or value that the profile does not have, with a suggestion.
    package struct ProfileError: Equatable, Sendable {
        var message: String
        var hint: String?

        /// The error in one line.
        package var text: String { hint.map { "\(message); \($0)" } ?? message }
    }

    // MARK: Names and values

    func callback(_ name: String) -> ProfileError? {
        let names = dialect.callbacks.map(\.name)
        guard !names.contains(name) else { return nil }
        return ProfileError(
            message: "\(dialect.title) has no callback '\(name)'",
            hint: Suggestion.hint(for: name, among: names, countMax: .max))
    }

    /// - Parameter value: the expected value; nil if it contains a variable, or if any value matches.
    func field(_ key: String, value: String?, ofCallback name: String) -> ProfileError? {
        let shapes = dialect.callbacks.filter { $0.name == name }
        guard !shapes.isEmpty else { return nil }
        let fields = shapes.flatMap(\.fields)
        guard let field = fields.first(where: { $0.name == key }) else {
            let names = fields.map(\.name)
            return ProfileError(
                message: "the callback '\(name)' has no field '\(key)'",
                hint: names.isEmpty ? "it has no fields" : Suggestion.hint(for: key, among: names, countMax: .max))
        }
        return value.flatMap { Self.profileError(value: $0, of: key, among: field.values) }
    }

    /// Checks a field of `expect state`, such as `reason`.
    static func stateField(_ key: String, value: String?) -> ProfileError? {
        let known = ["from": StateName.allNames, "reason": StateReason.allCases.map(\.name)]
        guard let values = known[key] else {
            return ProfileError(
                message: "a state has no field '\(key)'", hint: Suggestion.hint(for: key, among: known.keys.sorted()))
        }
        return value.flatMap { profileError(value: $0, of: key, among: values) }
    }

    static func frame(_ type: String) -> ProfileError? {
        guard !FrameBody.names.contains(type) else { return nil }
        return ProfileError(
            message: "there is no frame '\(type)'",
            hint: Suggestion.nearest(to: type, among: FrameBody.names).map { "did you mean '\($0)'?" }
                ?? "'help filter' lists the types")
    }

    /// Checks a value against the list of possible values. The check applies only if all of these are names. A number
    /// is always allowed, because a script may contain the vendor's code instead of its name.
    private static func profileError(value: String, of key: String, among values: [String]) -> ProfileError? {
        let isClosed =
            !values.isEmpty && values.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" } }
        let name = PrintedValue.parts(of: value)?.name ?? value
        guard isClosed, Int64(value) == nil, !values.contains(name) else { return nil }
        return ProfileError(
            message: "'\(key)' is never '\(value)'", hint: Suggestion.hint(for: name, among: values, countMax: .max))
    }

    // MARK: Clauses

    /// The error of a clause whose variables all have values: a name or value that the profile does not have; nil if
    /// there is none.
    package func profileError(in clause: ExpectClause) -> ProfileError? {
        switch clause.pattern {
        case .callback(let name):
            if let profileError = callback(name) { return profileError }
            return clause.fields.lazy.compactMap { field($0.key, value: $0.literalValue, ofCallback: name) }.first
        case .state: return clause.fields.lazy.compactMap { Self.stateField($0.key, value: $0.literalValue) }.first
        case .frame(_, let type): return Self.frame(type)
        case .result, .output, .event: return nil
        }
    }

    // MARK: Scripts

    /// All errors about names that the script's profiles do not have. After `use NAME`, the names must be those of the
    /// profile NAME.
    static func errors(in script: Script, beginningWith dialect: any Dialect) -> [Diagnostic] {
        var check = ProfileCheck(dialect: dialect)
        var errors: [Diagnostic] = []
        for statement in script.statements {
            let words = statement.words
            if words[0].literal == "use", words.count > 1, let name = words[1].literal, let next = Dialects.named(name)
            {
                check = ProfileCheck(dialect: next)
            }
            if let error = check.error(in: statement) { errors.append(error) }
        }
        return errors
    }

    /// - Throws: all errors about names that the script's profiles do not have.
    package static func require(_ script: Script, for dialect: any Dialect) throws(ScriptErrors) {
        let errors = errors(in: script, beginningWith: dialect)
        guard errors.isEmpty else {
            throw ScriptErrors(source: script.source, all: errors)
        }
    }

    /// Checks the names in a statement. The values of variables are checked when the statement runs.
    private func error(in statement: Statement) -> Diagnostic? {
        guard let name = statement.words[0].literal, ["expect", "expect-none"].contains(name) else { return nil }
        var words = statement.words.dropFirst()
        if words.first?.literal == "none" { words = words.dropFirst() }
        // In `expect event`, 'and' belongs to the condition and does not separate clauses.
        guard words.first?.literal != ObservedEvent.Kind.event.rawValue else { return nil }
        return words.split { $0.literal == ExpectClause.conjunction }.lazy.compactMap { self.error(inEvent: $0) }.first
    }

    /// Checks the words of one clause.
    private func error(inEvent words: ArraySlice<Word>) -> Diagnostic? {
        var words = words
        guard let kind = words.popFirst()?.literal.flatMap(ObservedEvent.Kind.init(rawValue:)) else { return nil }
        let named: Word?
        switch kind {
        case .callback, .state: named = words.popFirst()
        case .frame:
            words = words.dropFirst()
            named = words.popFirst()
        case .result, .output, .event: return nil
        }
        guard let named, let subject = named.literal else { return nil }
        let profileError: ProfileError? =
            switch kind {
            case .callback: callback(subject)
            case .frame: Self.frame(subject)
            case .state, .result, .output, .event: nil
            }
        if let profileError { return diagnostic(profileError, at: named) }
        for word in words {
            if let literal = word.literal, ExpectClause.Suffix(rawValue: literal) != nil { break }
            guard let pair = KeyValue(word.literal ?? word.source) else { continue }
            let value = word.literal == nil ? nil : pair.literalValue
            let profileError =
                kind == .callback
                ? field(pair.key, value: value, ofCallback: subject)
                : kind == .state ? Self.stateField(pair.key, value: value) : nil
            if let profileError { return diagnostic(profileError, at: word) }
        }
        return nil
    }

    private func diagnostic(_ profileError: ProfileError, at word: Word) -> Diagnostic {
        Diagnostic(profileError.message, at: word.position, length: word.source.count, hint: profileError.hint)
    }
}

extension KeyValue {
    /// The expected value; nil for a pattern and a capture.
    fileprivate var literalValue: String? {
        switch comparison {
        case .equal, .notEqual: value
        case .matching, .capture: nil
        }
    }
}
