import IMProtocol
import SansIO

/// Everything that differs between the servers of two systems: numbers and choices, no code.
public struct ServerPolicy: Hashable, Sendable, Codable {
    /// The profile's name; tokens must be for it.
    public var profile: String
    /// Which devices of an account cannot be online together (NIM-11).
    public var exclusion: Exclusion
    /// Maximum number of devices of one account that are logged in at once, if the exclusion sets no lower limit
    /// (NIM-11). With ``Exclusion/perPlatform`` it counts the devices of one platform (CHAT-2).
    public var deviceCountMax: Int
    /// The outcome of a reconnect whose slot is taken (C-6, CHAT-3).
    public var takenPlace: TakenPlace
    /// True if a manual login without force (NIM V2's `forceMode`) is refused when its slot is taken; nil if it ends the
    /// other device's login. Optional, so that policies without it are recorded as before.
    public var loginKeepsCurrent: Bool?
    /// True if a reconnect whose only slot is taken fails with a change of device instead of too many devices, as in
    /// the vendor's newer document (CHAT-3).
    public var tellsDeviceChanged: Bool
    /// True if a device that was away during a ban, a removal or a password change gets a refusal of its login (NIM-7).
    /// False if it gets a kick.
    public var tellsEndsAsRefusals: Bool
    /// True if a change of the password ends the earlier logins (CHAT-10). False if they continue until they must
    /// present their credential again (NIM-7).
    public var passwordChangeEndsLogins: Bool
    /// Maximum number of devices of an account, logged in or not. One more drops the device that has been away longest,
    /// with everything that waits for it: first logged-out devices, then those that are away. If all are connected, the
    /// new device is refused.
    public var devicesKeptMax: Int
    /// True if `user/device` names one device (CHAT-7). Then neither part contains a `/`.
    public var hasLoginIDs: Bool
    /// Lifetime of a token whose request gives none; nil for tokens that do not expire (NIM's are static).
    public var tokenLifetime: Interval?
    /// True if an offline device holds no slot, so that the next login does not displace it (CHAT-3).
    public var offlineFreesPlace: Bool
    /// Login requests that a device may send within ``loginRateWindow``; 0 for no limit (NIM-8, RTM-9).
    public var loginRateMax: Int
    /// How long a login request counts towards ``loginRateMax``.
    public var loginRateWindow: Interval
    /// How long a device that sent too many login requests is refused.
    public var loginRatePenalty: Interval
    /// True if the expiry of a token ends the login (ZIM-6, CHAT-10).
    public var tokenExpiryEndsLogin: Bool
    /// True if an automatic login is refused after another device of its group was used (NIM-4).
    public var checksLastDevice: Bool
    /// A connection on which nothing arrives for this long is dead (C-12).
    public var silenceLimit: Interval
    /// A message or operation that a connected device has not confirmed after this time goes to the push service
    /// (CHAT-8). Zero: it goes there only when the connection ends.
    public var pushAfter: Interval
    /// True if a connection that breaks without a goodbye ends only after ``silenceLimit``, as if the server had not
    /// noticed the break (SYNC-9, ZIM-5).
    public var breakWaitsForSilence: Bool
    /// How long a user counts as online after the connection broke (RTM-4).
    public var presenceHold: Interval
    /// How long after the last frame a silent connection counts as broken, for ``presenceHold``.
    public var heartbeatInterval: Interval
    /// A connection without a login is closed after this time.
    public var loginOverdueAfter: Interval
    /// True if an account is made when its name is first used.
    public var makesAccounts: Bool
    /// True if a login without a credential is admitted, for trying things out.
    public var admitsWithoutCredential: Bool
    /// True if waiting messages are sent when the client requests the sync. False if they are sent right after the
    /// login.
    public var deliversAtSync: Bool
    /// True if a message that a user sends from one device also goes to the user's other devices (CHAT-8).
    public var copiesToOwnDevices: Bool
    /// True if logins can be listed and ended by an admin call with a credential (CHAT-6).
    public var hasAccountCalls: Bool
    /// Maximum number of messages, and of operations, that wait for a device. One more is refused, and its sender is
    /// notified.
    public var messagesStoredMax: Int
    /// Maximum size of the messages that wait for a device, in bytes.
    public var inboxBytesMax: Int
    /// Processes of a device whose message ids are kept, so that a resent message is stored once (C-14).
    public var senderProcessesMax: Int
    /// Maximum number of gaps in the numbers received from a process. At the limit, numbers below the lowest gap are
    /// refused, because they may have been received before.
    public var senderGapsMax: Int
    /// Number of missed channel messages that are replayed to a returning member (RTM-8); 0 for none.
    public var channelReplayMax: Int
    /// Maximum age of the replayed messages.
    public var channelReplayAge: Interval
    /// Changes of the tree that one connection may request within ``treeWritesWindow``; 0 for no limit. Reads do not
    /// count.
    public var treeWritesMax: Int
    /// The period in which ``treeWritesMax`` changes are allowed; it starts with the first of them.
    public var treeWritesWindow: Interval
    /// Bytes of text that all channels together keep for replay; at the limit, a channel drops its own oldest message.
    public var channelReplayBytesMax: Int
    /// Users in one channel; one more is refused.
    public var channelMembersMax: Int
    /// Channels that one login may join (RTM-9); one more is refused.
    public var channelsPerLoginMax: Int
    /// Maximum number of channels; a join that would make one more is refused.
    public var channelCountMax: Int
    /// Users that one connection may watch; one more is refused.
    public var watchedCountMax: Int
    /// Attributes of one user or one channel; a larger set is refused as a whole.
    public var attributeCountMax: Int
    /// Bytes of one attribute's name; a longer name is invalid.
    public var attributeNameBytesMax: Int
    /// Bytes of one attribute's value; a set with a longer value is refused as a whole.
    public var attributeValueBytesMax: Int
    /// Bytes of all names and values of one user together.
    public var attributeBytesMax: Int
    /// Bytes of all names and values of one channel together.
    public var channelAttributeBytesMax: Int
    /// Items in one phase of an account's sync; more are refused.
    public var syncItemCountMax: Int
    /// How long the full inbox of a device that is away makes the server refuse messages and notify their senders.
    /// After this time, the oldest message for that device is dropped and counted instead.
    public var givenUpAfter: Interval
    /// True if another running instance on the same device is another login, which ends the earlier one (RTM-6).
    public var endsOtherInstances: Bool
    /// Maximum number of accounts; a login or a command that would make one more is refused. As many removed accounts
    /// are kept.
    public var accountCountMax: Int
    /// True if the server keeps friends, groups, conversations and messages for its users' devices (ZIM-9).
    public var hasUserData: Bool
    /// True if a change of that data on one device reaches the other devices as an operation, and an operation changes
    /// the data (CHAT-8).
    public var tellsOperations: Bool
    /// True if a user's devices are notified when a message has reached the other user, or the other user has read a
    /// conversation (CHAT-8).
    public var sendsReceipts: Bool
    /// True if the phases of a sync bring the groups, messages and notifications of that data (NIM-14).
    public var syncBringsData: Bool
    /// Maximum number of changes kept of one user's data; one more drops the oldest message.
    public var changesKeptMax: Int
    /// Maximum number of connections; one more is closed at once.
    public var connectionCountMax: Int

