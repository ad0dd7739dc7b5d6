import IMText

/// An event in the shell's terms. Expectations are compared with such events.
package struct ObservedEvent: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The client's state changed; the name is the new state.
        case state
        /// The SDK called back; the name is the vendor's callback.
        case callback
        /// A frame was sent or received; the name is its type.
        case frame
        /// A command completed; the name is the command, and the fields contain `code=…` and `status=ok|failed`.
        case result
        /// The shell printed something; the name is the text.
        case output
        /// Any event, for `expect event FILTER`; the name is the event's kind.
        case event
    }

    package enum Direction: String, CaseIterable, Sendable {
        /// From the server to the client.
        case `in`
        /// From the client to the server.
        case out
    }

    package struct Field: Hashable, Sendable {
        package var name: String
        /// The value as it is displayed: `1`, `alice`, `NIMLoginStepLinking(1)`.
        package var value: String

        init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    package var kind: Kind
    package var name: String
    package var fields: [Field]
    /// The direction of a frame; nil for other events.
    package var direction: Direction?
    /// The number and the time of the event, such as `#41 +3.250s`, for lists. Expectations are not compared with it.
    package var label: String
    /// For ``Kind/event``, the values of each field that the filter uses.
    var filterFields: [FilterName: [String]] = [:]

    package init(_ kind: Kind, _ name: String, _ fields: [Field] = [], direction: Direction? = nil, label: String = "")
    {
        self.kind = kind
        self.name = name
        self.fields = fields
        self.direction = direction
        self.label = label
    }

    /// The value of the first field with the name; nil if there is none.
    subscript(_ name: String) -> String? { fields.first { $0.name == name }?.value }

    /// The event in one line: `callback onLogin step=NIMLoginStepLinking(1)`
    package var text: String {
        if kind == .event { return self["text"] ?? name }
        var words = [kind.rawValue]
        if let direction { words.append(direction.rawValue) }
        words.append(kind == .output ? name.quoted : name.quotedIfNeeded)
        words += fields.map { "\($0.name)=\($0.value.quotedIfNeeded)" }
        return words.joined(separator: " ")
    }
}

/// Compares a value that a user typed with a displayed value.
enum PrintedValue {
    /// `NIMLoginStepLinking`, `1` and `NIMLoginStepLinking(1)` all match the displayed `NIMLoginStepLinking(1)`.
    /// Durations are equal in any unit, and numbers with any leading or trailing zeros.
    static func matches(_ given: String, printed: String) -> Bool {
        if given == printed { return true }
        if let (name, number) = parts(of: printed), given == name || given == number { return true }
        if let left = DurationText.signedInterval(given), let right = DurationText.signedInterval(printed) {
            return left == right
        }
        if let left = Int64(given), let right = Int64(printed) { return left == right }
        return isSameString(given, printed: printed)
    }

    /// True if both texts are the same string. The quotes of a JSON string may be omitted, except where the string
    /// would then be a number, `true`, `false` or `null`.
    private static func isSameString(_ given: String, printed: String) -> Bool {
        if let text = unquoted(printed) { return unquoted(given) ?? given == text }
        guard let text = unquoted(given) else { return false }
        return text == printed && Double(text) == nil && !["true", "false", "null"].contains(text)
    }

    /// The text of a JSON string; nil for anything else.
    private static func unquoted(_ text: String) -> String? {
        guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else {
            return nil
        }
        guard text.utf8.contains(UInt8(ascii: "\\")) else { return String(text.dropFirst().dropLast()) }
        var result = ""
        var rest = text.unicodeScalars.dropFirst().dropLast()
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                result.unicodeScalars.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "n": result += "\n"
            case "t": result += "\t"
            case "r": result += "\r"
            case "b": result += "\u{8}"
            case "f": result += "\u{c}"
            case "u":
                let code = String(String.UnicodeScalarView(rest.prefix(4)))
                guard let scalar = UInt32(code, radix: 16).flatMap(Unicode.Scalar.init) else { return nil }
                result.unicodeScalars.append(scalar)
                rest = rest.dropFirst(4)
            case let other?: result.unicodeScalars.append(other)
            case nil: return nil
            }
        }
        return result
    }

    /// The name and the number of a value such as `Name(1)`; nil for another value.
    static func parts(of printed: String) -> (name: String, number: String)? {
        guard printed.hasSuffix(")"), let opening = printed.lastIndex(of: "("), opening > printed.startIndex else {
            return nil
        }
        let number = printed[printed.index(after: opening)...].dropLast()
        guard Int64(number) != nil else { return nil }
        return (String(printed[..<opening]), String(number))
    }
}
