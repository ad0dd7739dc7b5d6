import ArgumentParser

/// Reads the whole numbers of options and arguments.
package enum WholeNumber {
    /// Reads a number within a range. The error for any other text names the range.
    ///
    /// - Parameters:
    ///   - unit: the unit, such as `bytes`; empty if the option's name contains it.
    ///   - acceptsBeyond: true to accept numbers outside of the range too, because a later error has the vendor's code.
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
