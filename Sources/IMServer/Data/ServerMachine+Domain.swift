import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// The changes that users make to the data on the server: friends, groups, messages, receipts and reactions. For each
// change, this file determines the affected users; all of them are notified (ZIM-9).

extension ServerMachine {
    /// The maximum number of groups on a server.
    static let groupsMax = 10_000
    /// The maximum number of members in a group.
    static let groupMembersMax = 500
    /// The prefix of the id of an operation that the server derives from a change.
    public static let changeName = "change"

    /// Makes a change that a user requests on a device. A field that the request leaves out keeps its value.
    mutating func change(
        _ record: ChangeRecord, by user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard record.rejectionReason == nil else { return .invalidArgument }
        // After the missing fields are filled from the stored record, the change may be too large for a frame.
        guard let requested = LocalChange(record.filled(from: known(record, of: user))) else { return .limitExceeded }
        let change = requested.stamped(wallClock(at: now), &messageNumbering, &messageTimes)
        let notices = policy.tellsOperations ? operations(of: change, by: user) : []
        guard hasRoom(for: notices.count, of: user, besides: device, at: now) else { return .limitExceeded }
        let status = make(change, by: user, device: device, at: now, into: &effects)
        guard status == .ok else { return status }
        for var operation in notices {
            operation.id = "\(Self.changeName)-\(accounts[user]?.feed.lastNumber ?? 0)"
            notify(operation, of: user, besides: device, at: now, into: &effects)
        }
        return .ok
    }

    /// The stored record of the subject of a change; nil if the server stores none.
    private func known(_ record: ChangeRecord, of user: String) -> ChangeRecord? {
        switch LocalChange(record) {
        case .group(let group): groups[group.id].map { LocalChange.group($0.group).record() }
        case .member(let id, let member):
            groups[id]?.members[member.user].map { LocalChange.member(group: id, $0).record() }
        case .friend, .conversation, .user:
            accounts[user]?.feed.last(like: record)
        default: nil
        }
    }

    /// Makes a change if the user has the right to make it.
    mutating func make(
        _ change: LocalChange, by user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        if let refusal = refusal(of: change, by: user, on: device) { return refusal }
        switch change {
        case .user(let own): setProfile(own, at: now, into: &effects)
        case .friend(let friend):
            guard isOther(friend.user, than: user) else { return .notFound }
            let mirrored = LocalFriend(user: user, createTime: friend.createTime, wording: friend.wording)
            add(change, to: user, at: now, into: &effects)
            // A friend record contains a remark about the friend. If the other user already has this user as a friend,
            // a new record would overwrite the remark of the other user.
            if !isFriend(user, of: friend.user) { add(.friend(mirrored), to: friend.user, at: now, into: &effects) }
        case .friendRemoved(let other):
            guard isOther(other, than: user) else { return .notFound }
            add(change, to: user, at: now, into: &effects)
            add(.friendRemoved(user), to: other, at: now, into: &effects)
        case .friendApplication(let application):
            return apply(application, by: user, at: now, into: &effects)
        case .blacklisted(let other, _):
            guard isOther(other, than: user) else { return .notFound }
            add(change, to: user, at: now, into: &effects)
        case .conversation, .readElsewhere, .messagesRemoved, .conversationRemoved, .conversationEmptied:
            changeConversations(change, by: user, at: now, into: &effects)
        case .group, .groupRemoved, .member, .memberRemoved, .groupApplication:
            return changeGroup(change, by: user, at: now, into: &effects)
        case .message(let message): return send(message, by: user, device: device, at: now, into: &effects)
        case .messageRevoked(let id):
            guard let message = revocable(id, by: user, on: device) else { return .notFound }
            notify(
                readers(of: message.conversation, besides: user) + [user], .messageRevoked(id: message.name), at: now,
                into: &effects)
        case .read(let ids, _):
            return noteRead(ids, by: user, on: device, at: now, into: &effects)
        case .reaction(let id, let reaction, let isOn):
            guard let message = message(id, presentFor: user, on: device) else { return .notFound }
            let own = LocalMessage.Reaction(type: reaction.type, user: user)
            notify(
                readers(of: message.conversation, besides: user) + [user],
                .reaction(message: message.name, own, isOn: isOn),
                at: now, into: &effects)
        case .call(let call):
            notify(call.users.filter { $0 != user } + [user], change, at: now, into: &effects)
        // A device stores `downloaded` only locally, and only the server makes receipts.
        case .downloaded, .delivered, .conversationRead: return .invalidArgument
        }
        return .ok
    }

