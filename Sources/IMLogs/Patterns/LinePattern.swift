import Foundation
import IMText

/// A regular expression with limits on the length of the text, on the number of steps, and on its syntax.
final class LinePattern {
    private let bytes: BytePattern
    /// The number of aborted matches after which the pattern counts as too slow.
    private static let abandonedMax = 50

    struct InvalidPattern: Error, CustomStringConvertible { var description: String }

    /// True if the pattern is too slow for the lines of this log.
    var isTooSlow: Bool { bytes.abandonedCount > Self.abandonedMax }

    /// - Parameter isTrusted: true for a built-in pattern, whose repetitions are known to end.
    init(_ pattern: String, isTrusted: Bool = false) throws {
        guard isTrusted || !Self.canTakeExponentialTime(pattern) else {
            throw InvalidPattern(
                description: "has a repetition inside a repeated group, which can take exponential time")
        }
        do {
            bytes = try BytePattern(pattern)
        } catch {
            throw InvalidPattern(description: error.description)
        }
    }

    /// The groups that matched; nil if the pattern does not match.
    func match(_ text: UnsafeBufferPointer<UInt8>) -> LineGroups? {
        guard ByteSearch.contains(text, bytes.literal), bytes.match(text) != nil else { return nil }
        var groups = LineGroups()
        for (index, name) in bytes.names.enumerated() where !name.isEmpty {
            guard let range = bytes.range(index) else { continue }
            groups.add(name, range.lowerBound, String(decoding: text[range], as: UTF8.self))
        }
        return groups
    }

    /// True for a pattern such as `(a+)+` or `(a*b*)*`, which has an unbounded repetition inside an unbounded group.
    static func canTakeExponentialTime(_ pattern: String) -> Bool {
        var stack: [Bool] = [false]
        var closed: Bool?
        var inClass = false
        var escaped = false
        let characters = Array(pattern)
        for (index, character) in characters.enumerated() {
            if escaped { escaped = false; closed = nil; continue }
            switch character {
            case "\\": escaped = true
            case "[" where !inClass: inClass = true; closed = nil
            case "]" where inClass: inClass = false; closed = nil
            case _ where inClass: break
            case "(": stack.append(false); closed = nil
            case ")":
                guard stack.count > 1 else { return false }
                closed = stack.removeLast()
                if closed == true { stack[stack.count - 1] = true }
            case "*", "+", "{":
                // `{2,5}` is bounded, `{2,}` is not.
                let isUnbounded = character != "{" || hasNoMaximum(characters[index...])
                if isUnbounded, closed == true { return true }
                if isUnbounded { stack[stack.count - 1] = true }
                closed = nil
            default: closed = nil
            }
        }
        return false
    }

    private static func hasNoMaximum(_ rest: ArraySlice<Character>) -> Bool {
        guard let end = rest.firstIndex(of: "}") else { return false }
        return rest[..<end].last == ","
    }
}

extension Character {
    /// The character in a pattern, with a backslash if it has a meaning there.
    var asPattern: String { "\\.+*?()[]{}|^$".contains(self) ? "\\\(self)" : String(self) }
}

/// The named groups of a match.
struct LineGroups {
    private var values: [(name: String, start: Int, value: String)] = []

    mutating func add(_ name: String, _ start: Int, _ value: String) { values.append((name, start, value)) }

    subscript(name: String) -> String? { values.first { $0.name == name }?.value }

    /// The groups in the order of their positions in the text.
    var inOrder: [(name: String, value: String)] {
        values.sorted { $0.start < $1.start }.map { ($0.name, $0.value) }
    }
}

/// Searches for a byte string in another one.
enum ByteSearch {
    static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ literal: [UInt8]) -> Bool {
        guard let first = literal.first else { return true }
        guard let base = bytes.baseAddress else { return false }
        return literal.withUnsafeBufferPointer { literal in
            guard let wanted = literal.baseAddress else { return true }
            var start = 0
            while start <= bytes.count - literal.count,
                let found = memchr(base + start, Int32(first), bytes.count - literal.count - start + 1)
            {
                if memcmp(found, wanted, literal.count) == 0 { return true }
                start = UnsafeRawPointer(found) - UnsafeRawPointer(base) + 1
            }
            return false
        }
    }
}
