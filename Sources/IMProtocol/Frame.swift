import IMTree

/// One message between a client and a server.
public struct Frame: Hashable, Sendable, Codable {
    /// Pairs a reply with its request; 0 where nothing is asked or answered.
    public var request: UInt32
    /// What it says.
    public var body: FrameBody
    /// The place of this frame among those that one answer takes, from 0. An answer that is larger than a frame may be
    /// comes in several, one after the other, under the same request number.
    public var page: UInt32
    /// Whether more frames of the same answer follow.
    public var hasMore: Bool
    /// The checksum of the counted frames that the sender has sent before this one on the connection: in heartbeats, their
    /// answers, the answer to a resync, and the server's frames that must not be handled before those (C-15). Nil where
    /// there were none.
    public var said: Tally?

    /// A frame; `page` and `hasMore` are for answers that take several, see ``FramePages``.
    public init(
        request: UInt32 = 0, _ body: FrameBody, page: UInt32 = 0, hasMore: Bool = false, said: Tally? = nil
    ) {
        self.request = request
        self.body = body
        self.page = page
        self.hasMore = hasMore
        self.said = said
    }

    /// Whether the request of one number was made before that of the other; numbers begin anew some day.
    package static func isRequest(_ number: UInt32, before other: UInt32) -> Bool {
        Int32(bitPattern: number &- other) < 0
    }
}

/// What a frame says. Requests go to the server and carry a request number, notices come from it.
///
/// The bodies that hold most are boxed: nearly every frame of a session is a heartbeat, and would be moved around with
/// the room of a login.
public enum FrameBody: Hashable, Sendable, Codable {
    /// Asks for a login; answered by ``loginAck(_:)``, or by ``kicked(_:)`` where that login is over.
    indirect case login(LoginRequest)
    /// How a login was judged. After a refusal the connection stays, and may ask again.
    indirect case loginAck(LoginReply)
    /// Ends the login; push is unbound unless `keepsPush` (NIM-10, CHAT-11).
    case logout(keepsPush: Bool)
    case logoutAck(Status)
    /// The client is there; ``Frame/said`` goes with it (C-12, C-15).
    case heartbeat
    case heartbeatAck
    /// The login named by the notice has ended.
    indirect case kicked(KickNotice)
    /// The client has taken note, so the server need not tell it again (C-7).
    case kickedAck(epoch: LoginEpoch)
    /// Ends the login of another device of the account; an empty id means all others.
    case kick(device: String)
    case kickAck(Status)
    /// Asks for the account's things (NIM-14): ``syncPhase(_:count:items:)`` for each phase, then ``syncDone``.
    case sync
    /// Part of what the sync brings; `count` is how many items there are in all.
    case syncPhase(SyncPhase, count: UInt32, items: [SyncItem] = [])
    case syncDone
    /// Other devices of the account came or went (NIM-13).
    case devicesChanged(DeviceChange, [Device])
    /// Another credential for the login that is there (ZIM-6, RTM-5).
    indirect case renewToken(Credential)
    /// With the new token's expiry, by the server's clock in milliseconds since 1970; 0 when it does not expire.
    case renewTokenAck(Status, expiresAtMilliseconds: Int64 = 0, issuedAtMilliseconds: Int64 = 0)
    /// The credential has expired, or will in so many milliseconds; this project's server says only the former.
    case tokenNotice(expired: Bool, remainingMilliseconds: Int64)
    indirect case send(ChatMessage)
    /// What became of the message of this id; ``Status/stored`` where the receiver is not there now (C-14).
    case sendAck(Status, id: String)
    /// A message for this client; it is handed over again until it is confirmed, unless it is to a channel.
    indirect case message(ChatMessage)
    /// The receiver has it. The number is the server's; an id can be anybody's.
    case messageAck(id: String, number: UInt64 = 0)
    /// Makes the login a member of a channel; one that is a member already stays one.
    case join(channel: String)
    /// With the users in the channel, the asking one among them; none where the join was refused.
    case joinAck(Status, channel: String, members: [String])
    case leave(channel: String)
    /// ``Status/notFound`` for a login that was no member.
    case leaveAck(Status, channel: String)
    /// Another member came or went; who is away for a short time only has not gone (RTM-4).
    case memberChanged(channel: String, user: String, joined: Bool)
    /// The last word before an orderly close.
    case goodbye(GoodbyeReason, detail: String)
    /// Asks for an account with a credential of its own, also before any login (CHAT-6).
    indirect case accountCall(AccountCall)
    case accountCallAck(Status, [Device])
    /// The user has done something of which the user's other devices are to be told (CHAT-8).
    indirect case operation(DeviceOperation)
    case operationAck(Status)
    /// Another device of the account did it.
    indirect case operated(DeviceOperation)
    case operatedAck(id: String, number: UInt64 = 0)
    /// Replaces all attributes of a channel, or, where `channel` is empty, of the user.
    case setAttributes(channel: String, [AnswerField])
    case setAttributesAck(Status)
    case ask(Question)
    case answer(Status, [AnswerRow])
    /// Asks to be told of a user's presence, or no longer.
    case watch(user: String, isOn: Bool)
    case watchAck(Status)
    case presence(user: String, PresenceChange)
    indirect case tree(TreeRequest)
    /// With what stands at the place for `get`, else nothing.
    case treeAck(Status, TreeNode)
    /// What has changed where the client listens.
    indirect case treeData(TreeData)
    /// The client's listen of that number is no longer allowed (26101).
    case treeCancelled(listen: UInt64, Status)
    /// A part of what the sync brought is here and need not be brought again: the numbers of its first and last item.
    case syncAck(SyncPhase, first: UInt64, last: UInt64)
    /// Everything that the login holds; the server lets go of the rest and takes on what it lacks (C-15).
    indirect case settle(Settlement)
    /// The channels and watches of a settlement that the server refuses.
    indirect case settleAck(channels: [String], watched: [String])
    /// The client has not heard all that it was told: it wants to know how things stand (C-15).
    case resync
    /// The account's other devices. What else there is follows by itself: messages and operations that the device has
    /// not confirmed, things of a sync, the presence of the users that are watched.
    case resyncAck([Device])
    /// Asks what changed in the user's data behind that number (ZIM-9); answered by ``changes(_:)``.
    case fetchChanges(after: UInt64)
    /// What changed in the user's data: a part of it that was asked for, or, without a request number, as it happens.
    indirect case changes(ChangePage)
    /// The user changes something of the data that the server has.
    indirect case change(ChangeRecord)
    case changeAck(Status)
}

