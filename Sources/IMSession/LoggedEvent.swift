import IMClient
import IMProtocol
import IMText

/// An event that was read from a line of a log, which an app or an SDK wrote: a call, a callback, a frame. No machine
/// produced the event, so a replay cannot produce it again.
public struct LoggedEvent: Hashable, Sendable {
    /// The kind of event in the line.
    public enum Kind: String, CaseIterable, Hashable, Sendable {
        /// The app called the SDK.
        case call
        /// The call ended.
        case `return`
        /// The SDK called the app.
        case callback
        /// The SDK sent or received a frame.
        case frame
        /// The app's process or its device changed: the app started or went to the background, or the clock was set.
        case life
        /// A line that no pattern matches, or that another component wrote.
        case line
    }

    /// The kind of event in the line.
    public var kind: Kind
    /// The vendor's name of the call, callback or frame.
    public var name: String
    /// The values in the line, in its order. The values of an enum are numbers.
    public var fields: [AnswerField] = []
    /// The direction of a frame, `in` or `out`; nil for other events.
    public var direction: String?
    /// The number of the line in the log, from 1.
    public var line: Int
    /// The time in the line, as the log writes it.
    public var stamp = ""
    /// The maximum error of this time, in nanoseconds.
    public var uncertainty: Int64 = 0
    /// The number of the process in the log, from 1; 0 if the log does not contain it.
    public var process = 0
    /// The client's state after the event, as its profile defines it; nil if the line does not determine it.
    public var state: ClientState?
    /// The text of the line, without secrets.
    public var text = ""

    /// Creates an event without values.
    public init(kind: Kind, name: String, line: Int) {
        self.kind = kind
        self.name = name
        self.line = line
    }

    /// The name of the event with which a process starts.
    public static let processStarted = "start"

    /// True if the client was kicked.
    public var isKick: Bool { state == .kicked }

    /// One line for display: `callback onLogin step=8 (line 12, 14:0:27:243)`.
    public var summary: String {
        var words: [String] =
            switch kind {
            case .call: ["> \(name)"]
            case .return: ["result \(name)"]
            case .callback: ["callback \(name)"]
            case .frame: [direction == "out" ? "→" : "←", name]
            case .life: [name]
            case .line: ["|", text]
            }
        words += fields.map { "\($0.name)=\($0.value.quotedIfNeeded)" }
        words.append(stamp.isEmpty ? "(line \(line))" : "(line \(line), \(stamp))")
        return words.joined(separator: " ")
    }

    // MARK: In a file

    private static let mark = "observed "

    /// The text by which a session stores the event, in the field for the command of an environment event. An older
    /// program shows this text unchanged.
    public var command: String {
        var words = ["observed", kind.rawValue, Self.quoted(name)]
        words += fields.map { "\(Self.quoted($0.name))=\(Self.quoted($0.value))" }
        words.append("@line=\(line)")
        if !stamp.isEmpty { words.append("@time=\(Self.quoted(stamp))") }
        if uncertainty != 0 { words.append("@uncertainty=\(uncertainty)") }
        if process != 0 { words.append("@process=\(process)") }
        if let direction { words.append("@dir=\(Self.quoted(direction))") }
        if let state { words.append("@state=\(state.name)") }
        if !text.isEmpty { words.append("@text=\(Self.quoted(text))") }
        return words.joined(separator: " ")
    }

    /// Reads the text that ``command`` wrote; nil for any other text.
    public init?(command: String) {
        guard command.hasPrefix(Self.mark) else { return nil }
        var reader = WordReader(command.utf8.dropFirst(Self.mark.utf8.count))
        guard let kind = reader.next().flatMap({ Kind(rawValue: $0.name) }), let name = reader.next(),
            name.value == nil
        else { return nil }
        self.init(kind: kind, name: name.name, line: 0)
        while let word = reader.next() {
            guard let value = word.value else { return nil }
            // A name that starts with @ and is not quoted belongs to this format. `quoted` quotes a name from a log
            // that starts with @.
            switch word.isQuoted ? "" : word.name {
            case "@line": line = Int(value) ?? 0
            case "@time": stamp = value
            case "@uncertainty": uncertainty = Int64(value) ?? 0
            case "@process": process = Int(value) ?? 0
            case "@dir": direction = value
            case "@state": state = ClientState.allCases.first { $0.name == value }
            case "@text": text = value
            default: fields.append(AnswerField(name: word.name, value: value))
            }
        }
        guard !reader.isDamaged else { return nil }
    }

