import IMTree

/// One message between a client and a server.
public struct Frame: Hashable, Sendable, Codable {
    /// The number that a request and its answer share; 0 for a frame that is neither.
    public var request: UInt32
    /// The content of the frame.
    public var body: FrameBody
    /// The index of this frame among the frames of one answer, from 0. An answer that is too large for one frame is
    /// sent in several frames, which have the same request number.
    public var page: UInt32
    /// True if more frames of the same answer follow.
    public var hasMore: Bool
    /// The checksum of the counted frames that the sender sent before this one on the connection. Heartbeats, their
    /// answers and the answer to a resync contain it, and also the server's frames that must not be handled before the
    /// counted ones (C-15). Nil if no counted frame was sent before.
    public var checksum: FrameChecksum?

    /// Creates a frame. ``FramePages`` sets `page` and `hasMore` if an answer needs several frames.
    public init(
        request: UInt32 = 0, _ body: FrameBody, page: UInt32 = 0, hasMore: Bool = false, checksum: FrameChecksum? = nil
    ) {
        self.request = request
        self.body = body
        self.page = page
        self.hasMore = hasMore
        self.checksum = checksum
    }

    /// True if the request `number` was made before the request `other`. The numbers wrap around.
    package static func isRequest(_ number: UInt32, before other: UInt32) -> Bool {
        Int32(bitPattern: number &- other) < 0
    }
}

/// The content of a frame. A client sends requests, which have a request number, and the server sends answers and
/// notices.
///
/// Large bodies are boxed (`indirect`). Nearly every frame of a session is a heartbeat, and would otherwise use the
/// memory of a login.
public enum FrameBody: Hashable, Sendable, Codable {
    /// Requests a login. The answer is ``loginAck(_:)``, or ``kicked(_:)`` if the login to be resumed was kicked.
    indirect case login(LoginRequest)
    /// The answer to a login. After a refusal the connection remains open, and the client may request another login.
    indirect case loginAck(LoginReply)
    /// Ends the login. If `keepsPush` is false, the device receives no more push notifications (NIM-10, CHAT-11).
    case logout(keepsPush: Bool)
    case logoutAck(Status)
    /// Shows that the client is alive (C-12). It contains a ``Frame/checksum`` (C-15).
    case heartbeat
    case heartbeatAck
    /// The server has ended the login whose epoch the notice contains.
    indirect case kicked(KickNotice)
    /// The client has received the notice of a kick, so the server need not send it again (C-7).
    case kickedAck(epoch: LoginEpoch)
    /// Ends the login of another device of the account. An empty id means all other devices.
    case kick(device: String)
    case kickAck(Status)
    /// Requests the account's sync items (NIM-14). The server sends ``syncPhase(_:count:items:)`` for each phase, and
    /// then ``syncDone``.
    case sync
    /// A part of a sync; `count` is the total number of items in the phase.
    case syncPhase(SyncPhase, count: UInt32, items: [SyncItem] = [])
    case syncDone
    /// Other devices of the account logged in or out (NIM-13).
    case devicesChanged(DeviceChange, [Device])
    /// Sends a new credential for the current login (ZIM-6, RTM-5).
    indirect case renewToken(Credential)
    /// The answer to a new credential. Its times are in milliseconds since 1970 by the server's clock. 0 means that the
    /// token does not expire, or that the time of its issue is unknown.
    case renewTokenAck(Status, expiresAtMilliseconds: Int64 = 0, issuedAtMilliseconds: Int64 = 0)
    /// The credential has expired, or expires in this many milliseconds. This project's server only sends the first
    /// kind.
    case tokenNotice(expired: Bool, remainingMilliseconds: Int64)
    indirect case send(ChatMessage)
    /// The answer to the message with this id. The status is ``Status/stored`` if the receiver is not connected (C-14).
    case sendAck(Status, id: String)
    /// A message for this client. The server sends it again until the client confirms it, except a message to a
    /// channel.
    indirect case message(ChatMessage)
    /// Confirms a message. The number is the server's; the id alone is not unique, because senders choose it.
    case messageAck(id: String, number: UInt64 = 0)
    /// Makes the login a member of a channel. If it already is a member, nothing changes.
    case join(channel: String)
    /// The answer to a join: the users in the channel, including the one who joined. None if the join was refused.
    case joinAck(Status, channel: String, members: [String])
    case leave(channel: String)
    /// The answer to a leave. The status is ``Status/notFound`` if the login was not a member.
    case leaveAck(Status, channel: String)
    /// Another member joined or left a channel. A member whose connection breaks for a short time has not left (RTM-4).
    case memberChanged(channel: String, user: String, joined: Bool)
    /// The last frame before the sender closes the connection, with the reason.
    case goodbye(GoodbyeReason, detail: String)
    /// A request about an account with its own credential. The connection need not have a login (CHAT-6).
    indirect case accountCall(AccountCall)
    case accountCallAck(Status, [Device])
    /// An operation of the user, which the server sends to the user's other devices (CHAT-8).
    indirect case operation(DeviceOperation)
    case operationAck(Status)
    /// An operation of another device of the account.
    indirect case operated(DeviceOperation)
    case operatedAck(id: String, number: UInt64 = 0)
    /// Replaces all attributes of a channel, or of the user if `channel` is empty.
    case setAttributes(channel: String, [AnswerField])
    case setAttributesAck(Status)
    case ask(Question)
    case answer(Status, [AnswerRow])
    /// Starts or stops notifications of a user's presence.
    case watch(user: String, isOn: Bool)
    case watchAck(Status)
    case presence(user: String, PresenceChange)
    indirect case tree(TreeRequest)
    /// The answer to a tree request. For `get` the node is the value at the path; for other requests it is empty.
    case treeAck(Status, TreeNode)
    /// The data of a path on which the client has a listener has changed.
    indirect case treeData(TreeData)
    /// The security rules no longer allow the listener with this number (26101).
    case treeCancelled(listen: UInt64, Status)
    /// Confirms a part of a sync, from its first to its last item, by their numbers. The server need not send it again.
    case syncAck(SyncPhase, first: UInt64, last: UInt64)
    /// The complete state of the login in the client's view. The server makes its own state equal to it (C-15).
    indirect case settle(SubscriptionSnapshot)
    /// The answer to a reconciliation: the channels and watched users that the server refuses.
    indirect case settleAck(channels: [String], watched: [String])
    /// Requests the current state, because the client has missed frames (C-15).
    case resync
    /// The answer to a resync: the account's other devices. The server then sends the rest of the state in other
    /// frames: unconfirmed messages and operations, sync items, and the presence of watched users.
    case resyncAck([Device])
    /// Requests the changes of the user's data after the change with this number (ZIM-9). The answer is
    /// ``changes(_:)``.
    case fetchChanges(after: UInt64)
    /// Changes of the user's data: the answer to a request, or an event if the frame has no request number.
    indirect case changes(ChangePage)
    /// Requests a change of the user's data on the server.
    indirect case change(ChangeRecord)
    case changeAck(Status)
}

