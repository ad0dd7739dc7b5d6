/// Identifies one connection of one client, counted from 1 by the side that opens it. It is the generation in every
/// input from a connection, so that answers of a replaced connection can be dropped (C-3).
public struct ConnectionID: Hashable, Comparable, Sendable, Codable {
    /// The number of the connection within its client, from 1.
    public var rawValue: UInt32

    /// The connection of this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The next connection; wraps around after four thousand million of them.
    public var successor: ConnectionID { ConnectionID(rawValue &+ 1) }

    /// True if the left one has the lower number: it was opened before, unless the numbers have wrapped around.
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

/// Identifies one command of the user to one node; each is completed exactly once (C-1).
public struct CommandID: Hashable, Comparable, Sendable, Codable {
    /// Counted from 1 by the world that runs the command, for all of its nodes.
    public var rawValue: UInt32

    /// The command of this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// True if the left one has the lower number: it was given before, unless the numbers have wrapped around.
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

/// The server's count of the explicit logins of an account. A reconnect contains the epoch of the login that it
/// continues, so that the server can distinguish it from a new login (C-6). 0 means none.
public typealias LoginEpoch = UInt64

/// Limits on what a peer or a user may send.
public enum ProtocolLimit {
    /// A frame's size in bytes; a larger one ends the connection.
    public static let frameBytesMax = 64 * 1024
    /// A user name, device id, channel name or device name in UTF-8 bytes.
    public static let nameBytesMax = 255
    /// The displayed name of a user in UTF-8 bytes, by ZIM's documents.
    public static let userNameBytesMax = 256
    /// The text of a message in UTF-8 bytes.
    public static let textBytesMax = 32 * 1024
    /// The extension that a device may send to the user's other devices, in UTF-8 bytes.
    public static let extensionBytesMax = 1024

    /// True if a string is valid as the name of a user, device or channel: not empty, not too long, no control
    /// characters.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && isText(text, bytesMax: nameBytesMax)
    }

    /// True if a string, possibly empty, is at most `bytesMax` long and has no control characters.
    public static func isText(_ text: String, bytesMax: Int) -> Bool {
        text.utf8.count <= bytesMax && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) }
    }
}