    // MARK: Messages

    /// Adds a message to the data of each sender and receiver. It is also sent to each receiving device as a
    /// ``ChatMessage``, as in a system without user data (CHAT-8).
    private mutating func send(
        _ requested: LocalMessage, by user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard requested.text.utf8.count <= ProtocolLimit.textBytesMax else { return .textTooLong }
        // A message that arrives twice is stored once (C-14).
        guard message(MessageName(sender: user, id: requested.id).text, of: user) == nil else { return .ok }
        var message = requested
        message.sender = user
        message.sentStatus = .success
        message.file?.downloadedAt = nil
        switch message.conversation.kind {
        case .peer:
            guard let receiver = receiver(of: message.conversation.id) else { return .notFound }
            // The server does not notify a sender that the receiver has blocked them.
            let isBlocked = accounts[receiver.user].map { $0.feed.hasBlocked(user) } ?? false
            let chatMessage = message.chatMessage
            let ownDevices = receiver.device == nil ? devicesWithCopies(of: user, besides: device) : []
            guard isBlocked || hasRoom(for: chatMessage, of: receiver.user, device: receiver.device, at: now),
                ownDevices.allSatisfy({ hasRoom(for: chatMessage, of: user, device: $0, at: now) })
            else { return .limitExceeded }
            note(message, from: device, to: isBlocked ? nil : receiver, at: now, into: &effects)
            for id in ownDevices { deliver(chatMessage, to: user, device: id, at: now, into: &effects) }
            guard receiver.user != user || receiver.device != nil, !isBlocked else { return .ok }
            store(chatMessage, for: receiver.user, device: receiver.device, at: now, into: &effects)
        case .group:
            guard let group = groups[message.conversation.id], let member = group.members[user] else {
                return .notFound
            }
            guard group.maySpeak(member, at: wallClock(at: now)) else { return .forbidden }
            let readers = readers(of: message.conversation, besides: user)
            notify(readers + [user], .message(message), at: now, into: &effects)
            markReceived(to: [device], of: user)
            for reader in readers { markReceived(to: accounts[reader]?.devices.keys.elements ?? [], of: reader) }
            for id in devicesWithCopies(of: user, besides: device) {
                deliver(message.chatMessage, to: user, device: id, at: now, into: &effects)
            }
            // A full inbox of one member must not stop the message for the others: that inbox drops its oldest
            // messages.
            for reader in readers { store(message.chatMessage, for: reader, device: nil, at: now, into: &effects) }
        }
        return .ok
    }

    /// A message in the data of a user. If `name` contains only an id and no sender, the first message with that id.
    ///
    /// - Parameters:
    ///   - other: a sender whose messages are ignored; nil to accept each sender.
    ///   - device: the device that must have the message; nil for any device.
    func message(
        _ name: String, of user: String, notFrom other: String? = nil, on device: String? = nil
    ) -> LocalMessage? {
        let name = MessageName(name)
        return accounts[user]?.feed.first(on: device) { record in
            record.isMessage(name) && (other == nil || record.sender != other)
        }?.message
    }

    /// The users, without the sender, who receive the messages that a user sends to a conversation.
    private func readers(of conversation: ConversationID, besides user: String) -> [String] {
        switch conversation.kind {
        case .peer: conversation.id == user ? [] : [conversation.id]
        case .group:
            groups[conversation.id]?.members.values.filter { $0.user != user && !$0.own.blocksMessages }.map(\.user)
                ?? []
        }
    }

