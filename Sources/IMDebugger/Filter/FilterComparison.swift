import IMText
import SansIO

/// One comparison of one field. A field may have several values. `!=` holds if no value equals the
/// operand. A comparison with another operator holds if it holds for one of the values.
package struct FilterComparison: Sendable {
    enum Operator: String, CaseIterable, Hashable, Sendable {
        case equal = "=="
        /// The event has the field, and none of the field's values is equal to the operand.
        case unequal = "!="
        case less = "<"
        case lessOrEqual = "<="
        case greater = ">"
        case greaterOrEqual = ">="
        case matches = "=~"
        case isIn = "in"
    }

    enum Test: Sendable {
        /// The event has the field.
        case present
        case compare(Operator, [FilterOperand])
        case pattern(FilterPattern)
    }

    let name: FilterName
    let test: Test

    func holds(for values: [String]) -> Bool {
        switch test {
        case .present: !values.isEmpty
        case .pattern(let pattern): values.contains { pattern.occurs(in: $0) }
        case .compare(.equal, let operands), .compare(.isIn, let operands):
            values.contains { value in operands.contains { equals($0, value) } }
        case .compare(.unequal, let operands):
            !values.isEmpty && !values.contains { value in operands.contains { equals($0, value) } }
        case .compare(let order, let operands):
            values.contains { value in operands.contains { isOrdered($0, value, order) } }
        }
    }

    /// True if the comparison holds for a time. Except for equality, this is decided without making the text of the
    /// time.
    func holds(forTime time: Instant) -> Bool {
        guard case .compare(let order, let operands) = test, operands.count == 1, let wanted = operands[0].duration,
            order != .equal, order != .unequal, order != .isIn
        else { return holds(for: [Interval(nanoseconds: time.nanoseconds).text]) }
        return Self.isOrdered(time.nanoseconds, wanted.nanoseconds, order)
    }

    private func equals(_ operand: FilterOperand, _ value: String) -> Bool {
        if PrintedValue.matches(operand.text, printed: value) { return true }
        guard let wanted = operand.duration, let found = duration(value) else { return false }
        // Event lists show times in whole milliseconds. A time copied from such a list must match the event.
        let comparesMilliseconds = name == .time && wanted.nanoseconds % 1_000_000 == 0
        return comparesMilliseconds ? found.nanoseconds / 1_000_000 == wanted.nanoseconds / 1_000_000 : found == wanted
    }

    private func isOrdered(_ operand: FilterOperand, _ value: String, _ order: Operator) -> Bool {
        if let wanted = operand.duration {
            guard let found = duration(value) else { return false }
            return Self.isOrdered(found.nanoseconds, wanted.nanoseconds, order)
        }
        let number = PrintedValue.parts(of: value)?.number ?? value
        if let wanted = Int64(operand.text), let found = Int64(number) { return Self.isOrdered(found, wanted, order) }
        guard let wanted = operand.number, let found = FilterOperand.number(number) else { return false }
        return Self.isOrdered(found, wanted, order)
    }

    private func duration(_ value: String) -> Interval? {
        if let interval = DurationText.signedInterval(value) { return interval }
        return name.isInMilliseconds ? Int64(value).map(Interval.milliseconds) : nil
    }

    static func isOrdered<Value: Comparable>(_ left: Value, _ right: Value, _ order: Operator) -> Bool {
        switch order {
        case .less: left < right
        case .lessOrEqual: left <= right
        case .greater: left > right
        case .greaterOrEqual: left >= right
        case .equal, .unequal, .matches, .isIn: false
        }
    }
}

/// A value in a filter: its text, and the number and the duration that the text can mean.
struct FilterOperand: Hashable, Sendable {
    let text: String
    let number: Double?
    let duration: Interval?

    init(_ text: String) {
        self.text = text
        number = Self.number(text)
        duration = DurationText.signedInterval(text)
    }

    /// The value of a decimal number; nil for any other text, such as `nan` and `0x10`.
    static func number(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 45 || $0 == 43 || $0 == 46 }) else { return nil }
        return Double(text)
    }
}

/// A regular expression that ignores case unless it contains `(?-i)`.
final class FilterPattern: Sendable {
    let source: String
    private let pattern: LinearPattern

    /// The maximum length in characters. There is a limit because the time of a search grows with the length of the
    /// pattern times the length of the text.
    static let lengthMax = 500

    struct Failure: Error {
        var message: String
    }

    init(_ source: String) throws(Failure) {
        self.source = source
        guard source.count <= Self.lengthMax else {
            throw Failure(message: "a regular expression has at most \(Self.lengthMax) characters")
        }
        do {
            pattern = try LinearPattern(source, ignoresCase: true)
        } catch {
            throw Failure(message: "not a regular expression: it \(error)")
        }
    }

    func occurs(in text: String) -> Bool { pattern.occurs(in: text) }
}
