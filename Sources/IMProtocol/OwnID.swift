/// The id that a client gives to a message or operation, `DEVICE-NONCE-NUMBER`: a process name that is unique, and a
/// number that is unique within the process. A receiver can therefore keep all received ids as ranges of numbers
/// (C-14).
public struct OwnID: Hashable, Sendable {
    /// The name of the process: its device, so that an id shows its origin, and its random nonce.
    public let process: String
    /// The number within its process; 0 in an id of another format.
    public let number: UInt64

    private static let nonceDigits = 16

    /// The name of a process.
    public static func process(device: String, nonce: UInt64) -> String {
        let digits = String(nonce, radix: 16)
        return "\(device)-\(String(repeating: "0", count: nonceDigits - digits.count))\(digits)"
    }

    /// The id of the message or operation with this number.
    public init(process: String, number: UInt64) {
        self.process = process
        self.number = number
    }

    /// Parses an id. One of another format counts as its own process.
    public init(_ text: String) {
        if let dash = text.lastIndex(of: "-"), let number = UInt64(text[text.index(after: dash)...]),
            OwnID.isProcess(text[..<dash])
        {
            process = String(text[..<dash])
            self.number = number
        } else {
            process = text
            number = 0
        }
    }

    /// `DEVICE-NONCE-NUMBER`. For an id of another format it is not the original text.
    public var text: String { "\(process)-\(number)" }

    /// True if a text is the name of a process as clients make it.
    public static func isProcess(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8.suffix(nonceDigits)
        return digits.count == nonceDigits
            && digits.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
            && text.utf8.dropLast(nonceDigits).last == UInt8(ascii: "-")
    }
}