/// A login and everything that the server needs to judge it.
public struct LoginRequest: Hashable, Sendable, Codable {
    /// The application that the user belongs to; a token of one is worth nothing in another.
    public var application: String
    /// Who logs in; for a guest the id of the device (SYNC-1).
    public var user: String
    /// The device that the user logs in on.
    public var device: Device
    /// Why the client logs in; how the login is judged depends on it.
    public var mode: LoginMode
    /// The login that a reconnect continues; 0 for a login of its own right.
    public var epoch: LoginEpoch
    /// What proves who it is; never the secret itself where a core sees it.
    public var credential: Credential
    /// The running instance of the client, 0 where it does not say: another process on the same device has another one
    /// (RTM-6).
    public var instance: UInt64
    /// What the user wants to be called from now on; empty to keep the name (ZIM-9).
    public var userName: String

    /// Puts a login together; the server judges it.
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

/// Why a client logs in.
public enum LoginMode: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The user typed name and password.
    case manual = 1
    /// The app logs in the user of last time; refused if another device was used since (NIM-4).
    case automatic = 2
    /// The same without that check (NIM-4).
    case forced = 3
    /// The SDK goes on with a login whose link broke; it never outranks a later login (C-6).
    case resume = 4
    /// The app opened local data without a network and now goes online: it goes on with the login of last time if that
    /// is still there, and never outranks a later one (ZIM-1, C-6).
    case offline = 5
    /// The system has no users: the device comes under its own name, with nothing to prove it (SYNC-1). It is a login
    /// each time, by the newest connection of the device, and it displaces nothing but the device's older one.
    case guest = 6
}

