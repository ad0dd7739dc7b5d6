import OrderedCollections
import SansIO

/// The data of one user on one device (ZIM-9), as a value in memory: the database of simulated worlds, and the
/// reference for a database on disk.
///
/// It depends only on the changes from the server and the calls of ``answer(_:)``: the same changes and calls in the
/// same order give the same answers.
public struct UserDatabase: Hashable, Sendable, Codable {
    /// The user who owns the data.
    public let owner: String
    var users: OrderedDictionary<String, LocalUser> = [:]
    var friends = LocalTable<LocalFriend>()
    var friendApplications = LocalTable<FriendApplication>()
    var blacklist = LocalTable<String>()
    var groups = LocalTable<LocalGroup>()
    var members: OrderedDictionary<String, LocalTable<GroupMember>> = [:]
    var groupApplications = LocalTable<GroupApplication>()
    var calls = LocalTable<CallInvitation>()
    var conversations: OrderedDictionary<ConversationID, LocalConversation> = [:]
    /// In the order of their positions.
    var messages: OrderedDictionary<ConversationID, [LocalMessage]> = [:]
    /// The conversation of each message, by its id and by its number; for an id of several users, that of the first
    /// message.
    var places: OrderedDictionary<String, ConversationID> = [:]
    /// Messages that were deleted here one by one; no sync restores them.
    var removed: OrderedSet<String> = []
    /// The server's number of the last applied change; 0 before the first.
    public private(set) var position: UInt64 = 0
    var lastLocalID: Int64 = 0
    var lastConversation: UInt32 = 0

    /// Creates an empty database.
    public init(owner: String) {
        self.owner = owner
    }

    // MARK: Changes

    /// Applies the changes of a part of a sync, or of an event.
    ///
    /// - Parameter position: the server's number of the last of them.
    public mutating func apply(_ changes: [LocalChange], upTo position: UInt64) {
        for change in changes { apply(change) }
        self.position = max(self.position, position)
    }

    /// Applies a change; one that was already applied has no effect.
    public mutating func apply(_ change: LocalChange) {
        switch change {
        case .user(let user): users[user.id] = user
        case .friend(let friend): friends.set(friend.user, friend)
        case .friendRemoved(let user): friends.remove(user)
        case .friendApplication(let application): friendApplications.set(application.user, application)
        case .blacklisted(let user, true): blacklist.set(user, user)
        case .blacklisted(let user, false): blacklist.remove(user)
        case .group(let group): groups.set(group.id, group)
        case .groupRemoved(let group):
            groups.remove(group)
            members[group] = nil
        case .member(let group, let member):
            members[group, default: LocalTable()].set(member.user, member, serial: member.place)
        case .memberRemoved(let group, let user): members[group]?.remove(user)
        case .groupApplication(let application):
            groupApplications.set("\(application.group)/\(application.user)", application)
        case .message(let message): take(message)
        case .messageRevoked(let id):
            changeMessage(id) { message in
                message.kind = .revoke
                message.text = ""
                message.file = nil
                message.parts = []
            }
        case .messagesRemoved(let ids): remove(ids)
        case .conversationRemoved(let id, let time):
            clear(id, through: Position([time, .max, .max]))
            removeFromList([id])
            // A later change from before that time does not restore it.
            if let last = conversations[id]?.messageTime, last < time { conversations[id]?.messageTime = time }
        case .conversationEmptied(let id, let time): clear(id, through: Position([time, .max, .max]))
        case .read(let ids, let user), .conversationRead(let ids, let user):
            for id in ids {
                changeMessage(id) { if !$0.readers.contains(user) { $0.readers.append(user) } }
            }
        case .reaction(let id, let reaction, let isOn):
            changeMessage(id) { message in
                let place = message.reactions.firstIndex { $0.type == reaction.type && $0.user == reaction.user }
                if !isOn, let place { message.reactions.remove(at: place) }
                guard isOn, place == nil else { return }
                message.lastReaction += 1
                message.reactions.append(reaction)
                message.reactions[message.reactions.count - 1].serial = message.lastReaction
            }
        case .conversation(let newer):
            var conversation = conversation(newer.id)
            conversation.take(newer)
            conversations[newer.id] = conversation
        case .readElsewhere(let id, let time):
            read(id) { $0.timestamp <= time }
        case .call(let call): calls.set(call.id, call)
        case .delivered: break
        case .downloaded(let id, let time): changeMessage(id) { $0.file?.downloadedAt = time }
        }
    }

