import ArgumentParser
import Foundation

/// `1..1000`: from the first to the last seed, inclusive; `1000..` has no last one.
package struct SeedRange: ExpressibleByArgument, Equatable, Sendable {
    package var range: Range<UInt64>
    /// The end of a range without a last seed.
    package static let end = UInt64.max - 1

    package init?(argument: String) {
        let parts = argument.components(separatedBy: "..")
        if parts.count == 2, parts[1].isEmpty, let first = UInt64(parts[0]), first < Self.end {
            range = first..<Self.end
            return
        }
        guard parts.count == 2, let first = UInt64(parts[0]), let last = UInt64(parts[1]), first <= last, last < .max
        else {
            guard let one = UInt64(argument), one < .max else { return nil }
            range = one..<(one + 1)
            return
        }
        range = first..<(last + 1)
    }
}
