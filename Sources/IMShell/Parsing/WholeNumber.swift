import ArgumentParser

/// Parses the whole numbers in options and arguments.
package enum WholeNumber {
    /// Parses a number in a range. The error for any other text contains the range.
    ///
    /// - Parameters:
    ///   - unit: the unit, such as `bytes`; empty if the option's name contains it.
    ///   - acceptsBeyond: true to accept numbers outside of the range too, because the SDK then rejects them with the
    ///     vendor's code.
    package static func `in`<Number: FixedWidthInteger & Sendable>(
        _ range: ClosedRange<Number>, _ unit: String = "", acceptsBeyond: Bool = false
    ) -> @Sendable (String) throws -> Number {
        { argument in
            guard let number = Number(DashMark.removed(from: argument)), acceptsBeyond || range.contains(number)
            else {
                let counted = unit.isEmpty ? "" : " of \(unit)"
                throw ValidationError(
                    "use a whole number\(counted) from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
    }
}
