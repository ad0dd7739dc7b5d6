import IMTree

/// One message between a client and a server.
public struct Frame: Hashable, Sendable, Codable {
    /// Pairs a reply with its request; 0 for a frame that is neither.
    public var request: UInt32
    /// The content.
    public var body: FrameBody
    /// The index of this frame among the frames of one answer, from 0. An answer that is larger than a frame may be is
    /// sent in several, one after the other, under the same request number.
    public var page: UInt32
    /// True if more frames of the same answer follow.
    public var hasMore: Bool
    /// The checksum of the counted frames that the sender has sent before this one on the connection: in heartbeats,
    /// their answers, the answer to a resync, and the server's frames that must not be handled before those (C-15). Nil
    /// if there were none.
    public var checksum: FrameChecksum?

    /// A frame; `page` and `hasMore` are for answers in several frames, see ``FramePages``.
    public init(
        request: UInt32 = 0, _ body: FrameBody, page: UInt32 = 0, hasMore: Bool = false, checksum: FrameChecksum? = nil
    ) {
        self.request = request
        self.body = body
        self.page = page
        self.hasMore = hasMore
        self.checksum = checksum
    }

    /// True if the request with the first number was made before the other one; the numbers wrap around.
    package static func isRequest(_ number: UInt32, before other: UInt32) -> Bool {
        Int32(bitPattern: number &- other) < 0
    }
}

/// The content of a frame. Requests go to the server and carry a request number, notices come from it.
///
/// Large bodies are boxed: nearly every frame of a session is a heartbeat, and would otherwise take the space of a
/// login.
public enum FrameBody: Hashable, Sendable, Codable {
    /// Requests a login; answered by ``loginAck(_:)``, or by ``kicked(_:)`` if that login has ended.
    indirect case login(LoginRequest)
    /// The answer to a login. After a refusal the connection stays, and may request another login.
    indirect case loginAck(LoginReply)
    /// Ends the login; push is unbound unless `keepsPush` (NIM-10, CHAT-11).
    case logout(keepsPush: Bool)
    case logoutAck(Status)
    /// Shows that the client is alive, with ``Frame/checksum`` (C-12, C-15).
    case heartbeat
    case heartbeatAck
    /// The login named by the notice has ended.
    indirect case kicked(KickNotice)
    /// The client has received the notice, so the server need not send it again (C-7).
    case kickedAck(epoch: LoginEpoch)
    /// Ends the login of another device of the account; an empty id means all others.
    case kick(device: String)
    case kickAck(Status)
    /// Requests the account's sync items (NIM-14): ``syncPhase(_:count:items:)`` for each phase, then ``syncDone``.
    case sync
    /// A part of a sync; `count` is the total number of items in the phase.
    case syncPhase(SyncPhase, count: UInt32, items: [SyncItem] = [])
    case syncDone
    /// Other devices of the account logged in or out (NIM-13).
    case devicesChanged(DeviceChange, [Device])
    /// A new credential for the current login (ZIM-6, RTM-5).
    indirect case renewToken(Credential)
    /// The new token's expiry by the server's clock, in milliseconds since 1970; 0 if it does not expire.
    case renewTokenAck(Status, expiresAtMilliseconds: Int64 = 0, issuedAtMilliseconds: Int64 = 0)
    /// The credential has expired, or will in this many milliseconds; this project's server sends only the former.
    case tokenNotice(expired: Bool, remainingMilliseconds: Int64)
    indirect case send(ChatMessage)
    /// The answer to the message of this id; ``Status/stored`` if the receiver is not connected now (C-14).
    case sendAck(Status, id: String)
    /// A message for this client; it is sent again until it is confirmed, unless it is to a channel.
    indirect case message(ChatMessage)
    /// The receiver has the message. The number comes from the server; ids are chosen by senders.
    case messageAck(id: String, number: UInt64 = 0)
    /// Makes the login a member of a channel; an existing membership stays.
    case join(channel: String)
    /// The users in the channel, including the requesting one; none if the join was refused.
    case joinAck(Status, channel: String, members: [String])
    case leave(channel: String)
    /// ``Status/notFound`` if the login was not a member.
    case leaveAck(Status, channel: String)
    /// Another member joined or left; a member who is away for a short time only has not left (RTM-4).
    case memberChanged(channel: String, user: String, joined: Bool)
    /// The last frame before an orderly close.
    case goodbye(GoodbyeReason, detail: String)
    /// An admin call for an account with its own credential, also before any login (CHAT-6).
    indirect case accountCall(AccountCall)
    case accountCallAck(Status, [Device])
    /// An operation of the user, to be sent to the user's other devices (CHAT-8).
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
    /// The node is the value at the path for `get`, otherwise empty.
    case treeAck(Status, TreeNode)
    /// A change of data that the client listens to.
    indirect case treeData(TreeData)
    /// The client's listen of that number is no longer allowed (26101).
    case treeCancelled(listen: UInt64, Status)
    /// Confirms a part of a sync, which need not be sent again: the numbers of its first and last item.
    case syncAck(SyncPhase, first: UInt64, last: UInt64)
    /// The complete state of the login; the server adds and removes what differs (C-15).
    indirect case settle(SubscriptionSnapshot)
    /// The channels and watches of a reconciliation that the server refuses.
    indirect case settleAck(channels: [String], watched: [String])
    /// The client has missed frames: it requests the current state (C-15).
    case resync
    /// The account's other devices. The rest of the state follows by itself: messages and operations that the device
    /// has not confirmed, sync items, the presence of watched users.
    case resyncAck([Device])
    /// Requests the changes of the user's data after that number (ZIM-9); answered by ``changes(_:)``.
    case fetchChanges(after: UInt64)
    /// Changes of the user's data: a requested page, or, without a request number, an event.
    indirect case changes(ChangePage)
    /// Changes user data on the server.
    indirect case change(ChangeRecord)
    case changeAck(Status)
}

