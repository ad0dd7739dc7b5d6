/// Copies of an app's files that compile without Objective-C: without its attributes, with optional requirements as
/// requirements that have a default, and with selectors as closures. All lines keep their numbers.
public struct SourceCopies: Sendable {
    /// The optional requirements of protocols, which callers write as `x.name?()`.
    private var optionalNames = Set(vendorsOptionalNames)

    /// - Parameter sources: all files of the app, because a protocol and its callers are in different files.
    public init(of sources: [String]) {
        for source in sources {
            var copy = SourceCopy(SourceCode(source))
            copy.readProtocols()
            optionalNames.formUnion(copy.optionalNames)
        }
    }

    /// The copy of one file, and the constructs that it cannot convert.
    public func copy(of source: String, path: String) -> (text: String, problems: [Escape]) {
        var copy = SourceCopy(SourceCode(source))
        copy.readProtocols()
        copy.optionalNames = optionalNames
        copy.replaceAll()
        let file = path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
        return ("#sourceLocation(file: \"\(file)\", line: 1)\n" + copy.result + "\n", copy.problems)
    }
}

/// One file.
private struct SourceCopy {
    let code: SourceCode
    var optionalNames: Set<String> = []
    private(set) var problems: [Escape] = []
    /// Replacements of byte ranges.
    private var edits: [(range: Range<Int>, text: String)] = []
    /// Defaults of optional requirements, for the end of the file.
    private var defaults = ""

    init(_ code: SourceCode) { self.code = code }

    var result: String {
        var text = ""
        var byteIndex = 0
        for edit in edits.sorted(by: { $0.range.lowerBound < $1.range.lowerBound })
        where edit.range.lowerBound >= byteIndex {
            text += code.text(byteIndex..<edit.range.lowerBound) + edit.text
            byteIndex = edit.range.upperBound
        }
        return text + code.text(byteIndex..<code.bytes.count) + defaults
    }

    // MARK: Protocols

    /// Finds optional requirements.
    mutating func readProtocols() {
        for index in code.bytes.indices where code.hasWord("protocol", at: index) {
            let name = code.name(at: code.skipSpaces(index + 8))
            var start = name.upperBound
            while start < code.bytes.count, code.code(start) != UInt8(ascii: "{") { start += 1 }
            guard !name.isEmpty, start < code.bytes.count else { continue }
            readRequirements(of: code.text(name), access: access(before: index), in: start..<code.endOfBrackets(start))
        }
    }

    private func access(before index: Int) -> String {
        var start = index
        while start > 0, code.bytes[start - 1] != UInt8(ascii: "\n") { start -= 1 }
        return (start..<index).contains { code.hasWord("public", at: $0) } ? "public " : ""
    }

    private mutating func readRequirements(of name: String, access: String, in range: Range<Int>) {
        var members = ""
        for index in range where code.hasWord("optional", at: index) {
            edits.append((index..<index + 8, String(repeating: " ", count: 8)))
            let start = code.skipSpaces(index + 8)
            guard code.hasWord("func", at: start) else {
                note(index, "optional var", "is required in the copy: the types that leave it out need it")
                continue
            }
            optionalNames.insert(code.text(code.name(at: code.skipSpaces(start + 4))))
            let end = endOfSignature(start)
            let signature = code.text(start..<end).split { $0.isNewline }.joined(separator: " ")
            guard let arrow = signature.range(of: "->", afterBrackets: true) else {
                members += "\n    \(access)\(signature) {}"
                continue
            }
            let result = signature[arrow.upperBound...].trimmed
            if ["Void", "()"].contains(result) {
                members += "\n    \(access)\(signature) {}"
            } else if result.hasSuffix("?") {
                members += "\n    \(access)\(signature) { nil }"
            } else {
                note(index, "optional func", "has a result: the copy stops where a type leaves it out")
                let failure = "preconditionFailure(\"this optional method is not implemented\")"
                members += "\n    \(access)\(signature) { \(failure) }"
            }
        }
        if !members.isEmpty { defaults += "\nextension \(name) {\(members)\n}" }
    }

    private func endOfSignature(_ start: Int) -> Int {
        var index = start
        while index < code.bytes.count {
            if code.code(index) == UInt8(ascii: "(") {
                index = code.endOfBrackets(index)
                continue
            }
            if let byte = code.code(index) {
                if byte == UInt8(ascii: "}") || byte == UInt8(ascii: ";") { return index }
                if byte == UInt8(ascii: "\n") {
                    let next = code.skipSpaces(index)
                    let continues = ["async", "throws", "where"].contains { code.hasWord($0, at: next) }
                    if !continues, code.code(next) != UInt8(ascii: "-") { return index }
                }
            } else {
                return index
            }
            index += 1
        }
        return index
    }

    // MARK: The rest

