import IMLocalData
import IMProtocol
import SansIO

// The rights of clients, in one table: when a client may send a frame, who may make a change, whose data the change
// reaches, and under whose name it stands there. Frames are checked in ServerMachine+Receive.swift, changes in
// `take(_:by:device:)` of ServerMachine+Domain.swift; no other place decides it.

/// How far a connection has come; a set of stages for a frame.
struct ConnectionStage: OptionSet, Hashable {
    let rawValue: UInt8

    static let beforeLogin = ConnectionStage(rawValue: 1)
    static let loggedIn = ConnectionStage(rawValue: 2)
    static let afterEnd = ConnectionStage(rawValue: 4)
}

/// Who may make a change of user data.
enum ChangeMaker: Hashable, CaseIterable {
    /// Only the server itself, or the device for itself.
    case nobody
    /// Every user, in their own name.
    case anyUser
    /// The user whom the change names.
    case namedUser
    /// The sender of the message, while they are in its conversation.
    case sender
    /// A user who has the message, while they are in its conversation.
    case reader
    /// In a group a member who is not muted; between users everybody.
    case speaker
    /// A user who takes part in the call; a new call names its maker as caller and inviter.
    case participant
    /// The maker of a new group; later its owner and admins.
    case groupAdmin
    /// The owner; of a thread also an admin of its group.
    case groupOwner
    /// A member, or for themselves a user who joins; for others what the roles allow.
    case member
    /// The applicant asks, and the other side answers what waits.
    case applicant
}

/// Whose data a change reaches, besides that of its maker.
enum ChangeReach: Hashable {
    case nobody
    /// The user whom it names.
    case namedUser
    /// Everybody who can see what the user is called.
    case acquaintances
    /// The other users of the conversation.
    case conversation
    case messageSender
    case groupMembers
    case callUsers
    /// Owner, admins and the user whom it names.
    case groupAdmins
}

/// A row of the table.
struct ChangeRight: Hashable {
    var maker: ChangeMaker
    var reach: ChangeReach
    /// The fields that name an author in the data of others. The server sets them to the maker, or refuses others.
    var authorFields: [String] = []

    init(_ maker: ChangeMaker, _ reach: ChangeReach, author authorFields: String...) {
        (self.maker, self.reach, self.authorFields) = (maker, reach, authorFields)
    }

    /// The row of a kind of change under a policy. Where a system keeps no user data, nobody changes any.
    init(_ kind: ChangeKind, _ policy: ServerPolicy) {
        self = policy.hasUserData ? Self.row(of: kind) : ChangeRight(.nobody, .nobody)
    }

    private static func row(of kind: ChangeKind) -> ChangeRight {
        switch kind {
        case .user: ChangeRight(.namedUser, .acquaintances, author: "userID")
        case .friend, .friendRemoved: ChangeRight(.anyUser, .namedUser, author: "userID")
        case .friendApplication: ChangeRight(.applicant, .namedUser, author: "userID")
        case .blacklist: ChangeRight(.anyUser, .nobody)
        case .group: ChangeRight(.groupAdmin, .groupMembers)
        case .groupRemoved: ChangeRight(.groupOwner, .groupMembers)
        case .member, .memberRemoved: ChangeRight(.member, .groupMembers)
        case .groupApplication: ChangeRight(.applicant, .groupAdmins)
        case .message: ChangeRight(.speaker, .conversation, author: "senderUserID")
        case .messageRevoked: ChangeRight(.sender, .conversation, author: "senderUserID")
        case .reaction: ChangeRight(.reader, .conversation, author: "userID")
        case .read: ChangeRight(.reader, .messageSender, author: "userID")
        case .call: ChangeRight(.participant, .callUsers, author: "caller", "inviter")
        case .messageRemoved, .conversation, .conversationRemoved, .conversationEmptied:
            ChangeRight(.anyUser, .nobody)
        // With receipts the other user learns that the conversation was read.
        case .readElsewhere: ChangeRight(.anyUser, .namedUser, author: "userID")
        case .downloaded, .delivered, .conversationRead: ChangeRight(.nobody, .nobody)
        }
    }
}

