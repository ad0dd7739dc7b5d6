import IMText

/// A script. It is read and checked completely before its first statement runs.
package struct Script: Equatable, Sendable {
    /// The script version that this program reads: the number after `#! imrepl script`.
    package static let version = 1

    /// The origin of a script's text. Only a file must begin with the line that contains the version.
    package enum Origin: Equatable, Sendable {
        case file
        case pipe
        /// The argument of `-c`.
        case commandLine
    }

    package var source: SourceText
    package var metadata: ScriptMetadata
    package var statements: [Statement]

    package var name: String { source.name }

    /// Reads a whole script.
    /// - Parameters:
    ///   - name: the name of the script. Errors show it before the line number.
    ///   - variables: the names of the variables that the caller sets (`run FILE k=v`). If nil, an unknown variable is
    ///     reported when its statement runs.
    ///   - check: finds further errors in a statement. The shell passes a check against the declarations of its
    ///     commands.
    /// - Throws: the errors of the script, in the order of their positions.
    static func parse(
        _ text: String, named name: String, origin: Origin = .file, variables: Set<String>? = nil,
        check: (Statement) -> [Diagnostic] = { _ in [] }
    ) throws(ScriptErrors) -> Script {
        var parser = ScriptParser(source: SourceText(name: name, text: text), origin: origin, variables: variables)
        parser.parse(text, check: check)
        guard parser.errors.isEmpty else {
            throw ScriptErrors(source: parser.source, all: parser.errors)
        }
        var metadata = parser.metadata
        metadata.checksRules = parser.statements.contains { $0.words.map(\.literal) == ["check", "rules"] }
        return Script(source: parser.source, metadata: metadata, statements: parser.statements)
    }

    /// Reads a whole script from the bytes of a file, which must be UTF-8.
    package static func parse(
        utf8 bytes: [UInt8], named name: String, origin: Origin = .file, variables: Set<String>? = nil,
        check: (Statement) -> [Diagnostic] = { _ in [] }
    ) throws(ScriptErrors) -> Script {
        if let error = UTF8Check.firstError(in: bytes) {
            let source = SourceText(name: name, text: String(decoding: bytes, as: UTF8.self))
            throw ScriptErrors(source: source, all: [error])
        }
        return try parse(
            String(decoding: bytes, as: UTF8.self), named: name, origin: origin, variables: variables, check: check)
    }
}

/// All errors in a script.
package struct ScriptErrors: Error, Equatable, Sendable {
    /// The maximum number of listed errors. A file with more is probably not a script.
    static let countMax = 20

    let source: SourceText
    /// The first errors, in the order of their positions.
    let diagnostics: [Diagnostic]
    /// The number of errors that are not in `diagnostics`.
    let omittedCount: Int

    init(source: SourceText, all: [Diagnostic]) {
        self.source = source
        let sorted = all.enumerated()
            .sorted { ($0.element.position.byteOffset, $0.offset) < ($1.element.position.byteOffset, $1.offset) }
            .map(\.element)
        diagnostics = Array(sorted.prefix(Self.countMax))
        omittedCount = all.count - diagnostics.count
    }

    /// Each error with its line and a caret, for stderr.
    package var rendered: String {
        var parts = diagnostics.map { $0.rendered(in: source) }
        if omittedCount > 0 { parts.append("and \(omittedCount) more") }
        return parts.joined(separator: "\n")
    }
}

/// Checks whether bytes are UTF-8.
enum UTF8Check {
    /// The error for the first byte that is not UTF-8; nil if there is none.
    static func firstError(in bytes: [UInt8]) -> Diagnostic? {
        guard String(validating: bytes, as: UTF8.self) == nil else { return nil }
        var parser = Unicode.UTF8.ForwardParser()
        var iterator = bytes.makeIterator()
        var offset = 0
        var line = 1
        var lineStart = 0
        while true {
            switch parser.parseScalar(from: &iterator) {
            case .valid(let scalar):
                offset += scalar.count
                if scalar.first == 0x0A {
                    line += 1
                    lineStart = offset
                }
            case .emptyInput:
                return nil
            case .error:
                let column = String(decoding: bytes[lineStart..<offset], as: UTF8.self).count + 1
                let value = String(bytes[offset], radix: 16, uppercase: true)
                return Diagnostic(
                    "byte 0x\(value.count < 2 ? "0" : "")\(value) is not UTF-8",
                    at: SourcePosition(line: line, column: column, byteOffset: offset),
                    hint: "save the file as UTF-8")
            }
        }
    }
}
