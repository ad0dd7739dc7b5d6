import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSession

/// `imrepl help --json`: everything that `help` explains, as lists of JSON objects.
extension HelpText {
    /// - Parameters:
    ///   - program: the subcommands of the program, which run in the terminal.
    ///   - policies: the settings of a server's policy, as JSON objects.
    package func reference(program: CommandTable, policies: [AnswerObject]) -> AnswerObject {
        var object = AnswerObject(.help)
        object.add("about", "")
        object.add("text", overview)
        object.add("commands", objects: table.runnable.map(\.object))
        object.add("program", objects: program.runnable.map(\.object))
        object.add("topics", objects: Self.topics.map { Self.row($0.word, $0.abstract) })
        object.add("codes", objects: Dialects.all.flatMap(Lookup.codeObjects))
        object.add("callbacks", objects: Dialects.all.flatMap(Self.callbacks))
        object.add("states", objects: ClientState.allCases.map(Self.object))
        object.add(
            "rules", objects: RuleCatalogue.groups.flatMap { group in group.rules.map { rule(group.title, $0) } })
        object.add("policies", objects: policies)
        object.add("settings", objects: Self.settings(nil))
        object.add("terms", objects: Glossary.sections.flatMap(\.terms).map { Self.row($0.name, $0.meaning) })
        object.add("frames", texts: FrameBody.names)
        object.add("faults", texts: Lookup.faults)
        object.add(
            "fields",
            objects: FieldName.allCases.compactMap { field in field.meaning.map { Self.row(field.rawValue, $0) } })
        return object
    }

    private func rule(_ system: String, _ rule: Rule) -> AnswerObject {
        var object = AnswerObject()
        object.add("id", rule.id)
        object.add("system", system)
        object.add("text", rule.text)
        object.add("details", rule.details.isEmpty ? nil : rule.details)
        object.add("built", isTrue: rule.isImplemented)
        object.add("sessions", texts: library.sessions(ofRule: rule.id).map(\.file))
        return object
    }

    private static func callbacks(of dialect: any Dialect) -> [AnswerObject] {
        dialect.callbacks.map { shape in
            var object = AnswerObject()
            object.add("profile", dialect.profile)
            object.add("name", shape.name)
            object.add(
                "fields",
                objects: zip(shape.fields.map(\.name), shape.numberedValues).map { name, values in
                    var field = AnswerObject()
                    field.add("name", name)
                    field.add("values", texts: values.uniqued)
                    return field
                })
            return object
        }
    }

    private static func object(of state: ClientState) -> AnswerObject {
        var object = AnswerObject()
        object.add("name", state.name)
        object.add(
            "names",
            fields: Dialects.all.compactMap { dialect in dialect.name(of: state).map { (dialect.profile, $0) } }
        )
        return object
    }
}

extension Lookup {
    /// The codes of a system as JSON objects, each with its meanings.
    static func codeObjects(of dialect: any Dialect) -> [AnswerObject] {
        grouped(codes(of: dialect)).map { code, meanings in
            var object = AnswerObject()
            object.add("profile", dialect.profile)
            object.add("number", number: code.number)
            object.add("name", code.name)
            object.add(
                "meanings",
                objects: meanings.map { meaning, calls in
                    var object = AnswerObject()
                    object.add("meaning", meaning.meaning)
                    object.add("advice", meaning.advice.isEmpty ? nil : meaning.advice)
                    object.add("calls", texts: calls)
                    return object
                })
            return object
        }
    }
}

extension Lookup.Entry {
    /// The meaning as a JSON object.
    var object: AnswerObject {
        var object = AnswerObject()
        object.add("system", system)
        object.add("profile", dialect?.profile)
        object.add("lines", texts: lines)
        object.add("rules", texts: rules.map(\.id))
        object.add("sessions", objects: sessions.map(\.object))
        return object
    }
}

extension CommandTable {
    /// The commands that can run, without those that only have subcommands.
    fileprivate var runnable: [CommandInfo] { commands.flatMap(\.all).filter(\.subcommands.isEmpty) }
}

extension CommandInfo {
    /// The command as a JSON object.
    fileprivate var object: AnswerObject {
        var object = AnswerObject()
        object.add("name", path.joined(separator: " "))
        object.add("summary", abstract)
        object.add("usage", usage)
        object.add("examples", texts: examples)
        object.add("arguments", objects: (positionals + options).map(\.object))
        return object
    }
}

extension ArgumentInfo {
    fileprivate var object: AnswerObject {
        var object = AnswerObject()
        object.add("names", texts: names)
        object.add("value", isFlag ? nil : valueName)
        object.add("values", texts: values)
        object.add("help", help)
        object.add("optional", isTrue: isOptional)
        object.add("repeats", isTrue: isRepeating)
        return object
    }
}
