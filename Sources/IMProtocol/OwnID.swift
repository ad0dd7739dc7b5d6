/// The id that a client gives to a message or operation: `DEVICE-NONCE-NUMBER`. It consists of the unique name of the
/// client's process, `DEVICE-NONCE`, and a number that the process counts. So a receiver can store the received ids of
/// a process as ranges of numbers (C-14).
public struct OwnID: Hashable, Sendable {
    /// The name of the process: the id of its device and a random nonce.
    public let process: String
    /// The number that the process counted; 0 if the id has another format.
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

    /// Parses an id. If the id has another format, the whole text is the name of the process.
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

    /// The id as a text: `DEVICE-NONCE-NUMBER`. For an id that had another format, this is not the original text.
    public var text: String { "\(process)-\(number)" }

    /// True if a text has the form of a name from ``process(device:nonce:)``.
    public static func isProcess(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8.suffix(nonceDigits)
        return digits.count == nonceDigits
            && digits.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
            && text.utf8.dropLast(nonceDigits).last == UInt8(ascii: "-")
    }
}
