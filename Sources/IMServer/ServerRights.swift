import IMLocalData
import IMProtocol
import SansIO

// The rights of clients, in one table: when a client may send a frame, who may make a change, whose data the change
// reaches, and under whose name it is stored. ServerMachine+Receive.swift checks frames, `take(_:by:device:)` in
// ServerMachine+Domain.swift checks changes; no other code decides it.

/// The stage of a connection; a set of stages for a frame.
struct ConnectionStage: OptionSet, Hashable {
    let rawValue: UInt8

    static let beforeLogin = ConnectionStage(rawValue: 1)
    static let loggedIn = ConnectionStage(rawValue: 2)
    static let afterEnd = ConnectionStage(rawValue: 4)
}

/// The user who may make a change of user data.
enum ChangeMaker: Hashable, CaseIterable {
    /// No user: only the server, or the device for itself.
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
    /// A participant of the call; a new call names its maker as caller and inviter.
    case participant
    /// The maker of a new group; later its owner and admins.
    case groupAdmin
    /// The owner; of a thread also an admin of its group.
    case groupOwner
    /// A member, or a user who joins; for changes of others the roles decide.
    case member
    /// The applicant applies, and the other side answers the waiting application.
    case applicant
}

/// The users whose data a change reaches, besides that of its maker.
enum ChangeReach: Hashable {
    case nobody
    /// The user named by the change.
    case namedUser
    /// Everybody who can see the user's name.
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

    /// The row of a kind of change under a policy. In a system without user data nobody can change any.
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
        // Receipts show the other user that the conversation was read.
        case .readElsewhere: ChangeRight(.anyUser, .namedUser, author: "userID")
        case .downloaded, .delivered, .conversationRead: ChangeRight(.nobody, .nobody)
        }
    }
}

extension FrameBody {
    /// The stages at which a client may send the frame. After a login has ended, only its confirmation is handled.
    var stages: ConnectionStage {
        switch self {
        case .login: [.beforeLogin]
        // Answered at once in a system without such calls (CHAT-6).
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
    /// The reason why a user may not make a change; nil if the table allows it. Changes between members also depend on
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
            // Messages that the user may not read are left out of a list.
            default: nil
            }
        case .speaker:
            if case .message(let message) = change, !isIn(message.conversation, user) { .notFound } else { nil }
        case .participant:
            if case .call(let call) = change { refusal(of: call, by: user) } else { .forbidden }
        }
    }

    /// A message that a user has, in a conversation that the user takes part in.
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

    /// True if a user takes part in a conversation now. Two users always do; a former member does not.
    private func isIn(_ id: ConversationID, _ user: String) -> Bool {
        guard id.kind == .group, let group = groups[id.id] else { return true }
        return group.members[user] != nil
    }

    /// A call names its creator and each inviter. Only its caller removes users from it.
    private func refusal(of call: CallInvitation, by user: String) -> Status? {
        guard call.caller == user || call.users.contains(user) else { return .forbidden }
        if let known = self.call(call.id, of: user) {
            guard call.caller == known.caller, call.inviter == known.inviter || call.inviter == user,
                user == known.caller || known.users.allSatisfy(call.users.contains)
            else { return .forbidden }
        } else {
            guard call.caller == user, call.inviter == user else { return .forbidden }
        }
        // A call whose id belongs to a call of other users is a different call (C-14).
        let others = call.users.filter { $0 != user }
        return others.allSatisfy { isCall(call.id, of: $0, openTo: user) } ? nil : .forbidden
    }

    /// True if a user may change a call that another user has: the user takes part, or there is no such call.
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
