import IMLocalData
import IMProtocol

/// A closed set of values of a field of local data. No value of the set identifies a person, so redaction does not
/// replace it.
package enum ClosedValues: Hashable, Sendable {
    /// A count, with at most 9 digits. A longer number could be a phone number.
    case amount
    /// A time in milliseconds, a size or a sequence number. The vendor stores these as 64-bit integers.
    case number
    case flag
    /// The position with which the next page of an answer is requested.
    case position
    /// Words that the vendor or this program defines, and the vendor's numbers for these words.
    case words([String])

    private static let amountDigitsMax = 9

    package func contains(_ value: String) -> Bool {
        switch self {
        case .amount: Int64(value).map { String($0) == value && value.utf8.count <= Self.amountDigitsMax } ?? false
        case .number: Int64(value).map { String($0) == value } ?? false
        case .flag: ["true", "false", "YES", "NO", "1", "0"].contains(value)
        case .position: value.isEmpty || Position(value).map { $0.text == value } ?? false
        case .words(let words): value.isEmpty || words.contains(value)
        }
    }
}
