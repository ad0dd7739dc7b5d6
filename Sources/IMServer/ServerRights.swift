import IMLocalData
import IMProtocol
import SansIO

// The rights of clients, in tables: when a client may send a frame, who may make a change, whose data a change reaches,
// and which fields name its author. `ServerMachine+Receive.swift` checks frames, and `make(_:by:device:at:into:)` in
// `ServerMachine+Domain.swift` checks changes. No other code decides about these rights.

/// A set of stages of a connection. For a frame, the stages at which a client may send it.
struct ConnectionStage: OptionSet, Hashable {
    let rawValue: UInt8

    static let beforeLogin = ConnectionStage(rawValue: 1)
    static let loggedIn = ConnectionStage(rawValue: 2)
    static let afterEnd = ConnectionStage(rawValue: 4)
}

/// The kind of user who may make a change.
enum ChangeMaker: Hashable, CaseIterable {
    /// No user: only the server makes such a change, or a device makes it locally.
    case nobody
    /// Every user, for their own data.
    case anyUser
    /// The user whom the change names.
    case namedUser
    /// The sender of the message, as long as they are in its conversation.
    case sender
    /// Each user who has the message, as long as they are in its conversation.
    case reader
    /// In a group, each member who is not muted. Between two users, both.
    case speaker
    /// Each participant of the call. The user who makes a new call must be its caller and inviter.
    case participant
    /// For a new group, each user. For an existing one, its owner and admins.
    case groupAdmin
    /// The owner of the group. For a thread, also an admin of its group.
    case groupOwner
    /// Each member, and a user who joins. The roles decide about changes of other members.
    case member
    /// The applicant for a new application. For a waiting application, the user who answers it.
    case applicant
}

/// The users whose data a change reaches, in addition to the user who makes it.
enum ChangeReach: Hashable {
    case nobody
    /// The user whom the change names.
    case namedUser
    /// All users whose data contains the name of the user.
    case acquaintances
    /// The users in the conversation of the message.
    case conversation
    case messageSender
    case groupMembers
    case callUsers
    /// The owner and admins of the group, and the user whom the change names.
    case groupAdmins
}

/// A row of the table of rights: it applies to one or more kinds of changes.
struct ChangeRight: Hashable {
    var maker: ChangeMaker
    var reach: ChangeReach
    /// The fields that name the author. The server sets them to the user who makes the change, or refuses others.
    var authorFields: [String] = []

    init(_ maker: ChangeMaker, _ reach: ChangeReach, author authorFields: String...) {
        (self.maker, self.reach, self.authorFields) = (maker, reach, authorFields)
    }

    /// The row for a kind of change under a policy. In a system without user data, nobody can make a change.
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
        // The other user is affected, because a receipt reports that the conversation was read.
        case .readElsewhere: ChangeRight(.anyUser, .namedUser, author: "userID")
        case .downloaded, .delivered, .conversationRead: ChangeRight(.nobody, .nobody)
        }
    }
}

extension FrameBody {
    /// The stages at which a client may send the frame. After a login has ended, a client may only confirm the kick.
    var stages: ConnectionStage {
        switch self {
        case .login: [.beforeLogin]
        // A system without admin calls answers them with ``Status/unsupported`` at both stages (CHAT-6).
        case .accountCall: [.beforeLogin, .loggedIn]
        // Before the login, a logout cancels an attempt whose login request has not arrived.
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
    /// The reason why a user may not make a change; nil if the table allows it. For changes of members,
    /// `ServerMachine+Groups.swift` also compares the roles.
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
            // Other changes of readers contain a list of messages. Those that the user may not read are ignored.
            default: nil
            }
        case .speaker:
            if case .message(let message) = change, !isParticipant(message.conversation, user) {
                .notFound
            } else {
                nil
            }
        case .participant:
            if case .call(let call) = change { refusal(of: call, by: user) } else { .forbidden }
        }
    }

    /// A message that a user has, if the user is in its conversation; nil if not.
    func message(
        _ id: String, presentFor user: String, notFrom other: String? = nil, on device: String
    ) -> LocalMessage? {
        message(id, of: user, notFrom: other, on: device).flatMap { isParticipant($0.conversation, user) ? $0 : nil }
    }

    /// The message that a user wants to revoke: the user's own one with this id or, if there is none, the first one.
    func revocable(_ id: String, by user: String, on device: String) -> LocalMessage? {
        message(MessageName(sender: user, id: MessageName(id).id).text, of: user, on: device)
            ?? message(id, of: user, on: device)
    }

    private func refusal(ofRevoking id: String, by user: String, on device: String) -> Status? {
        guard let message = revocable(id, by: user, on: device) else { return .notFound }
        guard message.sender == user else { return .forbidden }
        return isParticipant(message.conversation, user) ? nil : .notFound
    }

    /// False if the conversation is an existing group of which the user is not a member. In the user's data, the id of
    /// a conversation of two users is the other user, so the user is always one of the two. If a group does not exist
    /// any more, its messages remain with the users who received them.
    private func isParticipant(_ id: ConversationID, _ user: String) -> Bool {
        guard id.kind == .group, let group = groups[id.id] else { return true }
        return group.members[user] != nil
    }

    /// The reason why a user may not make a change of a call; nil if the user may. A call contains its caller and the
    /// latest inviter. Only the caller removes users from a call.
    private func refusal(of call: CallInvitation, by user: String) -> Status? {
        guard call.caller == user || call.users.contains(user) else { return .forbidden }
        if let known = self.call(call.id, of: user) {
            guard call.caller == known.caller, call.inviter == known.inviter || call.inviter == user,
                user == known.caller || known.users.allSatisfy(call.users.contains)
            else { return .forbidden }
        } else {
            guard call.caller == user, call.inviter == user else { return .forbidden }
        }
        // If another user has a different call with the same id, the change must not overwrite it (C-14).
        let others = call.users.filter { $0 != user }
        return others.allSatisfy { isCall(call.id, of: $0, openTo: user) } ? nil : .forbidden
    }

    /// True if a user may change the call with this id in the data of another user: either the user takes part in the
    /// call, or the other user has no such call.
    private func isCall(_ id: String, of other: String, openTo user: String) -> Bool {
        guard let call = call(id, of: other) else { return true }
        return call.caller == user || call.inviter == user || call.users.contains(user)
    }

    private func call(_ id: String, of user: String) -> CallInvitation? {
        let record = accounts[user]?.feed.last(.call, with: "callID", id)
        guard case .call(let call)? = record.flatMap(LocalChange.init) else { return nil }
        return call
    }
}
