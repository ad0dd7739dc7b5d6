import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// Messages between users and to channels. Each device of the receiver gets a copy and confirms it separately (CHAT-8).
// A message id is accepted once per sending device (C-14).

extension ServerMachine {
    mutating func handleMessage(
        _ message: ChatMessage, from user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status) { effects.append(.send(id, Frame(.sendAck(status, id: message.id)))) }
        guard ProtocolLimit.isText(message.id, bytesMax: 2 * ProtocolLimit.nameBytesMax), !message.id.isEmpty,
            ProtocolLimit.isText(message.to, bytesMax: 2 * ProtocolLimit.nameBytesMax + 1)
        else { return answer(.invalidArgument) }
        guard message.text.utf8.count <= ProtocolLimit.textBytesMax else { return answer(.textTooLong) }
        // The frame may contain any sender and number: the server sets the sender, and assigns the numbers.
        let (policy, clock) = (policy, wallClock(at: now))
        var stored = message
        stored.from = user
        stored.number = 0
        stored.isToGroup = false
        let finding = accounts[user]?.devices[device]?.taken.finding(message.id) ?? .new
        // The server no longer stores whether it accepted an id that is so old. The message is refused, because
        // accepting it could deliver it twice.
        guard finding != .tooOld else { return answer(.limitExceeded) }
        if message.isToChannel {
            guard isMember(user, device: device, of: message.to) else { return answer(.notFound) }
            if finding == .new {
                accounts[user]?.devices[device]?.taken.take(message.id, policy)
                stored.number = channels[message.to]?.numbering.next(clock: clock) ?? 0
                broadcast(stored, from: device, at: now, into: &effects)
            }
            return answer(.ok)
        }
        guard let receiver = receiver(of: message.to) else { return answer(.notFound) }
        if finding == .new {
            let isCopied = receiver.device == nil && receiver.user != user
            let ownDevices = isCopied ? devicesWithCopies(of: user, besides: device) : []
            guard hasRoom(for: stored, of: receiver.user, device: receiver.device, at: now),
                ownDevices.allSatisfy({ hasRoom(for: stored, of: user, device: $0, at: now) })
            else { return answer(.limitExceeded) }
            accounts[user]?.devices[device]?.taken.take(message.id, policy)
            // The server does not notify a sender that the receiver has blocked them.
            let isBlocked = policy.hasUserData && accounts[receiver.user]?.feed.hasBlocked(user) == true
            if !isBlocked { store(stored, for: receiver.user, device: receiver.device, at: now, into: &effects) }
            for id in ownDevices { deliver(stored, to: user, device: id, at: now, into: &effects) }
            noteMessage(stored, from: user, device: device, to: isBlocked ? nil : receiver, at: now, into: &effects)
        }
        let isConnected =
            accounts[receiver.user]?.devices.values.contains {
                $0.login?.connection != nil && (receiver.device == nil || $0.device.id == receiver.device)
            } ?? false
        answer(isConnected ? .ok : .stored)
    }

    /// The sender's devices that get a copy of a message that the sender sends on another device.
    func devicesWithCopies(of user: String, besides device: String) -> [String] {
        policy.copiesToOwnDevices ? (accounts[user]?.devices.keys ?? []).filter { $0 != device } : []
    }

    /// True if every receiving device has room for the message. Otherwise the message is refused, because an
    /// acknowledged message must not be dropped.
    func hasRoom(for message: ChatMessage, of user: String, device: String?, at now: Instant) -> Bool {
        guard let account = accounts[user] else { return true }
        if device == nil && account.devices.isEmpty { return account.inbox.hasRoom(for: message, policy) }
        return account.devices.values.allSatisfy { record in
            device != nil && record.device.id != device || record.inbox.hasRoom(for: message, policy)
                || isGivenUp(record, at: now)
        }
    }

    /// True if a device has been disconnected for so long that its full inbox no longer blocks senders.
    func isGivenUp(_ record: DeviceRecord, at now: Instant) -> Bool {
        guard record.login?.connection == nil, let since = record.goneSinceMilliseconds else { return false }
        let (length, overflow) = wallClock(at: now).subtractingReportingOverflow(since)
        return !overflow && length >= policy.givenUpAfter.inMilliseconds
    }

    /// The receiver that a name means: a user, or one device if the name is a login id (CHAT-7). Nil if neither exists.
    func receiver(of name: String) -> (user: String, device: String?)? {
        if accounts[name] != nil { return (name, nil) }
        guard policy.hasLoginIDs, let slash = name.lastIndex(of: "/") else { return nil }
        let user = String(name[..<slash])
        let device = String(name[name.index(after: slash)...])
        return accounts[user]?.devices[device] == nil ? nil : (user, device)
    }

    /// Stores a message for each receiving device, and sends it to the connected ones.
    mutating func store(
        _ message: ChatMessage, for user: String, device: String?, at now: Instant, into effects: inout [ServerEffect]
    ) {
        if let device { return deliver(message, to: user, device: device, at: now, into: &effects) }
        let devices = accounts[user]?.devices.keys ?? []
        if devices.isEmpty { accounts[user]?.inbox.append(message) }
        for id in devices { deliver(message, to: user, device: id, at: now, into: &effects) }
    }

    mutating func deliver(
        _ message: ChatMessage, to user: String, device: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        let (policy, clock) = (policy, wallClock(at: now))
        var numbered = message
        moveEarlyMessages(user, device: device, at: now)
        numbered.number = accounts[user]?.devices[device]?.numbering.next(clock: clock) ?? 0
        accounts[user]?.devices[device]?.keep(numbered, policy)
        // While older messages wait for the sync, this one waits too. Otherwise it would overtake them (C-14, NIM-14).
        if let id = accounts[user]?.devices[device]?.login?.connection, connections[id]?.holdsMessages == true {
            return
        }
        sendOrPush(user, device: device, .message(numbered), at: now, into: &effects)
    }

    /// Moves the messages that were stored before the user had a device to the user's first device.
    mutating func moveEarlyMessages(_ user: String, device: String, at now: Instant) {
        guard accounts[user]?.inbox.isEmpty == false, let early = accounts[user]?.inbox.messages else { return }
        let clock = wallClock(at: now)
        accounts[user]?.inbox = Inbox()
        for var message in early {
            message.number = accounts[user]?.devices[device]?.numbering.next(clock: clock) ?? 0
            accounts[user]?.devices[device]?.inbox.append(message)
        }
        markReceived(to: device, of: user, messages: early.map { MessageName(sender: $0.from, id: $0.id) })
    }

    /// Sends a frame to a connected device, or pushes it to a disconnected one for which push is bound. A frame that a
    /// connected device does not confirm in time is pushed, too (CHAT-8, NIM-10).
    mutating func sendOrPush(
        _ user: String, device: String, _ body: FrameBody, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard let record = accounts[user]?.devices[device] else { return }
        if let connection = record.login?.connection {
            effects.append(.send(connection, Frame(body)))
            let timer = ServerTimer.push(user: user, device: device)
            if policy.pushAfter > .zero, record.isPushBound, timers.instant(of: timer) == nil {
                timers.set(timer, at: now + policy.pushAfter)
            }
        } else if record.isPushBound {
            accounts[user]?.devices[device]?.notePush()
        }
    }

    /// Pushes all messages and operations that a device has not confirmed (CHAT-8).
    mutating func pushUnconfirmed(by device: String, of user: String) {
        timers.cancel(.push(user: user, device: device))
        accounts[user]?.devices[device]?.pushUnconfirmed()
    }

    /// Cancels the push timer if the device has confirmed all messages and operations.
    mutating func endPushIfConfirmed(by device: String, of user: String) {
        guard let record = accounts[user]?.devices[device], record.inbox.isEmpty, record.operations.isEmpty else {
            return
        }
        timers.cancel(.push(user: user, device: device))
    }

    /// The number of messages that wait for a device.
    func waitingMessages(of user: String, device: String) -> Int {
        guard let account = accounts[user] else { return 0 }
        return account.inbox.count + (account.devices[device]?.inbox.count ?? 0)
    }

    /// Sends all messages that wait for a device. They remain stored until the device confirms them.
    mutating func deliverStored(
        to user: String, device: String, on id: ConnectionID, at now: Instant, into effects: inout [ServerEffect]
    ) {
        for message in unconfirmedMessages(of: user, device: device, on: id, at: now) {
            effects.append(.send(id, Frame(.message(message))))
        }
    }

    /// The messages that a device has not confirmed, with their numbers. After this call, new messages no longer wait.
    mutating func unconfirmedMessages(
        of user: String, device: String, on id: ConnectionID, at now: Instant
    ) -> [ChatMessage] {
        let clock = wallClock(at: now)
        moveEarlyMessages(user, device: device, at: now)
        connections[id]?.holdsMessages = nil
        accounts[user]?.devices[device]?.numberAll(clock: clock)
        return accounts[user]?.devices[device]?.inbox.messages ?? []
    }
}
