/// The kinds of device that the five systems distinguish. The numbers are those of the wire format.
public enum Platform: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case unknown = 0
    case ios = 1
    case android = 2
    case windows = 3
    case macos = 4
    case linux = 5
    case web = 6
    case windowsPhone = 7
    /// An iOS device to a server that counts devices by platform (CHAT-2).
    case ipad = 8
    /// A program that runs inside another app.
    case miniProgram = 9
    case harmony = 10
    /// The sender is not a device, but a server that uses the service: NIM's REST interface.
    case server = 11

    /// Its name in commands, recordings and JSON.
    public var name: String {
        switch self {
        case .unknown: "unknown"
        case .ios: "ios"
        case .android: "android"
        case .windows: "windows"
        case .macos: "macos"
        case .linux: "linux"
        case .web: "web"
        case .windowsPhone: "wp"
        case .ipad: "ipad"
        case .miniProgram: "mini-program"
        case .harmony: "harmony"
        case .server: "server"
        }
    }

    /// The platform of a ``name``; nil for any other text.
    public init?(name: String) {
        guard let platform = Platform.allCases.first(where: { $0.name == name }) else { return nil }
        self = platform
    }
}

/// A client's description of its device.
public struct Device: Hashable, Sendable, Codable {
    /// Made once for each installation; it survives restarts (CHAT-4).
    public var id: String
    /// The kind of device; it decides which devices exclude each other (NIM-11, ZIM-7, CHAT-2).
    public var platform: Platform
    /// Shown to the user's other devices; the model if the app set none.
    public var name: String
    /// The app's own number for the platform; 0 if it set none (CHAT-5).
    public var osType: UInt32
    /// A text of the app for the user's other devices (CHAT-5).
    public var ext: String

    /// An unchecked device, see ``isValid``.
    public init(id: String, platform: Platform, name: String = "", osType: UInt32 = 0, ext: String = "") {
        self.id = id
        self.platform = platform
        self.name = name
        self.osType = osType
        self.ext = ext
    }

    /// True if a server should accept it: names within their limits, no unprintable characters.
    public var isValid: Bool {
        ProtocolLimit.isName(id) && ProtocolLimit.isText(name, bytesMax: ProtocolLimit.nameBytesMax)
            && ProtocolLimit.isText(ext, bytesMax: ProtocolLimit.extensionBytesMax)
    }
}
