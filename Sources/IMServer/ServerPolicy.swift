import IMProtocol
import SansIO

/// All differences between the servers of two systems, as numbers and choices without code.
public struct ServerPolicy: Hashable, Sendable, Codable {
    /// The name of the profile. Tokens for another profile are refused.
    public var profile: String
    /// The rule that decides which devices of an account exclude each other (NIM-11).
    public var exclusion: Exclusion
    /// The maximum number of devices of one account that are logged in at the same time, if the exclusion sets no lower
    /// limit (NIM-11). With ``Exclusion/perPlatform``, the maximum for one platform (CHAT-2).
    public var deviceCountMax = 10
    /// The result of a reconnect if another device has taken the device's slot (C-6, CHAT-3).
    public var takenPlace = TakenPlace.kicked
    /// True if a manual login is refused when its slot is taken, unless the login sets NIM V2's `forceMode`. Nil if a
    /// manual login ends the other device's login. Optional, so that recordings without this property do not change.
    public var loginKeepsCurrent: Bool?
    /// True if a reconnect is refused with ``Status/deviceChanged`` when the account has only one slot and it is taken,
    /// as in the vendor's newer document. False if it is refused with ``Status/tooManyDevices`` (CHAT-3).
    public var tellsDeviceChanged = false
    /// True if a disconnected device gets a refusal at its next login after a ban, a removal or a password change
    /// (NIM-7). False if it gets a kick.
    public var tellsEndsAsRefusals = false
    /// True if a new password ends all logins (CHAT-10). False if it only invalidates the credentials (NIM-7).
    public var passwordChangeEndsLogins = false
    /// The maximum number of devices of an account that the server stores, logged in or not. For one more device, the
    /// server drops the device that was disconnected longest, with everything that waits for it: first logged-out
    /// devices, then those with a login. If all devices are connected, the new one is refused.
    public var devicesKeptMax = 50
    /// True if `user/device` is a login id, which names one device (CHAT-7). Other names then contain no `/`.
    public var hasLoginIDs = false
    /// The lifetime of a token if its request contains none; nil for tokens that do not expire, as in NIM.
    public var tokenLifetime: Interval? = .seconds(24 * 3600)
    /// True if an offline device holds no slot, so that a login of another device does not kick it (CHAT-3).
    public var offlineFreesPlace = false
    /// The maximum number of login requests of a device within ``loginRateWindow``; 0 for no limit (NIM-8, RTM-9).
    public var loginRateMax = 0
    /// How long a login request counts towards ``loginRateMax``.
    public var loginRateWindow = Interval.seconds(60)
    /// How long login requests of a device are refused after it sent too many.
    public var loginRatePenalty = Interval.zero
    /// True if the expiry of a token ends the login (ZIM-6, CHAT-10).
    public var tokenExpiryEndsLogin = false
    /// True if an automatic login is refused after another device of the same exclusion group has logged in (NIM-4).
    public var checksLastDevice = false
    /// The server closes a connection if it receives no frame for this long (C-12).
    public var silenceLimit = Interval.seconds(90)
    /// The server pushes a message or operation if a connected device does not confirm it within this time (CHAT-8).
    /// Zero if the server pushes it only when the connection ends.
    public var pushAfter = Interval.zero
    /// True if a connection that breaks without a goodbye ends only after ``silenceLimit``, as if the server did not
    /// detect the break (SYNC-9, ZIM-5).
    public var breakWaitsForSilence = false
    /// How long a user counts as online after the connection broke (RTM-4).
    public var presenceHold = Interval.zero
    /// A silent connection counts as broken this long after its last frame; then ``presenceHold`` begins.
    public var heartbeatInterval = Interval.seconds(30)
    /// The server closes a connection that has no login after this time.
    public var loginOverdueAfter = Interval.seconds(30)
    /// True if the server creates an account when its name is first used.
    public var makesAccounts = true
    /// True if a login without a credential is admitted, which is convenient for experiments.
    public var admitsWithoutCredential = false
    /// True if waiting messages are sent when the client requests the sync. False if they are sent after the login.
    public var deliversAtSync = false
    /// True if a message that a user sends from one device also goes to the user's other devices (CHAT-8).
    public var copiesToOwnDevices = false
    /// True if an admin call with a credential can list and end logins (CHAT-6).
    public var hasAccountCalls = false
    /// The maximum number of waiting messages, and of operations, of a device. Others are refused with a status.
    public var messagesStoredMax = 1000
    /// The maximum size of the messages that wait for a device, in bytes.
    public var inboxBytesMax = 1_048_576
    /// The number of processes of a device whose message ids are stored, to detect messages that are sent again (C-14).
    public var senderProcessesMax = 64
    /// The maximum number of gaps between the message numbers that were received from one process. At the limit,
    /// numbers below the lowest gap are refused, because those messages may have been received before.
    public var senderGapsMax = 1000
    /// The maximum number of missed channel messages that are replayed to a member who reconnects (RTM-8); 0 for none.
    public var channelReplayMax = 0
    /// The maximum age of replayed channel messages.
    public var channelReplayAge = Interval.seconds(30)
    /// The maximum number of tree changes by one connection within ``treeWritesWindow``; 0 for no limit.
    public var treeWritesMax = 0
    /// The length of the period for ``treeWritesMax``. A period starts with the first change after the previous period.
    public var treeWritesWindow = Interval.seconds(5)
    /// The maximum size of the texts, in bytes, that all channels together store for the replay. At the limit, a
    /// channel drops its own oldest messages.
    public var channelReplayBytesMax = 64 << 20
    /// The maximum number of users in one channel. Further users are refused.
    public var channelMembersMax = 1000
    /// The maximum number of channels that one login may join (RTM-9). Further joins are refused.
    public var channelsPerLoginMax = 100
    /// The maximum number of channels. A join that would create another channel is refused.
    public var channelCountMax = 100_000
    /// The maximum number of users that one connection may watch. Further watches are refused.
    public var watchedCountMax = 512
    /// The maximum number of attributes of one user or channel. A larger set is refused as a whole.
    public var attributeCountMax = 32
    /// The maximum size of an attribute's name, in bytes. A longer name is invalid.
    public var attributeNameBytesMax = 32
    /// The maximum size of an attribute's value, in bytes. A set with a longer value is refused as a whole.
    public var attributeValueBytesMax = 8 << 10
    /// The maximum size of all attributes of a user, in bytes of their names and values.
    public var attributeBytesMax = 16 << 10
    /// The maximum size of all attributes of a channel, in bytes of their names and values.
    public var channelAttributeBytesMax = 32 << 10
    /// The maximum number of items that an operator can create in one phase of an account's sync.
    public var syncItemCountMax = 1000
    /// How long the full inbox of a disconnected device makes the server refuse new messages and notify their senders.
    /// After this time, the server accepts new messages, and drops and counts the oldest ones in that inbox.
    public var givenUpAfter = Interval.seconds(7 * 24 * 3600)
    /// True if a login from another running app instance on the device ends the login of the first one (RTM-6).
    public var endsOtherInstances = false
    /// The maximum number of accounts, and also of removed accounts that are stored. A login or a command that would
    /// create another account is refused.
    public var accountCountMax = 100_000
    /// True if the server stores user data: friends, groups, conversations and messages (ZIM-9).
    public var hasUserData = false
    /// True if a change of user data on one device is reported to the other devices as an operation, and an operation
    /// changes the user data (CHAT-8).
    public var tellsOperations = false
    /// True if the server sends receipts: the devices of a sender are notified when a message reaches the other user,
    /// and when that user reads the conversation (CHAT-8).
    public var sendsReceipts = false
    /// True if the phases of a sync transfer groups, messages and notifications from the user data (NIM-14).
    public var syncBringsData = false
    /// The maximum number of changes that are stored of one user's data. For one more, the oldest message is dropped.
    public var changesKeptMax = 5000
    /// The maximum number of connections. Further connections are closed immediately.
    public var connectionCountMax = 10_000