/// A login request, with everything that the server needs to decide it.
public struct LoginRequest: Hashable, Sendable, Codable {
    /// The application of the user; a token is valid for one application only.
    public var application: String
    /// The user; for a guest the id of the device (SYNC-1).
    public var user: String
    /// The device that the user logs in on.
    public var device: Device
    /// The reason for the login; the server's decision depends on it.
    public var mode: LoginMode
    /// The login that a reconnect continues; 0 for a new login.
    public var epoch: LoginEpoch
    /// The credential; a machine only handles a reference to the secret.
    public var credential: Credential
    /// The running instance of the client, 0 if it gives none: another process on the same device has another one
    /// (RTM-6).
    public var instance: UInt64
    /// The user's new name; empty to keep the name (ZIM-9).
    public var userName: String

    /// A login request; the server decides it.
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
    /// The user typed name and password.
    case manual = 1
    /// The app logs in the last user; refused if another device was used since (NIM-4).
    case automatic = 2
    /// The app logs in the last user, also if another device was used since (NIM-4).
    case forced = 3
    /// The SDK continues a login whose connection broke; it never outranks a later login (C-6).
    case resume = 4
    /// The app opened local data without a network and now goes online: it continues the last login if that still
    /// exists, and never outranks a later one (ZIM-1, C-6).
    case offline = 5
    /// The system has no users: the device logs in under its own id, without proof (SYNC-1). Each connection makes a
    /// new login, which displaces only the device's older one.
    case guest = 6
}

/// The answer to a login request; after a refusal only the status is set.
public struct LoginReply: Hashable, Sendable, Codable {
    /// ``Status/ok``, or the reason for the refusal.
    public var status: Status
    /// The number of this login; later reconnects present it.
    public var epoch: LoginEpoch
    /// The server's clock, milliseconds since 1970.
    public var serverTimeMilliseconds: Int64
    /// The other devices on which the user is online now.
    public var otherDevices: [Device]
    /// When the credential expires, by the server's clock in milliseconds since 1970; 0 if it does not.
    public var expiresAtMilliseconds: Int64
    /// True if others had seen the user as offline before this login (RTM-4).
    public var wasGone: Bool
    /// When the credential was made, by the same clock; 0 if unknown. A warning at a share of its lifetime needs the
    /// whole lifetime (CHAT-10).
    public var issuedAtMilliseconds: Int64

    /// A reply; with only a status it is a refusal.
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

/// The reason why a login was ended by someone else.
public enum KickReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Another device logged in that cannot be online at the same time.
    case otherLogin = 1
    /// The server's operator ended it.
    case server = 2
    /// Another device of the user ended it by command.
    case otherDevice = 3
    /// The account was banned.
    case banned = 4
    case accountRemoved = 5
    case passwordChanged = 6

    /// Its name in recordings and JSON.
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

/// The notice to a device that its login has ended.
public struct KickNotice: Hashable, Sendable, Codable {
    /// The reason for the end.
    public var reason: KickReason
    /// The login that has ended. A device with a later login ignores the notice (C-8).
    public var epoch: LoginEpoch
    /// The device that caused it; nil if none did.
    public var by: Device?

    /// A notice for the login of this epoch; `by` is nil if no device caused it.
    public init(reason: KickReason, epoch: LoginEpoch, by device: Device? = nil) {
        self.reason = reason
        self.epoch = epoch
        self.by = device
    }
}

/// A change of the other devices of the account (NIM-13).
public enum DeviceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The devices that were online when this device logged in.
    case initial = 1
    case login = 2
    case logout = 3
}

/// A message between users, or from a user to a channel.
public struct ChatMessage: Hashable, Sendable, Codable {
    /// Made by the sender, so that a message sent twice is stored once (C-14).
    public var id: String
    /// The user who sent it; set by the server, whatever the sender put there.
    public var from: String
    /// A user, one device of a user (`user/device`, CHAT-7), or a channel.
    public var to: String
    /// Its text, at most ``ProtocolLimit/textBytesMax`` bytes.
    public var text: String
    /// True if ``to`` is a channel.
    public var isToChannel: Bool
    /// True if ``to`` is a group whose members receive it from the server (ZIM-9); never true in a frame from a client.
    public var isToGroup: Bool
    /// The server's number of a message for a device or in a channel, increasing and unique. 0 if the server has not
    /// sent it to either.
    public var number: UInt64

    /// A message as its sender makes it; the server sets `from` and `number`.
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

    /// Reads a message; the number is 0 if an older version stored it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        from = try container.decode(String.self, forKey: .from)
        to = try container.decode(String.self, forKey: .to)
        text = try container.decode(String.self, forKey: .text)
        isToChannel = try container.decode(Bool.self, forKey: .isToChannel)
        // Messages stored by older versions have neither.
        isToGroup = try container.decodeIfPresent(Bool.self, forKey: .isToGroup) ?? false
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}

/// The reason why one side ends a connection in order.
public enum GoodbyeReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The peer sent a frame that the protocol does not allow.
    case protocolViolation = 1
    /// A frame could not be read.
    case malformedFrame = 2
    /// The same device has opened a newer connection.
    case replaced = 3
    /// Nobody logged in on the connection in time.
    case loginOverdue = 4
    /// The server shuts down.
    case shutdown = 5
    /// The app has taken the client offline (SYNC-8).
    case wentOffline = 6

    /// Its name in recordings and JSON.
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
