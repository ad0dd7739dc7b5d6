import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// Conversions between Agora Chat's multi-device operations and changes of the server's data (CHAT-8, CHAT-9). An
// operation requests a change. Conversely, a change results in an operation that notifies the user's other devices.

/// The result of converting an operation into a change.
enum OperationMeaning: Equatable {
    case change(LocalChange)
    case refused(Status)
}

extension OperationKind {
    /// True if the `ext` of such an operation is the name of a member.
    var namesMember: Bool {
        switch self {
        case .groupApplyAccept, .groupApplyDecline, .groupInvite, .groupKick, .groupBan, .groupAllow,
            .groupAssignOwner, .groupAddAdmin, .groupRemoveAdmin, .groupAddMute, .groupRemoveMute, .groupAddWhiteList,
            .groupRemoveWhiteList, .threadKick:
            true
        default: false
        }
    }
}

// MARK: From the operation to the change

extension ServerMachine {
    /// Converts an operation into a change of the user's data. It does not check the right to make the change.
    func meaning(of operation: DeviceOperation, by user: String) -> OperationMeaning {
        let (target, ext) = (operation.target, operation.ext)
        guard !operation.kind.namesMember || ProtocolLimit.isName(ext) else { return .refused(.invalidArgument) }
        switch operation.kind {
        case .contactRemove: return .change(.friendRemoved(target))
        case .contactAccept: return answer(target, .accepted, by: user)
        case .contactDecline: return answer(target, .rejected, by: user)
        case .contactBan: return .change(.blacklisted(target, true))
        case .contactAllow: return .change(.blacklisted(target, false))
        case .groupCreate: return create(target, name: ext, parent: "")
        case .threadCreate:
            guard ProtocolLimit.isName(ext) else { return .refused(.invalidArgument) }
            return create(target, name: target, parent: ext)
        case .groupDestroy, .threadDestroy: return .change(.groupRemoved(target))
        case .groupJoin, .threadJoin: return member(user, of: target) { _ in }
        case .groupLeave, .threadLeave: return .change(.memberRemoved(group: target, user: user))
        case .groupKick, .threadKick: return .change(.memberRemoved(group: target, user: ext))
        case .groupApply: return apply(.join, user, to: target, .waiting, wording: ext)
        case .groupApplyAccept: return apply(.join, ext, to: target, .accepted)
        case .groupApplyDecline: return apply(.join, ext, to: target, .rejected)
        case .groupInvite: return apply(.invite, ext, to: target, .waiting)
        case .groupInviteAccept: return apply(.invite, user, to: target, .accepted)
        case .groupInviteDecline: return apply(.invite, user, to: target, .rejected)
        case .groupBan: return group(target) { $0.rules.blocked.include(ext) }
        case .groupAllow: return group(target) { $0.rules.blocked.removeAll { $0 == ext } }
        case .groupAddWhiteList: return group(target) { $0.rules.exempt.include(ext) }
        case .groupRemoveWhiteList: return group(target) { $0.rules.exempt.removeAll { $0 == ext } }
        case .groupAllBan: return group(target) { $0.rules.isMuted = true }
        case .groupRemoveAllBan: return group(target) { $0.rules.isMuted = false }
        case .groupUpdate, .threadUpdate: return group(target) { $0.name = ext }
        case .groupBlock: return member(user, of: target) { $0.own.blocksMessages = true }
        case .groupUnblock: return member(user, of: target) { $0.own.blocksMessages = false }
        case .groupMemberAttributesChanged:
            return member(user, of: target) { $0.own.attributes = [AnswerField(assignment: ext)] }
        case .groupAssignOwner: return member(ext, of: target) { $0.role = .owner }
        case .groupAddAdmin: return member(ext, of: target) { $0.role = .admin }
        case .groupRemoveAdmin: return member(ext, of: target) { $0.role = .member }
        case .groupAddMute: return member(ext, of: target) { $0.mutedUntil = -1 }
        case .groupRemoveMute: return member(ext, of: target) { $0.mutedUntil = 0 }
        case .conversationPinned: return conversation(target, of: user) { $0.isPinned = true }
        case .conversationUnpinned: return conversation(target, of: user) { $0.isPinned = false }
        case .conversationUpdateMark:
            return conversation(target, of: user) { $0.marks = ConversationMarks(text: ext) }
        case .conversationMuteInfoChanged: return conversation(target, of: user) { $0.notifies.toggle() }
        case .conversationDelete: return .change(.conversationRemoved(conversationID(target, of: user), upTo: 0))
        case .messagesRemoved: return .change(.conversationEmptied(conversationID(target, of: user), upTo: 0))
        case .conversationRead: return .change(.readElsewhere(conversationID(target, of: user), upTo: 0))
        case .messageRead: return .change(.read(messages: [target], by: user))
        }
    }

