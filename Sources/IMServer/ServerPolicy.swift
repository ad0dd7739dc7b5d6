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
    public var deviceCountMax = 10
    /// The outcome of a reconnect whose slot is taken (C-6, CHAT-3).
    public var takenPlace = TakenPlace.kicked
    /// True if a manual login without force (NIM V2's `forceMode`) is refused when its slot is taken; nil if it ends the
    /// other device's login. Optional, so that policies without it are recorded as before.
    public var loginKeepsCurrent: Bool?
    /// True if a reconnect whose only slot is taken fails with a change of device instead of too many devices, as in
    /// the vendor's newer document (CHAT-3).
    public var tellsDeviceChanged = false
    /// True if a device that was away during a ban, a removal or a password change gets a refusal of its login (NIM-7).
    /// False if it gets a kick.
    public var tellsEndsAsRefusals = false
    /// True if a change of the password ends the earlier logins (CHAT-10). False if they continue until they must
    /// present their credential again (NIM-7).
    public var passwordChangeEndsLogins = false
    /// Maximum number of devices of an account, logged in or not. One more drops the device that has been away longest,
    /// with everything that waits for it: first logged-out devices, then those that are away. If all are connected, the
    /// new device is refused.
    public var devicesKeptMax = 50
    /// True if `user/device` names one device (CHAT-7). Then neither part contains a `/`.
    public var hasLoginIDs = false
    /// Lifetime of a token whose request gives none; nil for tokens that do not expire (NIM's are static).
    public var tokenLifetime: Interval? = .seconds(24 * 3600)
    /// True if an offline device holds no slot, so that the next login does not displace it (CHAT-3).
    public var offlineFreesPlace = false
    /// Login requests that a device may send within ``loginRateWindow``; 0 for no limit (NIM-8, RTM-9).
    public var loginRateMax = 0
    /// How long a login request counts towards ``loginRateMax``.
    public var loginRateWindow = Interval.seconds(60)
    /// How long a device that sent too many login requests is refused.
    public var loginRatePenalty = Interval.zero
    /// True if the expiry of a token ends the login (ZIM-6, CHAT-10).
    public var tokenExpiryEndsLogin = false
    /// True if an automatic login is refused after another device of its group was used (NIM-4).
    public var checksLastDevice = false
    /// A connection on which nothing arrives for this long is dead (C-12).
    public var silenceLimit = Interval.seconds(90)
    /// A message or operation that a connected device has not confirmed after this time goes to the push service
    /// (CHAT-8). Zero: it goes there only when the connection ends.
    public var pushAfter = Interval.zero
    /// True if a connection that breaks without a goodbye ends only after ``silenceLimit``, as if the server had not
    /// noticed the break (SYNC-9, ZIM-5).
    public var breakWaitsForSilence = false
    /// How long a user counts as online after the connection broke (RTM-4).
    public var presenceHold = Interval.zero
    /// How long after the last frame a silent connection counts as broken, for ``presenceHold``.
    public var heartbeatInterval = Interval.seconds(30)
    /// A connection without a login is closed after this time.
    public var loginOverdueAfter = Interval.seconds(30)
    /// True if an account is made when its name is first used.
    public var makesAccounts = true
    /// True if a login without a credential is admitted, for trying things out.
    public var admitsWithoutCredential = false
    /// True if waiting messages are sent when the client requests the sync. False if they are sent right after the
    /// login.
    public var deliversAtSync = false
    /// True if a message that a user sends from one device also goes to the user's other devices (CHAT-8).
    public var copiesToOwnDevices = false
    /// True if logins can be listed and ended by an admin call with a credential (CHAT-6).
    public var hasAccountCalls = false
    /// Maximum number of messages, and of operations, that wait for a device. One more is refused, and its sender is
    /// notified.
    public var messagesStoredMax = 1000
    /// Maximum size of the messages that wait for a device, in bytes.
    public var inboxBytesMax = 1_048_576
    /// Processes of a device whose message ids are kept, so that a resent message is stored once (C-14).
    public var senderProcessesMax = 64
    /// Maximum number of gaps in the numbers received from a process. At the limit, numbers below the lowest gap are
    /// refused, because they may have been received before.
    public var senderGapsMax = 1000
    /// Number of missed channel messages that are replayed to a returning member (RTM-8); 0 for none.
    public var channelReplayMax = 0
    /// Maximum age of the replayed messages.
    public var channelReplayAge = Interval.seconds(30)
    /// Changes of the tree that one connection may request within ``treeWritesWindow``; 0 for no limit. Reads do not
    /// count.
    public var treeWritesMax = 0
    /// The period in which ``treeWritesMax`` changes are allowed; it starts with the first of them.
    public var treeWritesWindow = Interval.seconds(5)
    /// Bytes of text that all channels together keep for replay; at the limit, a channel drops its own oldest message.
    public var channelReplayBytesMax = 64 << 20
    /// Users in one channel; one more is refused.
    public var channelMembersMax = 1000
    /// Channels that one login may join (RTM-9); one more is refused.
    public var channelsPerLoginMax = 100
    /// Maximum number of channels; a join that would make one more is refused.
    public var channelCountMax = 100_000
    /// Users that one connection may watch; one more is refused.
    public var watchedCountMax = 512
    /// Attributes of one user or one channel; a larger set is refused as a whole.
    public var attributeCountMax = 32
    /// Bytes of one attribute's name; a longer name is invalid.
    public var attributeNameBytesMax = 32
    /// Bytes of one attribute's value; a set with a longer value is refused as a whole.
    public var attributeValueBytesMax = 8 << 10
    /// Bytes of all names and values of one user together.
    public var attributeBytesMax = 16 << 10
    /// Bytes of all names and values of one channel together.
    public var channelAttributeBytesMax = 32 << 10
    /// Items in one phase of an account's sync; more are refused.
    public var syncItemCountMax = 1000
    /// How long the full inbox of a device that is away makes the server refuse messages and notify their senders.
    /// After this time, the oldest message for that device is dropped and counted instead.
    public var givenUpAfter = Interval.seconds(7 * 24 * 3600)
    /// True if another running instance on the same device is another login, which ends the earlier one (RTM-6).
    public var endsOtherInstances = false
    /// Maximum number of accounts; a login or a command that would make one more is refused. As many removed accounts
    /// are kept.
    public var accountCountMax = 100_000
    /// True if the server keeps friends, groups, conversations and messages for its users' devices (ZIM-9).
    public var hasUserData = false
    /// True if a change of that data on one device reaches the other devices as an operation, and an operation changes
    /// the data (CHAT-8).
    public var tellsOperations = false
    /// True if a user's devices are notified when a message has reached the other user, or the other user has read a
    /// conversation (CHAT-8).
    public var sendsReceipts = false
    /// True if the phases of a sync bring the groups, messages and notifications of that data (NIM-14).
    public var syncBringsData = false
    /// Maximum number of changes kept of one user's data; one more drops the oldest message.
    public var changesKeptMax = 5000
    /// Maximum number of connections; one more is closed at once.
    public var connectionCountMax = 10_000

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
        /// The reconnect counts as a login and ends the earliest other one (CHAT-3's default).
        case kicksCurrent = "kick-current"
        /// The reconnect fails and ends no other login (CHAT-3).
        case keepsCurrent = "keep-current"
    }

    /// Values that are not set are those of most systems.
    public init(profile: String, exclusion: Exclusion) {
        self.profile = profile
        self.exclusion = exclusion
    }

    /// The limits for a set of attributes of a channel or a user.
    func attributeLimits(ofChannel isChannel: Bool) -> AttributeLimits {
        AttributeLimits(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}
