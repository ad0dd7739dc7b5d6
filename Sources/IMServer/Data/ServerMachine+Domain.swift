import IMData
import IMProtocol
import OrderedCollections
import SansIO

// What users do to the data that the server has: friends, groups, messages and what is made of them. Whom a change
// concerns is decided here, and each of them is told (ZIM-9).

extension ServerMachine {
    /// Groups of a server, at most.
    static let groupsMax = 10_000
    /// Members of one, at most.
    static let groupMembersMax = 500

    /// Takes in what a user asks for.
    mutating func change(
        _ record: ChangeRecord, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard record.objection == nil, let asked = LocalChange(record) else { return .invalidArgument }
        let change = asked.stamped(wallClock(at: now), &messageNumbering)
        switch change {
        case .user(let own):
            guard own.id == user else { return .forbidden }
            tell(friends(of: user) + [user], change, at: now, into: &effects)
        case .friend(let friend):
            guard isOther(friend.user, than: user) else { return .notFound }
            let mirrored = LocalFriend(user: user, createTime: friend.createTime, wording: friend.wording)
            add(change, to: user, at: now, into: &effects)
            add(.friend(mirrored), to: friend.user, at: now, into: &effects)
        case .friendRemoved(let other):
            guard isOther(other, than: user) else { return .notFound }
            add(change, to: user, at: now, into: &effects)
            add(.friendRemoved(user), to: other, at: now, into: &effects)
        case .friendApplication(let application):
            return apply(application, by: user, at: now, into: &effects)
        case .blacklisted, .conversation:
            add(change, to: user, at: now, into: &effects)
        case .readElsewhere(let id, let time):
            for id in conversations(id, of: user) {
                add(.readElsewhere(id, upTo: time), to: user, at: now, into: &effects)
            }
        case .messageRemoved:
            for name in record.fields.filter({ $0.name == "messageID" }).map(\.value).prefix(LocalCall.pageMax) {
                accounts.at(user) { $0.feed.remove { $0.isMessage(name) } }
                add(.messageRemoved(id: name), to: user, at: now, into: &effects)
            }
        case .conversationRemoved(let id, let time):
            return remove(id, upTo: time, of: user, at: now, into: &effects)
        case .group, .groupRemoved, .member, .memberRemoved, .groupApplication:
            return changeGroup(change, by: user, at: now, into: &effects)
        case .message(let message): return send(message, by: user, at: now, into: &effects)
        case .messageRevoked(let id):
            guard let message = message(id, of: user) else { return .notFound }
            guard message.sender == user else { return .forbidden }
            tell(readers(of: message.conversation, besides: user) + [user], change, at: now, into: &effects)
        case .read(let ids, _):
            return noteRead(ids, by: user, at: now, into: &effects)
        case .reaction(let id, let reaction, let isOn):
            guard let message = message(id, of: user) else { return .notFound }
            let own = LocalMessage.Reaction(type: reaction.type, user: user)
            tell(
                readers(of: message.conversation, besides: user) + [user], .reaction(message: id, own, isOn: isOn),
                at: now, into: &effects)
        case .call(let call):
            tell(call.users.filter { $0 != user } + [user], change, at: now, into: &effects)
        // What is on one device only is no business of the server.
        case .downloaded: return .invalidArgument
        }
        return .ok
    }

    /// The user takes all that was said in a conversation away, or in all of them where its name is `*`.
    private mutating func remove(
        _ id: ConversationID, upTo time: Int64, of user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        for id in conversations(id, of: user) {
            accounts.at(user) { account in
                account.feed.remove { record in
                    guard record.kind == .message, case .message(let message)? = LocalChange(record) else {
                        return false
                    }
                    return message.conversation == id && message.timestamp <= time
                }
            }
            add(.conversationRemoved(id, upTo: time), to: user, at: now, into: &effects)
        }
        return .ok
    }

    /// A conversation, or all that the user has.
    private func conversations(_ id: ConversationID, of user: String) -> [ConversationID] {
        guard id == .all else { return [id] }
        var ids: OrderedSet<ConversationID> = []
        for case .message(let message)? in (accounts[user]?.feed.changes ?? []).map(LocalChange.init) {
            ids.append(message.conversation)
        }
        return Array(ids)
    }

    // MARK: Messages

