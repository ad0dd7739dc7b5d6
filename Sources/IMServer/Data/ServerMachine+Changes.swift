import IMLocalData
import IMProtocol
import SansIO

// Changes of a user's data: requested in pages, and sent to every connected device as they happen (ZIM-9).

extension ServerMachine {
    /// A page of the changes after the last one that a device has.
    func changes(after number: UInt64, of user: String, device: String) -> ChangePage {
        accounts[user]?.feed.page(after: number, owner: user, device: device)
            ?? ChangePage(after: number, changes: [], isLast: true)
    }

    /// Adds a change to a user's data, and notifies the user's devices.
    ///
    /// - Parameter device: the only device that receives it; nil for all devices.
    mutating func add(
        _ change: LocalChange, to user: String, onlyFor device: String? = nil, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        add(change.record(), to: user, onlyFor: device, at: now, into: &effects)
    }

    mutating func add(
        _ change: ChangeRecord, to user: String, onlyFor device: String? = nil, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        addProfiles(change.usersNamed, to: user, at: now, into: &effects)
        let clock = wallClock(at: now)
        let changesMax = policy.changesKeptMax
        guard policy.hasUserData else { return }
        let addition = accounts.at(user) { account in
            let before = account.devices.keys.map { account.feed.lastNumber(on: $0) }
            return (
                added: account.feed.add(change, onlyFor: device, clock: clock, changesMax: changesMax), before: before
            )
        }
        guard let (added, before) = addition else { return }
        for (record, last) in zip(accounts[user]?.devices.values.elements ?? [], before) {
            guard device == nil || device == record.device.id, let connection = record.login?.connection else {
                continue
            }
            let page = ChangePage(after: last, changes: [added], isLast: true)
            effects.append(.send(connection, Frame(.changes(page))))
        }
    }

    /// Adds a change by the operator to a user's data, as if it had happened.
    mutating func put(
        _ change: ChangeRecord, into user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard accounts[user] != nil else { return .notFound }
        guard change.rejectionReason == nil, let local = LocalChange(change) else { return .invalidArgument }
        // A user's profile concerns everybody who has the user as a contact, whoever changes it.
        if case .user(let own) = local, own.id == user {
            setProfile(own, at: now, into: &effects)
            return .ok
        }
        let noted = note(local).stamped(wallClock(at: now), &messageNumbering, &messageTimes)
        add(noted.record(), to: user, at: now, into: &effects)
        return .ok
    }

    /// Makes up data for a user who has none yet.
    mutating func begin(
        _ user: String, with population: Population, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard let feed = accounts[user]?.feed else { return .notFound }
        guard feed.isEmpty else { return .limitExceeded }
        accounts.at(user) { $0.feed.begin(with: population, owner: user) }
        // A connected device receives the last number, and requests the changes.
        let last = accounts[user]?.feed.lastNumber ?? 0
        for record in accounts[user]?.devices.values.elements ?? [] {
            guard last > 0, let connection = record.login?.connection else { continue }
            effects.append(.send(connection, Frame(.changes(ChangePage(after: last, changes: [], isLast: true)))))
        }
        return .ok
    }

    /// True if some of the data was made up, which depends on the names of users.
    public var hasPopulation: Bool { accounts.values.contains { $0.feed.population != nil } }

    /// Adds a message between users to the data of both.
    ///
    /// - Parameter receiver: nil for one who must not receive it.
    mutating func noteMessage(
        _ message: ChatMessage, from user: String, device: String, to receiver: (user: String, device: String?)?,
        at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.hasUserData else { return }
        let clock = wallClock(at: now)
        let local = LocalMessage(
            id: message.id, conversation: ConversationID(kind: .peer, id: message.to), sender: user,
            text: message.text, timestamp: messageTimes.nextTime(at: clock),
            sequence: Int64(clamping: messageNumbering.next(clock: clock)))
        note(local, from: device, to: receiver, at: now, into: &effects)
    }

    /// Adds a message with all its fields to the data of both users. A login id is like a friend's user id (CHAT-7): on
    /// the sending device, and only there, the conversation has the receiver's login id; on the receiving device it has
    /// the sender's login id.
    ///
    /// - Parameter receiver: nil for one who must not receive it.
    mutating func note(
        _ sent: LocalMessage, from device: String, to receiver: (user: String, device: String?)?, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        let user = sent.sender
        let isToDevice = receiver?.device != nil
        add(.message(sent), to: user, onlyFor: isToDevice ? device : nil, at: now, into: &effects)
        markReceived(to: [device], of: user)
        guard let receiver else { return }
        var received = sent
        received.conversation.id = user
        if receiver.user == user {
            guard let id = receiver.device, id != device else { return }
            received.conversation.id = "\(user)/\(device)"
            received.sender = received.conversation.id
        }
        add(.message(received), to: receiver.user, onlyFor: receiver.device, at: now, into: &effects)
        markReceived(to: accounts[receiver.user]?.devices.keys.elements ?? [], of: receiver.user)
    }
}

extension LocalChange {
    /// The change with a time and a number if it has none.
    func stamped(_ clock: Int64, _ numbering: inout Numbering, _ times: inout MessageTimes) -> LocalChange {
        switch self {
        case .message(var message):
            if message.timestamp == 0 { message.timestamp = times.nextTime(at: clock) }
            if message.sequence == 0 { message.sequence = Int64(clamping: numbering.next(clock: clock)) }
            return .message(message)
        case .friend(var friend) where friend.createTime == 0:
            friend.createTime = clock
            return .friend(friend)
        case .group(var group) where group.createTime == 0:
            group.createTime = clock
            return .group(group)
        case .friendApplication(var application) where application.createTime == 0:
            (application.createTime, application.updateTime) = (clock, clock)
            return .friendApplication(application)
        case .groupApplication(var application) where application.createTime == 0:
            (application.createTime, application.updateTime) = (clock, clock)
            return .groupApplication(application)
        case .call(var call) where call.createTime == 0:
            call.createTime = clock
            return .call(call)
        case .readElsewhere(let id, 0): return .readElsewhere(id, upTo: times.cutoff(at: clock))
        case .conversationRemoved(let id, 0): return .conversationRemoved(id, upTo: times.cutoff(at: clock))
        case .conversationEmptied(let id, 0): return .conversationEmptied(id, upTo: times.cutoff(at: clock))
        default: return self
        }
    }
}