extension FrameBody {
    /// At which stages a client may send the frame. A login that has ended ignores everything but its confirmation.
    var stages: ConnectionStage {
        switch self {
        case .login: [.beforeLogin]
        // Answered at once where a system has no such calls (CHAT-6).
        case .accountCall: [.beforeLogin, .loggedIn]
        // Before the login it ends an attempt that has not got this far.
        case .logout: [.beforeLogin, .loggedIn]
        case .kickedAck: [.loggedIn, .afterEnd]
        case .heartbeat, .kick, .sync, .syncAck, .renewToken, .send, .messageAck, .join, .leave, .goodbye, .operation,
            .operatedAck, .setAttributes, .ask, .watch, .tree, .settle, .resync, .fetchChanges, .change:
            [.loggedIn]
        case .loginAck, .logoutAck, .heartbeatAck, .kicked, .kickAck, .syncPhase, .syncDone, .devicesChanged,
            .renewTokenAck, .tokenNotice, .sendAck, .message, .joinAck, .leaveAck, .memberChanged, .accountCallAck,
            .operationAck, .operated, .setAttributesAck, .answer, .watchAck, .presence, .treeAck, .treeData,
            .treeCancelled, .settleAck, .resyncAck, .changes, .changeAck:
            []
        }
    }
}

extension ServerMachine {
    /// Why a user may not make a change; nil where the table allows it. What members may do to each other depends on
    /// their roles, which ServerMachine+Groups.swift compares.
    func refusal(of change: LocalChange, by user: String, on device: String) -> Status? {
        switch ChangeRight(change.record().kind, policy).maker {
        case .nobody: policy.hasUserData ? .invalidArgument : .unsupported
        case .anyUser, .groupAdmin, .groupOwner, .member, .applicant: nil
        case .namedUser:
            if case .user(let own) = change, own.id == user { nil } else { .forbidden }
        case .sender:
            if case .messageRevoked(let id) = change {
                refusal(ofRevoking: id, by: user, on: device)
            } else {
                .forbidden
            }
        case .reader:
            switch change {
            case .reaction(let id, _, _): message(id, presentFor: user, on: device) == nil ? .notFound : nil
            // Of a list, messages that the user may not read are left out.
            default: nil
            }
        case .speaker:
            if case .message(let message) = change, !isIn(message.conversation, user) { .notFound } else { nil }
        case .participant:
            if case .call(let call) = change { refusal(of: call, by: user) } else { .forbidden }
        }
    }

    /// A message that a user has and whose conversation the user is in.
    func message(
        _ id: String, presentFor user: String, notFrom other: String? = nil, on device: String
    ) -> LocalMessage? {
        message(id, of: user, notFrom: other, on: device).flatMap { isIn($0.conversation, user) ? $0 : nil }
    }

    /// The user's own message of that id, or else the first one.
    func revocable(_ id: String, by user: String, on device: String) -> LocalMessage? {
        message(MessageName(sender: user, id: MessageName(id).id).text, of: user, on: device)
            ?? message(id, of: user, on: device)
    }

    private func refusal(ofRevoking id: String, by user: String, on device: String) -> Status? {
        guard let message = revocable(id, by: user, on: device) else { return .notFound }
        guard message.sender == user else { return .forbidden }
        return isIn(message.conversation, user) ? nil : .notFound
    }

    /// Whether a user takes part in a conversation now. Two users always do; a former member does not.
    private func isIn(_ id: ConversationID, _ user: String) -> Bool {
        guard id.kind == .group, let group = groups[id.id] else { return true }
        return group.members[user] != nil
    }

    /// A call names whoever began it and whoever invites. Only its caller takes users out of it.
    private func refusal(of call: CallInvitation, by user: String) -> Status? {
        guard call.caller == user || call.users.contains(user) else { return .forbidden }
        if let known = self.call(call.id, of: user) {
            guard call.caller == known.caller, call.inviter == known.inviter || call.inviter == user,
                user == known.caller || known.users.allSatisfy(call.users.contains)
            else { return .forbidden }
        } else {
            guard call.caller == user, call.inviter == user else { return .forbidden }
        }
        // A call with the id of one that others are in is another one (C-14).
        let others = call.users.filter { $0 != user }
        return others.allSatisfy { isCall(call.id, of: $0, openTo: user) } ? nil : .forbidden
    }

    /// Whether a user may change a call that another one has: the user takes part, or there is no such call.
    private func isCall(_ id: String, of other: String, openTo user: String) -> Bool {
        guard let call = call(id, of: other) else { return true }
        return call.caller == user || call.inviter == user || call.users.contains(user)
    }

    private func call(_ id: String, of user: String) -> CallInvitation? {
        let record = accounts[user]?.feed.last { record in
            record.kind == .call && record.fields.contains { $0.name == "callID" && $0.value == id }
        }
        guard case .call(let call)? = record.flatMap(LocalChange.init) else { return nil }
        return call
    }
}