/// A login request, with all values on which the server's decision depends.
public struct LoginRequest: Hashable, Sendable, Codable {
    /// The application to which the user belongs. A token is valid for one application only.
    public var application: String
    /// The user; for a guest the id of the device (SYNC-1).
    public var user: String
    /// The device on which the user logs in.
    public var device: Device
    /// The reason for the login.
    public var mode: LoginMode
    /// The epoch of the login that a reconnect continues; 0 for a new login.
    public var epoch: LoginEpoch
    /// The credential of the user.
    public var credential: Credential
    /// The number of the client's process, by which the server distinguishes two processes on the same device (RTM-6).
    /// 0 if the client sends none.
    public var instance: UInt64
    /// The new name of the user, which apps show; empty if the name does not change (ZIM-9).
    public var userName: String

    /// Creates a login request.
    public init(
        application: String, user: String, device: Device, mode: LoginMode, epoch: LoginEpoch, credential: Credential,
        instance: UInt64 = 0, userName: String = ""
    ) {
        self.application = application
        self.user = user
        self.device = device
        self.mode = mode
        self.epoch = epoch
        self.credential = credential
        self.instance = instance
        self.userName = userName
    }
}

/// The reason for a login.
public enum LoginMode: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The user logs in.
    case manual = 1
    /// The app logs in the last user. The server refuses this if the user logged in on another device meanwhile
    /// (NIM-4).
    case automatic = 2
    /// The app logs in the last user, even if the user logged in on another device meanwhile (NIM-4).
    case forced = 3
    /// The SDK continues a login whose connection broke. It never kicks a later login (C-6).
    case resume = 4
    /// The app opened local data without a network, and the SDK now connects. It continues the last login if the server
    /// still has it, and never kicks a later login (ZIM-1, C-6).
    case offline = 5
    /// The system has no users. The device logs in under its own id, without a credential (SYNC-1). Each connection
    /// makes a new login, which replaces only the older login of the same device.
    case guest = 6
}

/// The answer to a login request. In a refusal only the status is set.
public struct LoginReply: Hashable, Sendable, Codable {
    /// ``Status/ok``, or the reason for the refusal.
    public var status: Status
    /// The number of this login. A later reconnect contains it.
    public var epoch: LoginEpoch
    /// The server's clock, in milliseconds since 1970.
    public var serverTimeMilliseconds: Int64
    /// The other devices on which the user is online.
    public var otherDevices: [Device]
    /// The time when the credential expires, in milliseconds since 1970 by the server's clock; 0 if it does not expire.
    public var expiresAtMilliseconds: Int64
    /// True if other users were notified that the user is offline before this login (RTM-4).
    public var wasGone: Bool
    /// The time when the credential was issued, in milliseconds since 1970 by the server's clock; 0 if unknown. The
    /// client needs it to warn the app at a share of the credential's lifetime (CHAT-10).
    public var issuedAtMilliseconds: Int64

