import OrderedCollections
import SansIO

/// What one device keeps for one user (ZIM-9), as a value in memory: the database of simulated worlds, and what a database
/// on disk is measured against.
///
/// It is changed by what comes from the server and by the calls of ``answer(_:)``, and depends on nothing else: the same
/// changes and calls in the same order lead to the same answers.
public struct UserDatabase: Hashable, Sendable, Codable {
    /// Whose data it is.
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
    /// Where each message is, by its id and by the database's number; of an id that several users gave, the first one.
    var places: OrderedDictionary<String, ConversationID> = [:]
    /// Messages that were taken away here one by one; no sync brings them back.
    var removed: OrderedSet<String> = []
    /// The server's number of the last of its changes that has been taken in; 0 before the first.
    public private(set) var position: UInt64 = 0
    var lastLocalID: Int64 = 0
    var lastConversation: UInt32 = 0

    /// Nothing is there yet.
    public init(owner: String) {
        self.owner = owner
    }

    // MARK: What came

    /// Takes in what a part of a sync brought, or an event.
    ///
    /// - Parameter position: the server's number of the last of them.
    public mutating func apply(_ changes: [LocalChange], upTo position: UInt64) {
        for change in changes { apply(change) }
        self.position = max(self.position, position)
    }

    /// Takes a change in; one that is here already changes nothing.
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
            takeOffList([id])
            // No later word of that time puts it back.
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
        case .conversation(let news):
            var conversation = conversation(news.id)
            conversation.take(news)
            conversations[news.id] = conversation
        case .readElsewhere(let id, let time):
            read(id) { $0.timestamp <= time }
        case .call(let call): calls.set(call.id, call)
        case .delivered: break
        case .downloaded(let id, let time): changeMessage(id) { $0.file?.downloadedAt = time }
        }
    }

    /// Puts a message where it belongs, unless it is here or was taken away.
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

    /// Messages of a conversation are read.
    mutating func read(_ id: ConversationID, where condition: (LocalMessage) -> Bool = { _ in true }) {
        guard let unread = conversations[id]?.unreadCount, unread > 0, var list = messages[id] else { return }
        messages[id] = []
        for place in list.indices where list[place].isUnread && condition(list[place]) {
            list[place].isUnread = false
            conversations[id]?.unreadCount -= 1
        }
        messages[id] = list
    }

    /// What the server says later of a message that was sent from here: that it came, when, and behind which others.
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

    /// A conversation as it is, or as it begins.
    mutating func conversation(_ id: ConversationID) -> LocalConversation {
        if let known = conversations[id] { return known }
        lastConversation += 1
        var new = LocalConversation(id: id)
        new.serial = lastConversation
        return new
    }

    /// Gives a message its number and puts it in its place.
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

    /// How one is called that may have no id: by the database's number.
    static func name(of localID: Int64) -> String { "#\(localID)" }

    /// Stands in ``places`` for an id that messages of several users have, or had.
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
        return firstPlace(where: isAsked)
    }

    /// Where the message is that came first of those.
    private func firstPlace(where isWanted: (LocalMessage) -> Bool) -> (conversation: ConversationID, index: Int)? {
        var found: (conversation: ConversationID, index: Int)?
        var lowest = Int64.max
        for (conversation, list) in messages {
            for index in list.indices where list[index].localID < lowest && isWanted(list[index]) {
                (found, lowest) = ((conversation, index), list[index].localID)
            }
        }
        return found
    }

    /// A message is there no more. Another user may have given the same id.
    mutating func forgetPlace(of message: LocalMessage) {
        places[Self.name(of: message.localID)] = nil
        guard !message.id.isEmpty else { return }
        let isShared = places[Self.sharedName(of: message.id)] != nil
        places[message.id] = isShared ? firstPlace { $0.id == message.id }?.conversation : nil
    }

    /// - Returns: the message as it is then; nil where there is none.
    @discardableResult
    mutating func changeMessage(_ name: String, _ body: (inout LocalMessage) -> Void) -> LocalMessage? {
        guard let (conversation, index) = place(of: name) else { return nil }
        body(&messages[conversation, default: []][index])
        return messages[conversation]?[index]
    }
}

extension [LocalMessage] {
    /// Before the first one that does not stand before the position.
    func place(of position: Position) -> Int {
        partitioningIndex { $0.position >= position }
    }
}
