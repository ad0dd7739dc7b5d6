/// The id that a client gives to what it sends, `DEVICE-NONCE-NUMBER`: a name that no other process has, and a number
/// that this process gives once. Whoever has to know for ever which ones came needs to remember no more than ranges of
/// numbers (C-14).
public struct OwnID: Hashable, Sendable {
    /// Of the process: its device, so that an id says where it is from, and what it drew at its start.
    public let process: String
    /// Which of the things of its process it is; 0 in an id of another make.
    public let number: UInt64

    private static let nonceDigits = 16

    /// The name of a process.
    public static func process(device: String, nonce: UInt64) -> String {
        let digits = String(nonce, radix: 16)
        return "\(device)-\(String(repeating: "0", count: nonceDigits - digits.count))\(digits)"
    }

    /// The id of the thing that a process sends under this number.
    public init(process: String, number: UInt64) {
        self.process = process
        self.number = number
    }

    /// Takes an id apart. One of another make is a process of its own.
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

    /// `DEVICE-NONCE-NUMBER`. For an id of another make it is not the text that the id was read from.
    public var text: String { "\(process)-\(number)" }

    /// Whether a text is the name of a process as clients make it.
    public static func isProcess(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8.suffix(nonceDigits)
        return digits.count == nonceDigits
            && digits.allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || UInt8(ascii: "a")...UInt8(ascii: "f") ~= $0
            }
            && text.utf8.dropLast(nonceDigits).last == UInt8(ascii: "-")
    }
}
