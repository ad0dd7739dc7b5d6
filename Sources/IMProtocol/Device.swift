/// The kinds of device that the five systems distinguish. Frames contain the raw values.
public enum Platform: UInt8, Hashable, Sendable, Codable, CaseIterable {
    case unknown = 0
    case ios = 1
    case android = 2
    case windows = 3
    case macos = 4
    case linux = 5
    case web = 6
    case windowsPhone = 7
    /// An iPad. Only a server that limits the number of devices for each platform distinguishes it from iOS (CHAT-2).
    case ipad = 8
    /// A program that runs inside another app.
    case miniProgram = 9
    case harmony = 10
    /// Not a device: a server of the app's owner, which uses NIM's REST interface.
    case server = 11

    /// The name of the platform in commands, recordings and JSON.
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

    /// The platform with this ``name``; nil if there is none.
    public init?(name: String) {
        guard let platform = Platform.allCases.first(where: { $0.name == name }) else { return nil }
        self = platform
    }
}

/// A client's description of its device.
public struct Device: Hashable, Sendable, Codable {
    /// The id of the device. The SDK generates it once for each installation, and it remains after a restart (CHAT-4).
    public var id: String
    /// The kind of device. It decides which devices exclude each other (NIM-11, ZIM-7, CHAT-2).
    public var platform: Platform
    /// The name that the user's other devices show; the device's model if the app set none.
    public var name: String
    /// The number by which the app identifies the platform; 0 if the app set none (CHAT-5).
    public var osType: UInt32
    /// A text that the app sends to the user's other devices (CHAT-5).
    public var ext: String

    /// Creates a device without checking it; see ``isValid``.
    public init(id: String, platform: Platform, name: String = "", osType: UInt32 = 0, ext: String = "") {
        self.id = id
        self.platform = platform
        self.name = name
        self.osType = osType
        self.ext = ext
    }

    /// True if a server may accept the device: its texts are within their limits and contain no control characters.
    public var isValid: Bool {
        ProtocolLimit.isName(id) && ProtocolLimit.isText(name, bytesMax: ProtocolLimit.nameBytesMax)
            && ProtocolLimit.isText(ext, bytesMax: ProtocolLimit.extensionBytesMax)
    }
}
