/// The number of a connection. The side that opens connections counts them from 1. Each input from a connection
/// contains its number, so that a machine can ignore inputs from a connection that was replaced (C-3).
public struct ConnectionID: Hashable, Comparable, Sendable, Codable {
    /// The number, from 1.
    public var rawValue: UInt32

    /// The connection with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// The number of the next connection. After 2^32 connections the numbers start again.
    public var successor: ConnectionID { ConnectionID(rawValue &+ 1) }

    /// True if the left number is lower: its connection was opened earlier, unless the numbers have started again.
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

/// The number of a command to a node. Each command is completed exactly once (C-1).
public struct CommandID: Hashable, Comparable, Sendable, Codable {
    /// The number, from 1. A world counts the commands to all of its nodes together.
    public var rawValue: UInt32

    /// The command with this number.
    public init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// True if the left number is lower: its command is earlier, unless the numbers have started again.
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

/// The number of a login among the new logins of an account, counted by the server. A reconnect contains the epoch of
/// the login that it continues, so that the server can distinguish it from a new login (C-6). 0 means no login.
public typealias LoginEpoch = UInt64

/// The limits for frames, names and texts from a peer or a user.
public enum ProtocolLimit {
    /// The maximum length of a frame, in bytes. A longer frame ends the connection.
    public static let frameBytesMax = 64 * 1024
    /// The maximum length of a user's, device's or channel's id and of a device's name, in UTF-8 bytes.
    public static let nameBytesMax = 255
    /// The maximum length of a user's name that apps show, in UTF-8 bytes. ZIM documents this limit.
    public static let userNameBytesMax = 256
    /// The maximum length of a message's text, in UTF-8 bytes.
    public static let textBytesMax = 32 * 1024
    /// The maximum length of the text `ext` of a device or an operation, in UTF-8 bytes.
    public static let extensionBytesMax = 1024

    /// True if a text can be the name of a user, device or channel: it is not empty, at most ``nameBytesMax`` bytes
    /// long, and contains no control characters.
    public static func isName(_ text: String) -> Bool {
        !text.isEmpty && isText(text, bytesMax: nameBytesMax)
    }

    /// True if a text is at most `bytesMax` UTF-8 bytes long and contains no control characters. It may be empty.
    public static func isText(_ text: String, bytesMax: Int) -> Bool {
        text.utf8.count <= bytesMax && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F ~= $0.value) }
    }
}