    private mutating func send(
        _ asked: LocalMessage, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard asked.text.utf8.count <= ProtocolLimit.textBytesMax else { return .textTooLong }
        // What was sent twice is there once (C-14).
        guard message(asked.id, of: user) == nil else { return .ok }
        var message = asked
        message.sender = user
        message.sentStatus = .success
        message.file?.downloadedAt = nil
        switch message.conversation.kind {
        case .peer:
            guard accounts[message.conversation.id] != nil else { return .notFound }
            let receiver = message.conversation.id
            // One who is shut out is not told so.
            let isShutOut = accounts[receiver].map { $0.feed.hasShutOut(user) } ?? false
            add(.message(message), to: user, at: now, into: &effects)
            guard receiver != user, !isShutOut else { return .ok }
            message.conversation.id = user
            add(.message(message), to: receiver, at: now, into: &effects)
        case .group:
            guard let member = groups[message.conversation.id]?.members[user] else { return .notFound }
            guard !member.isMuted(at: wallClock(at: now)) else { return .forbidden }
            tell(
                readers(of: message.conversation, besides: user) + [user], .message(message), at: now, into: &effects)
        }
        return .ok
    }

    /// A message that a user has.
    private func message(_ id: String, of user: String) -> LocalMessage? {
        let record = accounts[user]?.feed.last { record in
            record.isMessage(id)
        }
        guard case .message(let message)? = record.flatMap(LocalChange.init) else { return nil }
        return message
    }

    /// Who else has what is said in a conversation of the user.
    private func readers(of conversation: ConversationID, besides user: String) -> [String] {
        switch conversation.kind {
        case .peer: conversation.id == user ? [] : [conversation.id]
        case .group: (groups[conversation.id]?.members.keys ?? []).filter { $0 != user }
        }
    }

    private mutating func noteRead(
        _ ids: [String], by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        for id in ids.prefix(LocalCall.pageMax) {
            guard let message = message(id, of: user), message.sender != user else { continue }
            tell([message.sender, user], .read(messages: [id], by: user), at: now, into: &effects)
        }
        return .ok
    }

    // MARK: Friends

    /// An application goes to both; one that is accepted makes friends.
    private mutating func apply(
        _ asked: FriendApplication, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard isOther(asked.user, than: user) else { return .notFound }
        var own = asked
        var other = asked
        other.user = user
        switch asked.state {
        case .waiting: (own.isReceived, other.isReceived) = (false, true)
        case .accepted, .rejected, .expired, .disabled: (own.isReceived, other.isReceived) = (true, false)
        }
        own.updateTime = wallClock(at: now)
        other.updateTime = own.updateTime
        add(.friendApplication(own), to: user, at: now, into: &effects)
        add(.friendApplication(other), to: asked.user, at: now, into: &effects)
        guard asked.state == .accepted else { return .ok }
        let time = own.updateTime
        add(.friend(LocalFriend(user: asked.user, createTime: time)), to: user, at: now, into: &effects)
        add(.friend(LocalFriend(user: user, createTime: time)), to: asked.user, at: now, into: &effects)
        return .ok
    }

    private func isOther(_ name: String, than user: String) -> Bool { name != user && accounts[name] != nil }

    private func friends(of user: String) -> [String] {
        (accounts[user]?.feed.changes ?? []).compactMap { record in
            guard record.kind == .friend, case .friend(let friend)? = LocalChange(record) else { return nil }
            return friend.user
        }
    }

    // MARK: Telling

    mutating func tell(
        _ users: [String], _ change: LocalChange, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let record = change.record()
        for user in users {
            // A conversation with a user has the name of the other one.
            guard case .message(var message) = change, message.conversation.kind == .peer, user != message.sender else {
                add(record, to: user, at: now, into: &effects)
                continue
            }
            message.conversation.id = message.sender
            add(.message(message), to: user, at: now, into: &effects)
        }
    }
}

extension ChangeRecord {
    fileprivate func isMessage(_ id: String) -> Bool {
        kind == .message && fields.contains { $0.name == "messageID" && $0.value == id }
    }
}

extension ChangeFeed {
    func hasShutOut(_ user: String) -> Bool {
        let record = last { record in
            record.kind == .blacklist && record.fields.contains { $0.name == "userID" && $0.value == user }
        }
        guard case .blacklisted(_, let isOn)? = record.flatMap(LocalChange.init) else { return false }
        return isOn
    }
}
