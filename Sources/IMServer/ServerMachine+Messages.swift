import IMProtocol
import OrderedCollections
import SansIO

// Messages between users and to channels. Each device of the receiver gets its own copy and confirms it for itself
// (CHAT-8); an id is taken in once (C-14).

extension ServerMachine {
    mutating func takeIn(
        _ message: ChatMessage, from user: String, device: String, on id: ConnectionID, at now: Instant,
        into effects: inout [ServerEffect]
    ) {
        func answer(_ status: Status) { effects.append(.send(id, Frame(.sendAck(status, id: message.id)))) }
        guard ProtocolLimit.isText(message.id, bytesMax: 2 * ProtocolLimit.nameBytesMax), !message.id.isEmpty,
            message.text.utf8.count <= ProtocolLimit.textBytesMax
        else { return answer(.invalidArgument) }
        // The sender is who logged in, whatever the frame says.
        var stored = message
        stored.from = user
        if message.isToChannel {
            guard channels[message.to]?.members.contains(user) == true else { return answer(.notFound) }
            if isNews(message.id, from: user) { broadcast(stored, at: now, into: &effects) }
            return answer(.ok)
        }
        guard let receiver = receiver(of: message.to) else { return answer(.notFound) }
        if isNews(message.id, from: user) {
            store(stored, for: receiver.user, device: receiver.device, into: &effects)
            if policy.copiesToOwnDevices && receiver.device == nil && receiver.user != user {
                copyToOwnDevices(stored, of: user, besides: device, into: &effects)
            }
        }
        let isThere =
            accounts[receiver.user]?.devices.values.contains {
                $0.login?.connection != nil && (receiver.device == nil || $0.device.id == receiver.device)
            } ?? false
        answer(isThere ? .ok : .stored)
    }

    /// Whether the message has not been taken in before; it counts as taken in from now on.
    private mutating func isNews(_ id: String, from user: String) -> Bool {
        guard accounts[user]?.knownMessages.contains(id) != true else { return false }
        accounts[user]?.knownMessages.append(id)
        let excess = (accounts[user]?.knownMessages.count ?? 0) - policy.messagesStoredMax
        if excess > 0 { accounts[user]?.knownMessages.removeFirst(excess) }
        return true
    }

    /// Whom a message is for: a user, or one device of a user by its login id (CHAT-7).
    private func receiver(of name: String) -> (user: String, device: String?)? {
        if accounts[name] != nil { return (name, nil) }
        guard policy.hasLoginIDs, let slash = name.lastIndex(of: "/") else { return nil }
        let user = String(name[..<slash])
        let device = String(name[name.index(after: slash)...])
        return accounts[user]?.devices[device] == nil ? nil : (user, device)
    }

    /// Keeps a message for each device that is to have it, and hands it to those that are there.
    private mutating func store(
        _ message: ChatMessage, for user: String, device: String?, into effects: inout [ServerEffect]
    ) {
        guard let account = accounts[user] else { return }
        if account.devices.isEmpty {
            accounts[user]?.inbox.append(message)
            let excess = (accounts[user]?.inbox.count ?? 0) - policy.messagesStoredMax
            if excess > 0 { accounts[user]?.inbox.removeFirst(excess) }
        }
        for id in account.devices.keys where device == nil || device == id {
            deliver(message, to: user, device: id, into: &effects)
        }
    }

    private mutating func copyToOwnDevices(
        _ message: ChatMessage, of user: String, besides device: String, into effects: inout [ServerEffect]
    ) {
        for id in accounts[user]?.devices.keys ?? [] where id != device {
            deliver(message, to: user, device: id, into: &effects)
        }
    }

    private mutating func deliver(
        _ message: ChatMessage, to user: String, device: String, into effects: inout [ServerEffect]
    ) {
        accounts[user]?.devices[device]?.inbox.append(message)
        let excess = (accounts[user]?.devices[device]?.inbox.count ?? 0) - policy.messagesStoredMax
        if excess > 0 { accounts[user]?.devices[device]?.inbox.removeFirst(excess) }
        reach(user, device: device, .message(message), into: &effects)
    }

    /// Hands something to a device that is there; for one that is not it goes to the push service too, if push is bound
    /// (CHAT-8, NIM-10).
    mutating func reach(_ user: String, device: String, _ body: FrameBody, into effects: inout [ServerEffect]) {
        guard let record = accounts[user]?.devices[device] else { return }
        if let connection = record.login?.connection {
            effects.append(.send(connection, Frame(body)))
        } else if record.isPushBound {
            accounts[user]?.devices[device]?.pushCount += 1
        }
    }

    /// How many messages wait for a device.
    func waitingMessages(of user: String, device: String) -> Int {
        guard let account = accounts[user] else { return 0 }
        return account.inbox.count + (account.devices[device]?.inbox.count ?? 0)
    }

    /// What waits for a device goes out; it is forgotten when the device confirms it.
    mutating func deliverStored(
        to user: String, device: String, on id: ConnectionID, into effects: inout [ServerEffect]
    ) {
        if let early = accounts[user]?.inbox, !early.isEmpty {
            accounts[user]?.inbox.removeAll()
            accounts[user]?.devices[device]?.inbox.insert(contentsOf: early, at: 0)
        }
        for message in accounts[user]?.devices[device]?.inbox ?? [] {
            effects.append(.send(id, Frame(.message(message))))
        }
    }

    mutating func confirmMessage(_ message: String, of user: String, device: String) {
        accounts[user]?.devices[device]?.inbox.removeAll { $0.id == message }
    }
}