    /// A rule that divides devices into groups: devices of the same group exclude each other.
    public enum Exclusion: String, Hashable, Sendable, Codable, CaseIterable {
        /// Phones exclude phones, and computers and browsers exclude each other (NIM's default).
        case mobileDesktop = "mobile-desktop"
        /// An account has only one device online (RTM).
        case single
        /// Up to ``ServerPolicy/deviceCountMax`` devices are online. A login above the limit ends the earliest login.
        case unlimited
        /// The server ends no login. The app decides, using the list of devices.
        case none
        /// One browser and one other device are online (ZIM-7).
        case dual
        /// Android and iOS exclude each other, Windows and Mac exclude each other (ZIM-7).
        case multi
        /// Devices of different platforms do not exclude each other. Each platform has up to
        /// ``ServerPolicy/deviceCountMax`` devices online (CHAT-2).
        case perPlatform = "per-platform"
    }

    /// The result of a reconnect if another device has taken the slot.
    public enum TakenPlace: String, Hashable, Sendable, Codable, CaseIterable {
        /// The login of the reconnecting device ends, and the device gets a kick (C-6).
        case kicked
        /// The reconnect counts as a new login, and ends the earliest other login (default of CHAT-3).
        case kicksCurrent = "kick-current"
        /// The reconnect is refused. The other device keeps the slot (CHAT-3).
        case keepsCurrent = "keep-current"
    }

    /// Creates a policy. All other properties get the values that most systems have.
    public init(profile: String, exclusion: Exclusion) {
        self.profile = profile
        self.exclusion = exclusion
    }

    /// The limits for the attributes of a channel or a user.
    func attributeLimits(ofChannel isChannel: Bool) -> AttributeLimits {
        AttributeLimits(
            countMax: attributeCountMax, nameBytesMax: attributeNameBytesMax, valueBytesMax: attributeValueBytesMax,
            bytesMax: isChannel ? channelAttributeBytesMax : attributeBytesMax)
    }
}