    private static func quoted(_ text: String) -> String {
        // A name from a log that starts with @ is quoted, so that it is not mistaken for a name of this format, such as
        // @line.
        let isPlain =
            !text.isEmpty && !text.hasPrefix("@")
            && text.utf8.allSatisfy { $0 > 32 && !"\"\\=".utf8.contains($0) }
        if isPlain { return text }
        var bytes: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte)
        }
        bytes.append(UInt8(ascii: "\""))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads words of the form `name` or `name=value`, in which names and values may be quoted.
    private struct WordReader {
        private var rest: Substring.UTF8View
        var isDamaged = false

        init(_ text: Substring.UTF8View) { rest = text }

        mutating func next() -> (name: String, value: String?, isQuoted: Bool)? {
            while rest.first == UInt8(ascii: " ") { rest.removeFirst() }
            guard !rest.isEmpty, !isDamaged else { return nil }
            let isQuoted = rest.first == UInt8(ascii: "\"")
            let name = part(endsAtEquals: true)
            guard rest.first == UInt8(ascii: "=") else { return (name, nil, isQuoted) }
            rest.removeFirst()
            return (name, part(endsAtEquals: false), isQuoted)
        }

        private mutating func part(endsAtEquals: Bool) -> String {
            var bytes: [UInt8] = []
            if rest.first == UInt8(ascii: "\"") {
                rest.removeFirst()
                while let byte = rest.popFirst() {
                    if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
                    if byte == UInt8(ascii: "\\") {
                        guard let escaped = rest.popFirst() else { break }
                        bytes.append(escaped)
                    } else {
                        bytes.append(byte)
                    }
                }
                isDamaged = true
            } else {
                while let byte = rest.first, byte != UInt8(ascii: " ") {
                    if endsAtEquals, byte == UInt8(ascii: "=") { break }
                    bytes.append(byte)
                    rest.removeFirst()
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension LoggedEvent {
    /// The fields of the event for filters and JSON: the values of the line, the line's number, its time and its text.
    var facts: [AnswerField] {
        var facts: [AnswerField] = []
        switch kind {
        case .call, .return: facts.append(AnswerField(name: FieldName.command.rawValue, value: name))
        case .frame: facts.append(AnswerField(name: FieldName.type.rawValue, value: name))
        case .life: facts.append(AnswerField(name: FieldName.app.rawValue, value: name))
        case .callback: break
        case .line: break
        }
        facts += fields
        facts.append(AnswerField(name: "line", value: String(line)))
        if !stamp.isEmpty { facts.append(AnswerField(name: "logged", value: stamp)) }
        if uncertainty != 0 { facts.append(AnswerField(name: "uncertainty", value: "\(uncertainty / 1000)us")) }
        if process != 0 { facts.append(AnswerField(name: "process", value: String(process))) }
        if let state { facts.append(AnswerField(name: "state", value: state.name)) }
        if !text.isEmpty { facts.append(AnswerField(name: "text", value: text)) }
        return facts
    }

    /// The kind of the event for filters and JSON. The events of a machine have the same kinds.
    var eventKind: String {
        switch kind {
        case .call: "command"
        case .return: "result"
        case .callback: "callback"
        case .frame: "frame"
        case .life: "app"
        case .line: "line"
        }
    }

    /// `in` for the client's inputs, `out` for its outputs.
    var eventDirection: String? {
        switch kind {
        case .call: "in"
        case .return, .callback: "out"
        case .frame: direction
        case .life, .line: nil
        }
    }
}
