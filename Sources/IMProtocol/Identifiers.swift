/// Names one connection of one client, counted from 1 by the side that opens it. It is the generation that every
/// answer of a link carries, so that an answer of a replaced connection is known for what it is (C-3).
public struct ConnectionID: Hashable, Comparable, Sendable, Codable {
    /// Which connection of its client it is, counted from 1.
    public var rawValue: UInt32

    /// The connection of this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The connection opened after this one; wraps around after four thousand million of them.
    public var successor: ConnectionID { ConnectionID(rawValue &+ 1) }

    /// Whether the left one has the lower number: it was opened before, unless the numbers have wrapped around.
    public static func < (left: ConnectionID, right: ConnectionID) -> Bool { left.rawValue < right.rawValue }

    /// Reads one bare number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(UInt32.self)
    }

    /// Writes one bare number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Names one command of the user to one node; each is completed exactly once (C-1).
public struct CommandID: Hashable, Comparable, Sendable, Codable {
    /// Counted from 1 by the world that runs the command, over all of its nodes.
    public var rawValue: UInt32

    /// The command of this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Whether the left one has the lower number: it was given before, unless the numbers have begun anew.
    public static func < (left: CommandID, right: CommandID) -> Bool { left.rawValue < right.rawValue }

    /// Reads one bare number.
    public init(from decoder: any Decoder) throws {
        rawValue = try decoder.singleValueContainer().decode(UInt32.self)
    }

    /// Writes one bare number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// Counts the explicit logins of an account, by the server. A reconnect presents the epoch of the login that it
/// continues, so that the server can tell it from a login of its own right (C-6). 0 stands for none.
public typealias LoginEpoch = UInt64

/// Limits on what a peer or a user may send.
public enum ProtocolLimit {
    /// A frame's size in bytes; a larger one ends the connection.
    public static let frameBytesMax = 64 * 1024
    /// A user name, device id, channel name or device name in UTF-8 bytes.
    public static let nameBytesMax = 255
    /// What a user is called in UTF-8 bytes, by ZIM's documents.
    public static let userNameBytesMax = 256
    /// The text of a message in UTF-8 bytes.
    public static let textBytesMax = 32 * 1024
    /// The extension that a device may hand to the devices it meets, in UTF-8 bytes.
    public static let extensionBytesMax = 1024

    /// Whether a string may serve as the name of a user, device or channel: not empty, not too long, no control
    /// characters.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && isText(text, bytesMax: nameBytesMax)
    }

    /// Whether a string, possibly empty, keeps within `bytesMax` and holds no control characters.
    public static func isText(_ text: String, bytesMax: Int) -> Bool {
        text.utf8.count <= bytesMax && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) }
    }
}