    private func create(_ id: String, name: String, parent: String) -> OperationMeaning {
        // Otherwise the change would rename the existing group.
        guard groups[id] == nil else { return .refused(.forbidden) }
        var group = LocalGroup(id: id, name: name.isEmpty ? id : name)
        group.rules.parent = parent
        return .change(.group(group))
    }

    private func answer(_ other: String, _ state: ApplicationState, by user: String) -> OperationMeaning {
        .change(.friendApplication(FriendApplication(user: other, isReceived: true, state: state)))
    }

    private func apply(
        _ kind: GroupApplication.Kind, _ user: String, to group: String, _ state: ApplicationState,
        wording: String = ""
    ) -> OperationMeaning {
        .change(
            .groupApplication(
                GroupApplication(group: group, user: user, kind: kind, state: state, wording: wording)))
    }

    private func group(_ id: String, _ body: (inout LocalGroup) -> Void) -> OperationMeaning {
        guard var group = groups[id]?.group else { return .refused(.notFound) }
        body(&group)
        return .change(.group(group))
    }

    /// A change of a member by `body`. A user who is not a member becomes one.
    private func member(_ user: String, of id: String, _ body: (inout GroupMember) -> Void) -> OperationMeaning {
        guard let group = groups[id] else { return .refused(.notFound) }
        var member = group.members[user] ?? GroupMember(user: user)
        body(&member)
        return .change(.member(group: id, member))
    }

    private func conversation(
        _ name: String, of user: String, _ body: (inout LocalConversation) -> Void
    ) -> OperationMeaning {
        var conversation = conversation(conversationID(name, of: user), of: user)
        body(&conversation)
        return .change(.conversation(conversation))
    }

    /// The conversation that an operation names. An operation contains only a name, which may be that of a group or of
    /// a user. The messages of a group that no longer exists remain, so such a name is still that of the group.
    private func conversationID(_ name: String, of user: String) -> ConversationID {
        let group = ConversationID(kind: .group, id: name)
        if groups[name] != nil { return group }
        let isFormerGroup = accounts[name] == nil && conversations(.all, of: user).contains(group)
        return isFormerGroup ? group : ConversationID(kind: .peer, id: name)
    }
}

// MARK: From the change to the operation

extension ServerMachine {
    /// The operations that notify the user's other devices of a change. Empty if no operation reports such a change, or
    /// if it changes nothing. Must be called before the change is made, because it compares the change with the data.
    func operations(of change: LocalChange, by user: String) -> [DeviceOperation] {
        func makeOperations(_ kind: OperationKind, _ target: String, _ ext: String = "") -> [DeviceOperation] {
            [DeviceOperation(id: "", kind: kind, target: target, ext: ext)]
        }
        func makeOperations(_ kind: OperationKind, _ id: ConversationID, _ ext: String = "") -> [DeviceOperation] {
            [DeviceOperation(id: "", kind: kind, target: id.id, ext: ext, isOfGroup: id.kind == .group)]
        }
        switch change {
        case .friendRemoved(let other): return isFriend(other, of: user) ? makeOperations(.contactRemove, other) : []
        case .friendApplication(let application):
            switch application.state {
            case .accepted: return makeOperations(.contactAccept, application.user)
            case .rejected: return makeOperations(.contactDecline, application.user)
            case .waiting, .expired, .disabled: return []
            }
        case .blacklisted(let other, let isOn):
            guard isOn != accounts[user]?.feed.hasBlocked(other) else { return [] }
            return makeOperations(isOn ? .contactBan : .contactAllow, other)
        case .group(let group): return operation(of: group).map { makeOperations($0.kind, group.id, $0.ext) } ?? []
        case .groupRemoved(let id):
            return makeOperations(groups[id]?.group.isThread == true ? .threadDestroy : .groupDestroy, id)
        case .member(let id, let member):
            return operation(of: member, in: id, by: user).map { makeOperations($0.kind, id, $0.ext) } ?? []
        case .memberRemoved(let id, let member):
            let isThread = groups[id]?.group.isThread == true
            if member == user { return makeOperations(isThread ? .threadLeave : .groupLeave, id) }
            return makeOperations(isThread ? .threadKick : .groupKick, id, member)
        case .groupApplication(let application):
            return operation(of: application).map {
                makeOperations($0, application.group, $0.namesMember ? application.user : application.wording)
            } ?? []
        case .conversation(let conversation):
            let before = self.conversation(conversation.id, of: user)
            let name = conversation.id
            if before.isPinned != conversation.isPinned {
                return makeOperations(conversation.isPinned ? .conversationPinned : .conversationUnpinned, name)
            }
            if before.marks != conversation.marks {
                return makeOperations(.conversationUpdateMark, name, conversation.marks.text)
            }
            return before.notifies == conversation.notifies ? [] : makeOperations(.conversationMuteInfoChanged, name)
        case .conversationRemoved(let id, _):
            return conversations(id, of: user).flatMap { makeOperations(.conversationDelete, $0) }
        case .conversationEmptied(let id, _):
            return conversations(id, of: user).flatMap { makeOperations(.messagesRemoved, $0) }
        case .messagesRemoved(let ids):
            var names: OrderedSet<ConversationID> = []
            for id in ids { if let name = message(id, of: user)?.conversation { names.append(name) } }
            return names.flatMap { makeOperations(.messagesRemoved, $0) }
        case .readElsewhere(let id, _):
            return conversations(id, of: user).flatMap { makeOperations(.conversationRead, $0) }
        case .read(let ids, _):
            return ids.prefix(LocalCall.pageMax).flatMap { id in
                message(id, of: user, notFrom: user).map { makeOperations(.messageRead, $0.id) } ?? []
            }
        case .user, .friend, .message, .messageRevoked, .reaction, .call, .downloaded, .delivered, .conversationRead:
            return []
        }
    }