    private mutating func noteRead(
        _ ids: [String], by user: String, on device: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        for id in ids.prefix(LocalCall.pageMax) {
            guard let message = message(id, presentFor: user, notFrom: user, on: device) else { continue }
            notify([message.sender, user], .read(messages: [message.name], by: user), at: now, into: &effects)
        }
        return .ok
    }

    // MARK: Friends

    /// Adds a friend application to the data of both users. If it is accepted, the users become friends.
    private mutating func apply(
        _ requested: FriendApplication, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard isOther(requested.user, than: user) else { return .notFound }
        if requested.state != .waiting {
            // Only the receiver can answer an application, and only once.
            guard case .friendApplication(let waiting)? = last(.friendApplication, requested.user, of: user),
                waiting.isReceived, waiting.state == .waiting
            else { return .notFound }
        }
        var own = requested
        var other = requested
        other.user = user
        switch requested.state {
        case .waiting: (own.isReceived, other.isReceived) = (false, true)
        case .accepted, .rejected, .expired, .disabled: (own.isReceived, other.isReceived) = (true, false)
        }
        own.updateTime = wallClock(at: now)
        other.updateTime = own.updateTime
        add(.friendApplication(own), to: user, at: now, into: &effects)
        add(.friendApplication(other), to: requested.user, at: now, into: &effects)
        guard requested.state == .accepted else { return .ok }
        let time = own.updateTime
        for (one, another) in [(user, requested.user), (requested.user, user)] where !isFriend(another, of: one) {
            add(.friend(LocalFriend(user: another, createTime: time)), to: one, at: now, into: &effects)
        }
        return .ok
    }

    private func isOther(_ name: String, than user: String) -> Bool { name != user && accounts[name] != nil }

    func isFriend(_ other: String, of user: String) -> Bool { last(.friend, other, of: user) != nil }

    /// The latest stored change of this kind about another user; nil if there is none or it is obsolete.
    private func last(_ kind: ChangeKind, _ other: String, of user: String) -> LocalChange? {
        accounts[user]?.feed.last(kind, with: "userID", other).flatMap(LocalChange.init)
    }

    // MARK: Notifying

    mutating func notify(
        _ users: [String], _ change: LocalChange, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let record = change.record()
        for user in users {
            // On each side, a conversation between two users has the name of the other user.
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
    func isMessage(_ name: MessageName) -> Bool {
        guard kind == .message, has("messageID", name.id) else { return false }
        return name.sender.map { has("senderUserID", $0) } ?? true
    }

    /// The user who sent the message.
    fileprivate var sender: String? { fields.first { $0.name == "senderUserID" }?.value }
}

extension Account {
    /// Removes the matching messages among those that wait for the account's devices.
    mutating func removeWaiting(where shouldRemove: (ChatMessage) -> Bool) {
        inbox.removeAll(where: shouldRemove)
        for id in devices.keys { devices[id]?.inbox.removeAll(where: shouldRemove) }
    }
}

extension LocalMessage {
    /// The message as it is sent to a device. Its other fields are only in the user's data.
    fileprivate var chatMessage: ChatMessage {
        ChatMessage(
            id: id, from: sender, to: conversation.id, text: text, isToGroup: conversation.kind == .group)
    }
}

extension ChatMessage {
    /// True if the message belongs to a user's conversation with this name. False for a message between two devices of
    /// the user: it waits for the receiving device, and its conversation has another name on each device (CHAT-7).
    func isOf(_ name: String, user: String) -> Bool {
        guard from != user || !to.hasPrefix("\(user)/") else { return false }
        return name == (isToGroup || from == user ? to : from)
    }
}

extension ChangeFeed {
    func hasBlocked(_ user: String) -> Bool {
        let record = last(.blacklist, with: "userID", user)
        guard case .blacklisted(_, let isOn)? = record.flatMap(LocalChange.init) else { return false }
        return isOn
    }
}
