import IMDebugger

extension HelpText {
    /// The answer of `help` as a JSON object.
    ///
    /// - Parameter text: the text that `help` prints for the same words.
    package func object(for words: [String], text: String) -> AnswerObject {
        var object = AnswerObject(.help)
        object.add("about", words.joined(separator: " "))
        object.add("text", text)
        if words.count == 1,
            let rule = RuleCatalogue.rules.first(where: { $0.id.lowercased() == words[0].lowercased() })
        {
            object.add("sessions", objects: library.sessions(ofRule: rule.id).map(\.object))
        }
        if words.isEmpty {
            object.add("commands", objects: table.commands.map { Self.row($0.name, $0.abstract) })
        } else if words[0] == Self.policyTopic {
            object.add("settings", objects: Self.settings(words.dropFirst().first))
        } else if (try? topic(words[0], Array(words.dropFirst()))) == nil, let command = table.resolve(words)?.command {
            object.add("summary", command.abstract)
            object.add("usage", command.usage)
            object.add("examples", texts: command.examples)
            if !command.subcommands.isEmpty {
                object.add(
                    "commands",
                    objects: command.all.filter(\.subcommands.isEmpty).map {
                        Self.row($0.path.joined(separator: " "), $0.abstract)
                    })
            }
        } else {
            let entries = Lookup.entries(for: words, library: library)
            if !entries.isEmpty { object.add("entries", objects: entries.map(\.object)) }
        }
        return object
    }

    /// The JSON object for one command in a list of commands.
    package static func row(_ name: String, _ summary: String) -> AnswerObject {
        var object = AnswerObject()
        object.add("name", name)
        object.add("summary", summary)
        return object
    }
}