    private func operation(of group: LocalGroup) -> (kind: OperationKind, ext: String)? {
        guard let known = groups[group.id]?.group else {
            return group.isThread ? (.threadCreate, group.rules.parent) : (.groupCreate, group.name)
        }
        if group == known { return nil }
        let (now, before) = (group.rules, known.rules)
        if now.isMuted != before.isMuted { return (now.isMuted ? .groupAllBan : .groupRemoveAllBan, "") }
        if let user = now.blocked.first(where: { !before.blocked.contains($0) }) { return (.groupBan, user) }
        if let user = before.blocked.first(where: { !now.blocked.contains($0) }) { return (.groupAllow, user) }
        if let user = now.exempt.first(where: { !before.exempt.contains($0) }) { return (.groupAddWhiteList, user) }
        if let user = before.exempt.first(where: { !now.exempt.contains($0) }) { return (.groupRemoveWhiteList, user) }
        return (group.isThread ? .threadUpdate : .groupUpdate, group.name)
    }

    private func operation(
        of member: GroupMember, in id: String, by user: String
    ) -> (kind: OperationKind, ext: String)? {
        guard let group = groups[id], let before = group.members[member.user] else {
            guard member.user == user else { return (.groupInvite, member.user) }
            return (groups[id]?.group.isThread == true ? .threadJoin : .groupJoin, "")
        }
        if member == before { return nil }
        if member.role != before.role {
            switch member.role {
            case .owner: return (.groupAssignOwner, member.user)
            case .admin: return (.groupAddAdmin, member.user)
            case .member: return (.groupRemoveAdmin, member.user)
            }
        }
        if member.mutedUntil != before.mutedUntil {
            return (member.mutedUntil == 0 ? .groupRemoveMute : .groupAddMute, member.user)
        }
        if member.own.blocksMessages != before.own.blocksMessages {
            return (member.own.blocksMessages ? .groupBlock : .groupUnblock, "")
        }
        return (.groupMemberAttributesChanged, member.own.attributes.first?.assignment ?? "")
    }

    private func operation(of application: GroupApplication) -> OperationKind? {
        let isJoining = application.kind == .join
        switch application.state {
        case .waiting: return isJoining ? .groupApply : .groupInvite
        case .accepted: return isJoining ? .groupApplyAccept : .groupInviteAccept
        case .rejected: return isJoining ? .groupApplyDecline : .groupInviteDecline
        case .expired, .disabled: return nil
        }
    }
}

extension LocalChange {
    /// True if the change concerns a group's conversation, as opposed to one with a user of the same name.
    var isOfGroupConversation: Bool {
        switch self {
        case .conversation(let conversation): conversation.id.kind == .group
        case .conversationRemoved(let id, _), .conversationEmptied(let id, _), .readElsewhere(let id, _):
            id.kind == .group
        default: false
        }
    }
}

extension AnswerField {
    /// The name of the field for a text that contains no `=`.
    private static let unnamed = "ext"

    /// Parses `name=value`, or a text without a name.
    fileprivate init(assignment text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(
            name: parts.count > 1 ? String(parts[0]) : Self.unnamed, value: String(parts[parts.count - 1]))
    }

    /// The text that ``init(assignment:)`` parses.
    fileprivate var assignment: String { name == Self.unnamed ? value : "\(name)=\(value)" }
}

extension [String] {
    fileprivate mutating func include(_ name: String) {
        if !contains(name) { append(name) }
    }
}