    /// Inserts a message in order, unless it is here already or was deleted.
    private mutating func take(_ message: LocalMessage) {
        guard !message.id.isEmpty, !removed.contains(message.id), !removed.contains(message.name) else { return }
        if let known = self.message(message.name) { return update(known, message) }
        var conversation = conversation(message.conversation)
        if let cleared = conversation.clearedThrough, message.position < cleared { return }
        var message = message
        message.isUnread = message.sender != owner
        insert(message)
        conversation.moveUp(at: message.timestamp)
        if message.isUnread { conversation.unreadCount += 1 }
        conversations[message.conversation] = conversation
    }

    /// Marks messages of a conversation as read.
    mutating func read(_ id: ConversationID, where condition: (LocalMessage) -> Bool = { _ in true }) {
        guard let unread = conversations[id]?.unreadCount, unread > 0, var list = messages[id] else { return }
        messages[id] = []
        for place in list.indices where list[place].isUnread && condition(list[place]) {
            list[place].isUnread = false
            conversations[id]?.unreadCount -= 1
        }
        messages[id] = list
    }

    /// Updates a message that was sent from here with the server's result: its status, time and sequence number.
    private mutating func update(_ known: LocalMessage, _ message: LocalMessage) {
        changeMessage(known.name) { $0.sentStatus = message.sentStatus }
        guard known.sequence == 0, message.sequence != 0 else { return }
        var new = known
        new.sentStatus = message.sentStatus
        (new.sequence, new.timestamp) = (message.sequence, message.timestamp)
        messages[known.conversation]?.removeAll { $0.localID == known.localID }
        let list = messages[known.conversation] ?? []
        messages[known.conversation, default: []].insert(new, at: list.place(of: new.position))
        conversations[known.conversation]?.moveUp(at: new.timestamp)
    }

    /// The stored conversation, or a new one.
    mutating func conversation(_ id: ConversationID) -> LocalConversation {
        if let known = conversations[id] { return known }
        lastConversation += 1
        var new = LocalConversation(id: id)
        new.serial = lastConversation
        return new
    }

    /// Gives a message its number and inserts it in order.
    @discardableResult
    mutating func insert(_ message: LocalMessage) -> LocalMessage {
        lastLocalID += 1
        var message = message
        message.localID = lastLocalID
        let list = messages[message.conversation] ?? []
        messages[message.conversation, default: []].insert(message, at: list.place(of: message.position))
        if !message.id.isEmpty {
            if places[message.id] == nil {
                places[message.id] = message.conversation
            } else {
                places[UserDatabase.sharedName(of: message.id)] = message.conversation
            }
        }
        places[UserDatabase.name(of: message.localID)] = message.conversation
        return message
    }

    // MARK: Finding messages

    /// The name of a message by its number in the database, for a message that may have no id.
    static func name(of localID: Int64) -> String { "#\(localID)" }

    /// The key in ``places`` of an id that messages of several users have, or had.
    private static func sharedName(of id: String) -> String { MessageName(sender: "", id: id).text }

    /// The message of that name or id, or with that number.
    func message(_ name: String) -> LocalMessage? {
        place(of: name).flatMap { messages[$0.conversation]?[$0.index] }
    }

    private func place(of name: String) -> (conversation: ConversationID, index: Int)? {
        let asked = MessageName(name)
        guard let first = places[asked.id] else { return nil }
        func isAsked(_ message: LocalMessage) -> Bool {
            asked.matches(message) || Self.name(of: message.localID) == name
        }
        guard places[Self.sharedName(of: asked.id)] != nil else {
            return messages[first]?.firstIndex(where: isAsked).map { (first, $0) }
        }
        return firstPosition(where: isAsked)
    }

    /// The position of the first inserted message that matches.
    private func firstPosition(where isWanted: (LocalMessage) -> Bool) -> (conversation: ConversationID, index: Int)? {
        var found: (conversation: ConversationID, index: Int)?
        var lowest = Int64.max
        for (conversation, list) in messages {
            for index in list.indices where list[index].localID < lowest && isWanted(list[index]) {
                (found, lowest) = ((conversation, index), list[index].localID)
            }
        }
        return found
    }

    /// Removes the position of a removed message. Another user may have used the same id.
    mutating func removePosition(of message: LocalMessage) {
        places[Self.name(of: message.localID)] = nil
        guard !message.id.isEmpty else { return }
        let isShared = places[Self.sharedName(of: message.id)] != nil
        places[message.id] = isShared ? firstPosition { $0.id == message.id }?.conversation : nil
    }

    /// - Returns: the changed message; nil if there is none.
    @discardableResult
    mutating func changeMessage(_ name: String, _ body: (inout LocalMessage) -> Void) -> LocalMessage? {
        guard let (conversation, index) = place(of: name) else { return nil }
        body(&messages[conversation, default: []][index])
        return messages[conversation]?[index]
    }
}

extension [LocalMessage] {
    /// The index of the first message at or after the position.
    func place(of position: Position) -> Int {
        partitioningIndex { $0.position >= position }
    }
}
