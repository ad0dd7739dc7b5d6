import IMProtocol
import SansIO

/// Everything in which one system's server differs from another's: numbers and choices, no code.
public struct ServerPolicy: Hashable, Sendable, Codable {
    /// The profile's name; tokens must be for it.
    public var profile: String
    /// Which devices of an account cannot be online together (NIM-11).
    public var exclusion: Exclusion
    /// Devices of one account that may be logged in at once, where the exclusion sets no tighter bound (NIM-11); with
    /// ``Exclusion/perPlatform`` those of one platform (CHAT-2).
    public var deviceCountMax: Int
    /// What becomes of a reconnect that finds its place taken (C-6, CHAT-3).
    public var takenPlace: TakenPlace
    /// Whether the only place's being taken is told as a change of device rather than as too many of them: the vendor's
    /// newer document has it so (CHAT-3).
    public var tellsDeviceChanged: Bool
    /// Whether a device that was away when its user was banned or removed, or its password changed, learns it as the
    /// refusal of its login (NIM-7) rather than as a kick.
    public var tellsEndsAsRefusals: Bool
    /// Whether a change of the password ends the logins made before (CHAT-10), or they go on until they have to show
    /// their credential again (NIM-7).
    public var passwordChangeEndsLogins: Bool
    /// Devices of an account that the server knows at once, logged in or not. For one more the device that has been
    /// gone longest is forgotten, with what waits for it: first those logged out, then those away. Where all are
    /// connected, the new one is refused.
    public var devicesKeptMax: Int
    /// Whether `user/device` names one device (CHAT-7). Then neither part has a `/` of its own.
    public var hasLoginIDs: Bool
    /// How long tokens live for which nobody says it; nil for tokens that do not expire (NIM's are static).
    public var tokenLifetime: Interval?
    /// Whether a device that has been offline holds no place any more, so that the next login is beside it (CHAT-3).
    public var offlineFreesPlace: Bool
    /// Logins that a device may ask for within ``loginRateWindow``; 0 for no limit (NIM-8, RTM-9).
    public var loginRateMax: Int
    /// How long a login counts towards ``loginRateMax``.
    public var loginRateWindow: Interval
    /// How long a device that asked too often is refused.
    public var loginRatePenalty: Interval
    /// Whether the end of a token's life ends the login (ZIM-6, CHAT-10).
    public var tokenExpiryEndsLogin: Bool
    /// Whether an automatic login is refused after another device of its group was used (NIM-4).
    public var checksLastDevice: Bool
    /// A connection over which nothing came for so long is dead (C-12).
    public var silenceLimit: Interval
    /// What a device that is there has not confirmed after this goes to the push service (CHAT-8); zero: only when its
    /// connection ends.
    public var pushAfter: Interval
    /// Whether a connection that breaks without a goodbye ends only when it has been silent for ``silenceLimit``, as if
    /// the server had not seen the break (SYNC-9, ZIM-5).
    public var breakWaitsForSilence: Bool
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
    /// Whether what a user sends from one device goes to the user's other devices too (CHAT-8).
    public var copiesToOwnDevices: Bool
    /// Whether logins can be listed and ended with a credential, from outside (CHAT-6).
    public var hasAccountCalls: Bool
    /// Messages that may wait for a device, and operations; one more is refused, and its sender told.
    public var messagesStoredMax: Int
    /// How many bytes the messages that wait for a device may take.
    public var inboxBytesMax: Int
    /// Processes of a device whose ids are remembered, so that what they send again is taken in once (C-14).
    public var senderProcessesMax: Int
    /// How many gaps there may be in the numbers that came from a process. At the bound what comes from below the lowest
    /// is refused, because it may have been taken in before.
    public var senderGapsMax: Int
    /// Messages of a channel that a member who was away gets afterwards (RTM-8); 0 for none.
    public var channelReplayMax: Int
    /// How old they may be.
    public var channelReplayAge: Interval
    /// Changes of the tree that one connection may ask for within ``treeWritesWindow``; 0 for no limit. Reads are
    /// exempt.
    public var treeWritesMax: Int
    /// The time for ``treeWritesMax`` changes; it begins with the first of them.
    public var treeWritesWindow: Interval
    /// Bytes of text that all channels together keep for members who were away; at them a channel's own oldest message goes first.
    public var channelReplayBytesMax: Int
    /// Users in one channel; one more is refused.
    public var channelMembersMax: Int
    /// Channels that one login may be in (RTM-9); one more is refused.
    public var channelsPerLoginMax: Int
    /// Channels at all; a join that would make one more is refused.
    public var channelCountMax: Int
    /// Users that one connection may watch; one more is refused.
    public var watchedCountMax: Int
    /// Attributes of one user or one channel; a larger set is refused whole.
    public var attributeCountMax: Int
    /// Bytes of one attribute's name; a longer one is no name.
    public var attributeNameBytesMax: Int
    /// Bytes of one attribute's value; a set with a longer one is refused whole.
    public var attributeValueBytesMax: Int
    /// Bytes of all names and values of one user together.
    public var attributeBytesMax: Int
    /// Bytes of all names and values of one channel together.
    public var channelAttributeBytesMax: Int
    /// Things of one phase of a sync that an account may have; more are refused.
    public var syncItemCountMax: Int
    /// How long what waits for a device that is away holds others up. Until then a message for which there is no room
    /// is refused, and its sender told; from then on the oldest that waits for that device is dropped for it, and
    /// counted.
    public var givenUpAfter: Interval
    /// Whether another running instance on the same device is another login, which ends the one before (RTM-6).
    public var endsOtherInstances: Bool
    /// Accounts at all; a login or a command that would make one more is refused. As many removed ones are remembered.
    public var accountCountMax: Int
    /// Whether it keeps friends, groups, conversations and messages for its users' devices (ZIM-9).
    public var hasUserData: Bool
    /// Whether what a user does to that data on one device is told to the others as an operation, and an operation
    /// changes it (CHAT-8).
    public var tellsOperations: Bool
    /// Whether a user's devices are notified when a message has reached the other user, or the other user has read a
    /// conversation (CHAT-8).
    public var sendsReceipts: Bool
    /// Whether a sync brings what that data has of groups, messages and notifications in its phases (NIM-14).
    public var syncBringsData: Bool
    /// Changes of one user's data that are kept; of more the oldest message goes.
    public var changesKeptMax: Int
    /// Connections at all; one more is closed at once.
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
        /// One browser and one other device (ZIM-7).
        case dual
        /// Android and iOS exclude each other, Windows and Mac exclude each other (ZIM-7).
        case multi
        /// Platforms never exclude each other; of one platform there may be ``ServerPolicy/deviceCountMax`` (CHAT-2).
        case perPlatform = "per-platform"
    }

    /// What becomes of a reconnect that finds its place taken.
    public enum TakenPlace: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is over: the device is told that it was kicked (C-6).
        case kicked
        /// It counts as a login and ends the earliest other one (CHAT-3's default).
        case kicksCurrent = "kick-current"
        /// It fails by itself and ends nobody (CHAT-3).
        case keepsCurrent = "keep-current"
    }

    /// What is left out has a value that suits most systems.
    public init(
        profile: String, exclusion: Exclusion, deviceCountMax: Int = 10, takenPlace: TakenPlace = .kicked,
        tellsDeviceChanged: Bool = false, tellsEndsAsRefusals: Bool = false,
        passwordChangeEndsLogins: Bool = false, devicesKeptMax: Int = 50, hasLoginIDs: Bool = false,
        tokenLifetime: Interval? = .seconds(24 * 3600),
        offlineFreesPlace: Bool = false, loginRateMax: Int = 0, loginRateWindow: Interval = .seconds(60),
        loginRatePenalty: Interval = .zero, tokenExpiryEndsLogin: Bool = false, checksLastDevice: Bool = false,
        silenceLimit: Interval = .seconds(90), pushAfter: Interval = .zero, breakWaitsForSilence: Bool = false,
        presenceHold: Interval = .zero,
        heartbeatInterval: Interval = .seconds(30), loginOverdueAfter: Interval = .seconds(30),
        makesAccounts: Bool = true, admitsWithoutCredential: Bool = false, deliversAtSync: Bool = false,
        copiesToOwnDevices: Bool = false, hasAccountCalls: Bool = false,
        messagesStoredMax: Int = 1000, inboxBytesMax: Int = 1_048_576, senderProcessesMax: Int = 64,
        senderGapsMax: Int = 1000, channelReplayMax: Int = 0, channelReplayAge: Interval = .seconds(30),
        treeWritesMax: Int = 0, treeWritesWindow: Interval = .seconds(5),
        channelReplayBytesMax: Int = 64 << 20, channelMembersMax: Int = 1000, channelsPerLoginMax: Int = 100,
        channelCountMax: Int = 100_000, watchedCountMax: Int = 512, attributeCountMax: Int = 32,
        attributeNameBytesMax: Int = 32, attributeValueBytesMax: Int = 8 << 10, attributeBytesMax: Int = 16 << 10,
        channelAttributeBytesMax: Int = 32 << 10, syncItemCountMax: Int = 1000,
        givenUpAfter: Interval = .seconds(7 * 24 * 3600), endsOtherInstances: Bool = false,
        hasUserData: Bool = false, tellsOperations: Bool = false, sendsReceipts: Bool = false,
        syncBringsData: Bool = false,
        changesKeptMax: Int = 5000, accountCountMax: Int = 100_000, connectionCountMax: Int = 10_000
    ) {
        self.profile = profile
        self.exclusion = exclusion
        self.deviceCountMax = deviceCountMax
        self.takenPlace = takenPlace
        self.tellsDeviceChanged = tellsDeviceChanged
        self.tellsEndsAsRefusals = tellsEndsAsRefusals
        self.passwordChangeEndsLogins = passwordChangeEndsLogins
        self.devicesKeptMax = devicesKeptMax
        self.hasLoginIDs = hasLoginIDs
        self.tokenLifetime = tokenLifetime
        self.offlineFreesPlace = offlineFreesPlace
        self.loginRateMax = loginRateMax
        self.loginRateWindow = loginRateWindow
        self.loginRatePenalty = loginRatePenalty
        self.tokenExpiryEndsLogin = tokenExpiryEndsLogin
        self.checksLastDevice = checksLastDevice
        self.silenceLimit = silenceLimit
        self.pushAfter = pushAfter
        self.breakWaitsForSilence = breakWaitsForSilence
        self.presenceHold = presenceHold
        self.heartbeatInterval = heartbeatInterval
        self.loginOverdueAfter = loginOverdueAfter
        self.makesAccounts = makesAccounts
        self.admitsWithoutCredential = admitsWithoutCredential
        self.deliversAtSync = deliversAtSync
        self.copiesToOwnDevices = copiesToOwnDevices
        self.hasAccountCalls = hasAccountCalls
        self.messagesStoredMax = messagesStoredMax
        self.inboxBytesMax = inboxBytesMax
        self.senderProcessesMax = senderProcessesMax
        self.senderGapsMax = senderGapsMax
        self.channelReplayMax = channelReplayMax
        self.channelReplayAge = channelReplayAge
        self.treeWritesMax = treeWritesMax
        self.treeWritesWindow = treeWritesWindow
        self.channelReplayBytesMax = channelReplayBytesMax
        self.channelMembersMax = channelMembersMax
        self.channelsPerLoginMax = channelsPerLoginMax
        self.channelCountMax = channelCountMax
        self.watchedCountMax = watchedCountMax
        self.attributeCountMax = attributeCountMax
        self.attributeNameBytesMax = attributeNameBytesMax
        self.attributeValueBytesMax = attributeValueBytesMax
        self.attributeBytesMax = attributeBytesMax
        self.channelAttributeBytesMax = channelAttributeBytesMax
        self.syncItemCountMax = syncItemCountMax
        self.givenUpAfter = givenUpAfter
        self.endsOtherInstances = endsOtherInstances
        self.hasUserData = hasUserData
        self.tellsOperations = tellsOperations
        self.sendsReceipts = sendsReceipts
        self.syncBringsData = syncBringsData
        self.changesKeptMax = changesKeptMax
        self.accountCountMax = accountCountMax
        self.connectionCountMax = connectionCountMax
    }

    /// What a set of attributes may hold, of a channel or of a user.
    func attributeBounds(ofChannel isChannel: Bool) -> AttributeBounds {
        AttributeBounds(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}
