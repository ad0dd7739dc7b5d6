import IMExport

/// The JSON objects that `--json` prints, one per line. The names of the kinds and of their members are stable; later
/// versions may add kinds and members. `help json` is generated from this table.
package struct AnswerObject {
    package enum Kind: String, CaseIterable {
        case begin, event, row, text, why
        case whyNot = "why-not"
        case whatIf = "what-if"
        case state, timeline, token, help, notice, position, done, end

        var meaning: String {
            switch self {
            case .begin: "A session begins: when the first line runs, and at 'use' and 'fork'."
            case .event: "An event, as in 'show --json'."
            case .row: "One row of an answer, for example of 'query'."
            case .text: "An answer as text."
            case .why: "The causes of an event; the whole answer of 'why'."
            case .whyNot: "The reason why a condition was not met; the whole answer of 'why-not'."
            case .whatIf: "The outcome of the scenario with a change; the whole answer of 'mute', 'edit' and 'delay'."
            case .state: "The state of a node; the whole answer of 'state'."
            case .timeline: "The states of the clients over time; the whole answer of 'timeline'."
            case .token: "The content of a token; the whole answer of 'imrepl token'."
            case .help: "The answer of 'help'."
            case .notice: "A warning or a note besides the answer."
            case .position:
                "The position of the replay after a line. The event at it, if there is one, comes before this object."
            case .done: "The line is finished. Every line gets this object, as the last one of its answer."
            case .end: "The session has ended; the last object."
            }
        }

        var members: [Member] {
            switch self {
            case .begin:
                [
                    Member("profile", "text", "the system"), Member("world", "text", "live, simulated or recording"),
                    Member("seed", "number", "the random seed", isRequired: false),
                    Member("recording", "text", "the file", isRequired: false),
                ]
            case .event:
                [
                    Member("n", "number", "its number; 0 while nothing is recorded"),
                    Member("t", "number", "its time: nanoseconds since the beginning"),
                    Member("node", "text", "its node"),
                    Member("channel", "text", "transport, sdk or runtime"), Member("role", "text", "input, effect, …"),
                    Member("kind", "text", "as in filters: frame, callback, transition, …"),
                    Member("wall", "text", "its wall clock time, if the session has a wall clock", isRequired: false),
                    Member("cause", "number", "the number of the event that caused it", isRequired: false),
                    Member("dir", "text", "in or out", isRequired: false),
                    Member("connection", "number", "the link's number", isRequired: false),
                    Member(
                        "delivery", "text", "for a frame that did not arrive: lost, or in-flight at the end",
                        isRequired: false),
                    Member("fields", "object", "its fields; every value is a text"),
                    Member("callback", "object", "name and fields of the vendor's callback", isRequired: false),
                    Member("text", "text", "the event as text"),
                ]
            case .row:
                [
                    Member(
                        "fields", "object", "the fields of the row; values are texts, or numbers for some subcommands")
                ]
            case .text, .notice:
                [
                    Member("text", "text", "the text, which may have several lines"),
                    Member("events", "list", "the numbers of the events in the text"),
                ]
            case .why: Self.whyMembers
            case .whyNot: Self.whyNotMembers
            case .whatIf: Self.whatIfMembers
            case .state: Self.stateMembers
            case .timeline: Self.timelineMembers
            case .token: Self.tokenMembers
            case .help: Self.helpMembers
            case .position:
                [
                    Member("n", "number", "the number of the last event; 0 is before the first event"),
                    Member("count", "number", "the number of events"),
                    Member("t", "number", "nanoseconds since the beginning"),
                    Member("node", "text", "the node of the event", isRequired: false),
                ]
            case .done:
                [
                    Member("line", "number", "the number of the input line, from 1"),
                    Member("command", "text", "the line, without secrets"),
                    Member("status", "text", "ok, failed, or unreadable (the line did not run)"),
                    Member("text", "text", "why it failed", isRequired: false),
                    Member("code", "text", "the vendor's code of a refusal", isRequired: false),
                    Member(
                        "events", "list",
                        "the numbers of the first and the last event of this line; empty if there are none"),
                ]
            case .end:
                [
                    Member("status", "number", "the exit code"),
                    Member("recording", "text", "the file, if there is one", isRequired: false),
                ]
            }
        }
    }

    /// A member of a JSON object.
    struct Member {
        var name: String
        var type: String
        var meaning: String
        /// True if every object of the kind has this member.
        var isRequired: Bool

        init(_ name: String, _ type: String, _ meaning: String, isRequired: Bool = true) {
            (self.name, self.type, self.meaning, self.isRequired) = (name, type, meaning, isRequired)
        }
    }

    static let schema = EventObject.schema

    private var parts: [String]

    /// An object that becomes a member of another object, so it has no `schema` and `type`.
    package init() { parts = [] }

    package init(_ kind: Kind) {
        parts = ["\"schema\":\(Self.schema)", "\"type\":\"\(kind.rawValue)\""]
    }

    /// An event. ``EventObject`` creates the members, because the command `show` prints them too.
    package init(event members: [String]) {
        self.init(.event)
        parts += members
    }

    package mutating func add(_ name: String, _ text: String?) {
        if let text { parts.append("\"\(name)\":\(EventObject.quote(text))") }
    }

    package mutating func add(_ name: String, number: (some BinaryInteger)?) {
        if let number { parts.append("\"\(name)\":\(number)") }
    }

    package mutating func add(_ name: String, numbers: [UInt64]) {
        parts.append("\"\(name)\":[\(numbers.map(String.init).joined(separator: ","))]")
    }

    package mutating func add(_ name: String, texts: [String]) {
        parts.append("\"\(name)\":[\(texts.map(EventObject.quote).joined(separator: ","))]")
    }

    package mutating func add(_ name: String, fields: [(name: String, value: String)]) {
        parts.append("\"\(name)\":{\(EventObject.members(fields).joined(separator: ","))}")
    }

    package mutating func add(_ name: String, values: [(name: String, value: AnswerValue)]) {
        let members = values.map { "\(EventObject.quote($0.name)):\($0.value.json)" }
        parts.append("\"\(name)\":{\(members.joined(separator: ","))}")
    }

    /// The object for one row of an answer.
    package static func row(_ values: [(name: String, value: AnswerValue)]) -> AnswerObject {
        var object = AnswerObject(.row)
        object.add("fields", values: values)
        return object
    }

    package mutating func add(_ name: String, isTrue: Bool) {
        parts.append("\"\(name)\":\(isTrue)")
    }

    /// Adds an object as a member; null if it is nil.
    package mutating func add(_ name: String, object: AnswerObject?) {
        parts.append("\"\(name)\":\(object?.json ?? "null")")
    }

    package mutating func add(_ name: String, objects: [AnswerObject]) {
        parts.append("\"\(name)\":[\(objects.map(\.json).joined(separator: ","))]")
    }

    /// Adds an object of names and values. A value that is printed as a number becomes a JSON number.
    package mutating func add(_ name: String, values: [(name: String, value: String)]) {
        let members = values.map { "\(EventObject.quote($0.name)):\(EventObject.value($0.value))" }
        parts.append("\"\(name)\":{\(members.joined(separator: ","))}")
    }

    /// Adds a value that is already JSON.
    package mutating func add(_ name: String, json: String) {
        parts.append("\(EventObject.quote(name)):\(json)")
    }

    /// The JSON text of the object, in one line.
    package var json: String { "{\(parts.joined(separator: ","))}" }

    /// An answer that is a text, with the numbers of the events that the text cites, such as `#41`.
    package init(_ kind: Kind, text: String) {
        self.init(kind)
        add("text", text)
        add("events", numbers: Self.eventNumbers(in: text))
    }

    /// The event numbers in a text, which are the words that begin with `#`. Each number occurs once, in the order of
    /// the text.
    static func eventNumbers(in text: String) -> [UInt64] {
        var numbers: [UInt64] = []
        var previous: Character = " "
        var rest = text[...]
        while let numberSign = rest.firstIndex(of: "#") {
            if numberSign > rest.startIndex { previous = rest[rest.index(before: numberSign)] }
            rest = rest[rest.index(after: numberSign)...]
            let digits = rest.prefix { $0.isASCII && $0.isNumber }
            if !previous.isLetter, !previous.isNumber, let number = UInt64(digits), !numbers.contains(number) {
                numbers.append(number)
            }
            rest = rest.dropFirst(digits.count)
            previous = digits.isEmpty ? "#" : "0"
        }
        return numbers
    }
}

/// A value in a row of an answer.
package enum AnswerValue: Sendable, ExpressibleByStringLiteral {
    case text(String)
    case number(Int)
    case seconds(Double)

    package init(stringLiteral text: String) { self = .text(text) }

    package var json: String {
        switch self {
        case .text(let text): EventObject.quote(text)
        case .number(let number): String(number)
        case .seconds(let seconds): String((seconds * 1000).rounded() / 1000)
        }
    }
}