/// How a login was judged; where it was refused, only the status says anything.
public struct LoginReply: Hashable, Sendable, Codable {
    /// ``Status/ok``, or why the login was refused.
    public var status: Status
    /// The number of this login; later reconnects present it.
    public var epoch: LoginEpoch
    /// The server's clock, milliseconds since 1970.
    public var serverTimeMilliseconds: Int64
    /// The other devices on which the user is online now.
    public var otherDevices: [Device]
    /// When the credential expires, by the server's clock in milliseconds since 1970; 0 when it does not.
    public var expiresAtMilliseconds: Int64
    /// Others had seen the user as gone before this login (RTM-4).
    public var wasGone: Bool
    /// When the credential was made, by the same clock; 0 when that is not known. A warning at a share of its life
    /// needs to know the whole of it (CHAT-10).
    public var issuedAtMilliseconds: Int64

    /// A reply; with the status alone it is a refusal.
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

/// Why a login was ended by somebody else.
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

    /// The word for it in recordings and JSON.
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

/// Tells a device that a login of it has ended.
public struct KickNotice: Hashable, Sendable, Codable {
    /// Why the login has ended.
    public var reason: KickReason
    /// The login that has ended. A device that has a later one is not concerned (C-8).
    public var epoch: LoginEpoch
    /// The device that caused it, if one did.
    public var by: Device?

    /// A notice for the login of this epoch; `by` is nil where no device caused it.
    public init(reason: KickReason, epoch: LoginEpoch, by device: Device? = nil) {
        self.reason = reason
        self.epoch = epoch
        self.by = device
    }
}

/// What happened to the other devices of the account (NIM-13).
public enum DeviceChange: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// Those that were online when this device logged in.
    case initial = 1
    case login = 2
    case logout = 3
}

/// A message between users, or from a user to a channel.
public struct ChatMessage: Hashable, Sendable, Codable {
    /// Made by the sender, so that a message sent twice is stored once (C-14).
    public var id: String
    /// The user who sent it; filled in by the server, whatever the sender says.
    public var from: String
    /// A user, one device of a user (`user/device`, CHAT-7), or a channel.
    public var to: String
    /// What it says, at most ``ProtocolLimit/textBytesMax`` bytes.
    public var text: String
    /// Whether ``to`` is a channel.
    public var isToChannel: Bool
    /// Whether ``to`` is a group whose members have it from the server (ZIM-9); never in what a client sends.
    public var isToGroup: Bool
    /// Given by the server to what it hands to a device, or says in a channel: one more with each, and never the same
    /// twice. 0 where it is not handed over.
    public var number: UInt64

    /// A message as its sender says it; `from` and `number` are filled in by the server.
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

    /// Reads a message; the number is 0 in those that older versions kept.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        id = try container.decode(String.self, forKey: .id)
        from = try container.decode(String.self, forKey: .from)
        to = try container.decode(String.self, forKey: .to)
        text = try container.decode(String.self, forKey: .text)
        isToChannel = try container.decode(Bool.self, forKey: .isToChannel)
        // Messages kept by older versions have neither.
        isToGroup = try container.decodeIfPresent(Bool.self, forKey: .isToGroup) ?? false
        number = try container.decodeIfPresent(UInt64.self, forKey: .number) ?? 0
    }
}

/// Why one side ends a connection in order.
public enum GoodbyeReason: UInt8, Hashable, Sendable, Codable, CaseIterable {
    /// The peer said something that the protocol does not allow.
    case protocolViolation = 1
    /// A frame could not be read.
    case malformedFrame = 2
    /// The same device has opened a newer connection.
    case replaced = 3
    /// Nobody logged in on the connection in time.
    case loginOverdue = 4
    /// The server goes down.
    case shutdown = 5
    /// The app has taken the client offline (SYNC-8).
    case wentOffline = 6

    /// The word for it in recordings and JSON.
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