    mutating func replaceAll() {
        var types: [(name: String?, depth: Int)] = []
        var pending: String?
        for index in code.bytes.indices {
            switch code.code(index) {
            case UInt8(ascii: "@"): removeAttribute(at: index)
            case UInt8(ascii: "{"):
                types.append((pending, 0))
                pending = nil
            case UInt8(ascii: "}"): _ = types.popLast()
            case UInt8(ascii: "?"): replaceOptionalCall(at: index)
            case UInt8(ascii: "c"), UInt8(ascii: "s"), UInt8(ascii: "e"), UInt8(ascii: "a"):
                pending = typeName(at: index) ?? pending
            case UInt8(ascii: "d"): removeDynamic(at: index)
            default: break
            }
            // A '#' with a name after it does not begin a string literal.
            if code.byte(index) == UInt8(ascii: "#"), code.hasWord("selector", at: index + 1) {
                replaceSelector(at: index, in: types.last { $0.name != nil }?.name)
            }
        }
    }

    private mutating func removeAttribute(at index: Int) {
        let name = code.name(at: index + 1)
        guard objectiveCAttributes.contains(code.text(name)) else { return }
        var end = name.upperBound
        if code.text(name) == "objc", code.code(end) == UInt8(ascii: "(") { end = code.endOfBrackets(end) }
        edits.append((index..<end, String(repeating: " ", count: end - index)))
    }

    private mutating func removeDynamic(at index: Int) {
        guard code.hasWord("dynamic", at: index) else { return }
        let next = code.skipSpaces(index + 7)
        let words = ["func", "var", "let", "class", "init", "override", "private", "public", "open"]
        guard words.contains(where: { code.hasWord($0, at: next) }) else { return }
        edits.append((index..<index + 7, String(repeating: " ", count: 7)))
    }

    /// `x.name?(` of an optional requirement becomes `x.name(`.
    private mutating func replaceOptionalCall(at index: Int) {
        guard code.code(index + 1) == UInt8(ascii: "(") else { return }
        var start = index
        while code.isName(start - 1) { start -= 1 }
        guard start < index, code.code(start - 1) == UInt8(ascii: "."),
            optionalNames.contains(code.text(start..<index))
        else { return }
        edits.append((index..<index + 1, ""))
    }

    private func typeName(at index: Int) -> String? {
        let words = ["class", "struct", "enum", "actor", "extension"]
        guard let word = words.first(where: { code.hasWord($0, at: index) }) else { return nil }
        let start = code.skipSpaces(index + word.utf8.count)
        var end = code.name(at: start).upperBound
        guard end > start, !["func", "var", "let"].contains(code.text(start..<end)) else { return nil }
        while code.code(end) == UInt8(ascii: "."), code.isName(end + 1) { end = code.name(at: end + 1).upperBound }
        return code.text(start..<end)
    }

    private mutating func replaceSelector(at index: Int, in type: String?) {
        let open = code.skipSpaces(index + 9)
        guard code.code(open) == UInt8(ascii: "(") else { return }
        let end = code.endOfBrackets(open)
        var method = code.text(open + 1..<end - 1).trimmed
        for prefix in ["self.", "Self."] where method.hasPrefix(prefix) { method.removeFirst(prefix.count) }
        guard !method.hasPrefix("getter:"), !method.hasPrefix("setter:"), let first = method.first else {
            return note(index, "#selector", "of a property cannot be kept")
        }
        if code.text(max(0, index - 15)..<index).hasSuffix("responds(to: ") {
            // Every method has a default in the copy.
            return edits.append((index..<end, "Selector(\(method.debugDescription))"))
        }
        if !first.isUppercase {
            guard let type else { return note(index, "#selector", "outside of a type cannot be kept") }
            method = "\(type).\(method)"
        }
        edits.append((index..<end, "Selector(\(method))"))
    }

    private mutating func note(_ index: Int, _ words: String, _ advice: String) {
        let line = code.bytes[..<index].count { $0 == UInt8(ascii: "\n") } + 1
        problems.append(Escape(line: line, words: words, advice: advice))
    }
}

/// Attributes that only affect Objective-C, Interface Builder or the app's own start.
private let objectiveCAttributes: Set = [
    "objc", "objcMembers", "nonobjc", "IBAction", "IBOutlet", "IBDesignable", "IBInspectable", "IBSegueAction",
    "NSManaged", "NSCopying", "GKInspectable", "UIApplicationMain", "NSApplicationMain", "main",
    "UIApplicationDelegateAdaptor",
]

extension StringProtocol {
    fileprivate var trimmed: String {
        String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
    }

    /// The range of an arrow of the function's own result, not of a closure among its parameters.
    fileprivate func range(of words: String, afterBrackets: Bool) -> Range<Index>? {
        var depth = 0
        var index = startIndex
        while index < endIndex {
            if self[index] == "(" { depth += 1 }
            if self[index] == ")" { depth -= 1 }
            if depth == 0, self[index...].hasPrefix(words) { return index..<self.index(index, offsetBy: words.count) }
            index = self.index(after: index)
        }
        return nil
    }
}
