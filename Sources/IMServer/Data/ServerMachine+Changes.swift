import IMLocalData
import IMProtocol
import SansIO

// Changes of a user's data. A device requests changes in pages; a connected one also receives each new change (ZIM-9).

extension ServerMachine {
    /// A page of the changes after a number, which is that of the last change that the device has.
    func changes(after number: UInt64, of user: String, device: String) -> ChangePage {
        accounts[user]?.feed.page(after: number, owner: user, device: device)
            ?? ChangePage(after: number, changes: [], isLast: true)
    }

    /// Adds a change to a user's data, and notifies the user's devices.
    ///
    /// - device: the only device that receives the change; nil for all devices.
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

    /// Adds an operator's change to a user's data, as if a client had made the change.
    mutating func put(
        _ change: ChangeRecord, into user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard accounts[user] != nil else { return .notFound }
        guard change.rejectionReason == nil, let local = LocalChange(change) else { return .invalidArgument }
        // Everybody who has the user as a contact must receive the user's new profile.
        if case .user(let own) = local, own.id == user {
            setProfile(own, at: now, into: &effects)
            return .ok
        }
        let recorded = note(local).stamped(wallClock(at: now), &messageNumbering, &messageTimes)
        add(recorded.record(), to: user, at: now, into: &effects)
        return .ok
    }

    /// Generates the data of a user who has none yet. Fails with ``Status/limitExceeded`` if the user has data.
    mutating func begin(
        _ user: String, with population: Population, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard policy.hasUserData else { return .unsupported }
        guard let feed = accounts[user]?.feed else { return .notFound }
        guard feed.isEmpty else { return .limitExceeded }
        accounts.at(user) { $0.feed.begin(with: population, owner: user) }
        // A connected device receives an empty page with the last number, and then requests the changes.
        let last = accounts[user]?.feed.lastNumber ?? 0
        for record in accounts[user]?.devices.values.elements ?? [] {
            guard last > 0, let connection = record.login?.connection else { continue }
            effects.append(.send(connection, Frame(.changes(ChangePage(after: last, changes: [], isLast: true)))))
        }
        return .ok
    }

    /// True if data of a user was generated. Generated data depends on names of users, so a redaction changes it.
    public var hasPopulation: Bool { accounts.values.contains { $0.feed.population != nil } }

    /// Adds a message between two users to the data of both.
    ///
    /// - Parameter receiver: the receiver, with a device for a message to one device. Nil if the receiver has blocked
    ///   the sender.
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

    /// Adds a message with all its fields to the data of both users. A message to a login id is only on two devices
    /// (CHAT-7): its conversation has the receiver's login id on the sending device, and the sender's login id on the
    /// receiving device.
    ///
    /// - Parameter receiver: the receiver, with a device for a message to one device. Nil if the receiver has blocked
    ///   the sender.
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
    /// The change with the current time and a number, where the request contains none.
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
