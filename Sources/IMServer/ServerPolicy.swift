import IMProtocol
import SansIO

/// Everything in which one system's server differs from another's: numbers and choices, no code.
public struct ServerPolicy: Hashable, Sendable, Codable {
    /// The profile's name; tokens must be for it.
    public var profile: String
    /// Which devices of an account cannot be online together (NIM-11).
    public var exclusion: Exclusion
    /// Devices of one account that may be logged in at once, where the exclusion sets no tighter bound (NIM-11).
    public var deviceCountMax: Int
    /// Whether an automatic login is refused after another device of its group was used (NIM-4).
    public var checksLastDevice: Bool
    /// A connection over which nothing came for so long is dead (C-12).
    public var silenceLimit: Interval
    /// How long a user whose connection broke counts as online (RTM-4); counted from the break.
    public var presenceHold: Interval
    /// How long after the last heartbeat a silent connection counts as broken, for ``presenceHold``.
    public var heartbeatInterval: Interval
    /// A connection on which nobody logs in is ended after this.
    public var loginOverdueAfter: Interval
    /// Whether an account is made the first time its name is used.
    public var makesAccounts: Bool
    /// Whether a login without a credential is let in, for playing.
    public var admitsWithoutCredential: Bool
    /// Whether messages that waited go out when the client asks for the sync rather than right after the login.
    public var deliversAtSync: Bool
    public var messagesStoredMax: Int
    public var channelMembersMax: Int
    public var accountCountMax: Int
    public var connectionCountMax: Int

    /// Which devices exclude each other. Devices of one group do; devices of different groups never do.
    public enum Exclusion: String, Hashable, Sendable, Codable, CaseIterable {
        /// Phones exclude phones, computers exclude computers and browsers (NIM's default).
        case mobileDesktop = "mobile-desktop"
        /// One device only (RTM).
        case single
        /// Up to ``ServerPolicy/deviceCountMax`` devices; one more ends the earliest login.
        case unlimited
        /// Nobody is ended by the server; the app decides from the list of devices.
        case none
    }

    public init(
        profile: String, exclusion: Exclusion, deviceCountMax: Int = 10, checksLastDevice: Bool = false,
        silenceLimit: Interval = .seconds(90), presenceHold: Interval = .zero,
        heartbeatInterval: Interval = .seconds(30), loginOverdueAfter: Interval = .seconds(30),
        makesAccounts: Bool = true, admitsWithoutCredential: Bool = false, deliversAtSync: Bool = false,
        messagesStoredMax: Int = 100,
        channelMembersMax: Int = 1000, accountCountMax: Int = 100_000, connectionCountMax: Int = 10_000
    ) {
        self.profile = profile
        self.exclusion = exclusion
        self.deviceCountMax = deviceCountMax
        self.checksLastDevice = checksLastDevice
        self.silenceLimit = silenceLimit
        self.presenceHold = presenceHold
        self.heartbeatInterval = heartbeatInterval
        self.loginOverdueAfter = loginOverdueAfter
        self.makesAccounts = makesAccounts
        self.admitsWithoutCredential = admitsWithoutCredential
        self.deliversAtSync = deliversAtSync
        self.messagesStoredMax = messagesStoredMax
        self.channelMembersMax = channelMembersMax
        self.accountCountMax = accountCountMax
        self.connectionCountMax = connectionCountMax
    }

    /// The group of devices that a platform belongs to; nil where nobody excludes anybody.
    func group(of platform: Platform) -> DeviceGroup? {
        switch exclusion {
        case .single: return .all
        case .unlimited, .none: return nil
        case .mobileDesktop:
            switch platform {
            case .ios, .android, .windowsPhone, .ipad, .harmony: return .mobile
            case .windows, .macos, .linux, .web, .miniProgram: return .desktop
            case .unknown, .server: return nil
            }
        }
    }
}

/// Devices that exclude each other.
enum DeviceGroup: UInt8, Hashable, Sendable, Codable {
    case all
    case mobile
    case desktop
}