    /// Which devices exclude each other. Devices of one group do; devices of different groups never do.
    public enum Exclusion: String, Hashable, Sendable, Codable, CaseIterable {
        /// Phones exclude phones, computers exclude computers and browsers (NIM's default).
        case mobileDesktop = "mobile-desktop"
        /// One device only (RTM).
        case single
        /// Up to ``ServerPolicy/deviceCountMax`` devices; one more ends the earliest login.
        case unlimited
        /// The server ends no login; the app decides from the list of devices.
        case none
        /// One browser and one other device (ZIM-7).
        case dual
        /// Android and iOS exclude each other, Windows and Mac exclude each other (ZIM-7).
        case multi
        /// Platforms never exclude each other; each may have ``ServerPolicy/deviceCountMax`` devices (CHAT-2).
        case perPlatform = "per-platform"
    }

    /// The outcome of a reconnect whose slot is taken.
    public enum TakenPlace: String, Hashable, Sendable, Codable, CaseIterable {
        /// The login ends: the device is notified that it was kicked (C-6).
        case kicked
        /// It counts as a login and ends the earliest other one (CHAT-3's default).
        case kicksCurrent = "kick-current"
        /// It fails and ends no other login (CHAT-3).
        case keepsCurrent = "keep-current"
    }

    /// Parameters that are left out have values that suit most systems.
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

    /// The limits for a set of attributes of a channel or a user.
    func attributeLimits(ofChannel isChannel: Bool) -> AttributeLimits {
        AttributeLimits(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}
