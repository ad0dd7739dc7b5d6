import IMLocalData
import IMProtocol

/// The values of a field of local data that identify nobody.
package enum ClosedValues: Hashable, Sendable {
    /// An amount, at most 9 digits: a longer one could be a phone number.
    case amount
    /// A time in milliseconds, a size or a sequence number: 64 bits in the vendor's format.
    case number
    case flag
    /// The position at the end of a page.
    case position
    /// Words of the vendor or of this program, and the vendor's numbers for them.
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