    /// Creates an answer.
    public init(
        _ status: Status, epoch: LoginEpoch = 0, serverTimeMilliseconds: Int64 = 0, otherDevices: [Device] = [],
        expiresAtMilliseconds: Int64 = 0, wasGone: Bool = false, issuedAtMilliseconds: Int64 = 0
    ) {
        self.status = status
        self.epoch = epoch
        self.serverTimeMilliseconds = serverTimeMilliseconds
        self.otherDevices = otherDevices
        self.expiresAtMilliseconds = expiresAtMilliseconds
        self.wasGone = wasGone
        self.issuedAtMilliseconds = issuedAtMilliseconds
    }
}

/// The reason for a kick.
public enum KickReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The user logged in on another device, and the two devices exclude each other.
    case otherLogin = 1
    /// The operator of the server ended the login.
    case server = 2
    /// Another device of the user requested the end of the login.
    case otherDevice = 3
    /// The account was banned.
    case banned = 4
    case accountRemoved = 5
    case passwordChanged = 6

    /// The name of the reason in recordings and JSON.
    public var name: String {
        switch self {
        case .otherLogin: "other-login"
        case .server: "server"
        case .otherDevice: "other-device"
        case .banned: "banned"
        case .accountRemoved: "account-removed"
        case .passwordChanged: "password-changed"
        }
    }
}

/// The notice to a device that its login was kicked.
public struct KickNotice: Hashable, Sendable, Codable {
    /// The reason for the kick.
    public var reason: KickReason
    /// The epoch of the login that was kicked. A device with a later login ignores the notice (C-8).
    public var epoch: LoginEpoch
    /// The device that caused the kick; nil if no device did.
    public var by: Device?

    /// Creates a notice.
    public init(reason: KickReason, epoch: LoginEpoch, by device: Device? = nil) {
        self.reason = reason
        self.epoch = epoch
        self.by = device
    }
}

/// A change of the other devices of the account (NIM-13).
public enum DeviceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The notice lists the devices that were online when this device logged in.
    case initial = 1
    case login = 2
    case logout = 3
}

/// A message between users, or from a user to a channel.
public struct ChatMessage: Hashable, Sendable, Codable {
    /// The id, which the sender chooses. If the sender sends a message twice, the id is the same, and the message is
    /// stored once (C-14).
    public var id: String
    /// The user who sent the message. The server sets it, and ignores the sender's value.
    public var from: String
    /// The receiver: a user, one device of a user (`user/device`, CHAT-7), or a channel.
    public var to: String
    /// The text, at most ``ProtocolLimit/textBytesMax`` UTF-8 bytes.
    public var text: String
    /// True if ``to`` is a channel.
    public var isToChannel: Bool
    /// True if ``to`` is a group, to whose members the server sends the message (ZIM-9). Never true in a frame from a
    /// client.
    public var isToGroup: Bool
    /// The number that the server assigns when it sends the message to a device or a channel. These numbers are unique
    /// for the device or channel, and increase. 0 before.
    public var number: UInt64

    /// Creates a message. The server sets `from`, `isToGroup` and `number`.
    public init(
        id: String, from: String = "", to: String, text: String, isToChannel: Bool = false, isToGroup: Bool = false,
        number: UInt64 = 0
    ) {
        self.id = id
        self.from = from
        self.to = to
        self.text = text
        self.isToChannel = isToChannel
        self.isToGroup = isToGroup
        self.number = number
    }

    /// Reads a message. If an older version wrote it, `isToGroup` and `number` are missing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        from = try container.decode(String.self, forKey: .from)
        to = try container.decode(String.self, forKey: .to)
        text = try container.decode(String.self, forKey: .text)
        isToChannel = try container.decode(Bool.self, forKey: .isToChannel)
        isToGroup = try container.decodeIfPresent(Bool.self, forKey: .isToGroup) ?? false
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}

/// The reason why one side closes a connection.
public enum GoodbyeReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The peer sent a frame that the protocol does not allow.
    case protocolViolation = 1
    /// A frame could not be read.
    case malformedFrame = 2
    /// A newer connection of the same device replaces this one.
    case replaced = 3
    /// The client did not log in within the server's time limit.
    case loginOverdue = 4
    /// The server shuts down.
    case shutdown = 5
    /// The app called `goOffline` (SYNC-8).
    case wentOffline = 6

    /// The name of the reason in recordings and JSON.
    public var name: String {
        switch self {
        case .protocolViolation: "protocol-violation"
        case .malformedFrame: "malformed-frame"
        case .replaced: "replaced"
        case .loginOverdue: "login-overdue"
        case .shutdown: "shutdown"
        case .wentOffline: "went-offline"
        }
    }
}
