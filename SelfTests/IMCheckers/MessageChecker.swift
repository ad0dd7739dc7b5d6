import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import SansIO

/// Follows every message by its text, which is unique. For each message it stores whether the server accepted it, which
/// devices should receive it, and which did, how often and from which sender (C-14, CHAT-8, RTM-8).
struct MessageChecker: Checker {
    private typealias DeviceSlot = ServerTrace.DeviceSlot

    /// The devices that have logged in to each user's account since its creation, oldest login first.
    private var devices: [String: [String]] = [:]
    /// The devices that should receive each accepted message, by its text.
    private var receivers: [String: Set<DeviceSlot>] = [:]
    /// The accepted messages and their sending devices, by text.
    private var accepted: [String: (message: ChatMessage, sender: DeviceSlot)] = [:]
    /// The time of each device's first login to its user's account.
    private var since: [DeviceSlot: Instant] = [:]
    /// The ids that apps gave to messages with data. The server treats messages with the same id as one message.
    private var ids: Set<String> = []
    /// The users who received each group message.
    private var readers: [String: Set<String>] = [:]
    /// True if the scenario lowered the limit for waiting messages. The server then drops older messages.
    private var isLimitSmall = false
    /// True if the server drops the oldest message of a full inbox, instead of refusing a new one.
    private var displacesOldest = false
    /// The texts of the messages that each user deleted. No device of the user may receive them any more (CHAT-9).
    private var deletedTexts: [String: Set<String>] = [:]
    /// The ids of the accepted operations. A repeated operation has no effect.
    private var operations: Set<String> = []
    /// The texts that were sent to a user before the user's first login.
    private var textsBeforeLogin: [String: [String]] = [:]
    /// The user who sent each text.
    private var authors: [String: String] = [:]
    /// The client that sent each text.
    private var authorClients: [String: String] = [:]
    /// The device id of each client.
    private var deviceIDs: [String: String] = [:]
    private var sent: [String: [UInt32: String]] = [:]
    private var acknowledged: Set<String> = []
    /// How often each client notified its app of each text, for each user: in the running process, and in total.
    private var notifiedNow: [String: [String: Int]] = [:]
    private var notifiedEver: [String: [String: Int]] = [:]
    private let copiesToOwnDevices: Bool
    private let keepsLocalData: Bool
    /// The request that the server is processing.
    private var request: (connection: ConnectionID, body: FrameBody)?
    private var connections: [ConnectionID: DeviceSlot] = [:]
    /// The users that each user blocks. `withheld` has each text of a blocked sender, with the user who must not
    /// receive the text.
    private var blocked: [String: Set<String>] = [:]
    private var withheld: [String: String] = [:]
    /// The position of each accepted message in the order of acceptance, and the time of its acceptance.
    private var order: [String: (position: Int, time: Instant)] = [:]
    /// The position of the last message that each client reported to its app for each user, before any network fault.
    private var lastNotified: [String: Int] = [:]
    private var isDisturbed: Set<String> = []
    private let replayAge: Interval?
    private var now = Instant.zero
    /// The time at which each client requested its current login.
    private var loginSince: [String: Instant] = [:]
    /// The time at which each client requested to join each of its channels.
    private var joinedSince: [String: [String: Instant]] = [:]
    /// The leaves in progress, with the time at which the channel was joined. A failed leave has no effect.
    private var leaves: [String: [CommandID: (channel: String, since: Instant)]] = [:]

    init(client: ClientPolicy, server: ServerPolicy) {
        copiesToOwnDevices = server.copiesToOwnDevices
        keepsLocalData = client.features.contains(.localData)
        replayAge = server.channelReplayMax > 0 ? server.channelReplayAge : nil
    }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        now = event.time
        switch event.content {
        case .start, .stop: connections.removeAll()
        case .input(let input):
            request = nil
            switch input {
            case .serverCommand(_, .deleteAccount(let user)): forget(user)
            case .serverCommand(_, .setPolicy("messages-stored-max", _)): isLimitSmall = true
            case .serverCommand(_, .putChange(let user, let change)): removed(change, of: user)
            case .frame(let connection, let frame):
                request = (connection, frame.body)
                // The server may count a repeated message as a new one and then deliver it.
                if case .send(let message) = frame.body {
                    for user in deletedTexts.keys { deletedTexts[user]?.remove(message.text) }
                }
            default: break
            }
        case .effect(.send(let connection, let frame)):
            if let request, request.connection == connection { answered(frame, request.body, on: connection) }
            if case .message(let message) = frame.body { checkDelivery(message, on: connection, into: &violations) }
        default: break
        }
    }

    private mutating func answered(_ frame: Frame, _ request: FrameBody, on connection: ConnectionID) {
        switch (frame.body, request) {
        case (.loginAck(let reply), .login(let login)) where reply.status == .ok:
            let slot = DeviceSlot(user: login.user, device: login.device.id)
            connections[connection] = slot
            guard devices[login.user]?.contains(slot.device) != true else { return }
            devices[login.user, default: []].append(slot.device)
            since[slot] = now
            for text in textsBeforeLogin.removeValue(forKey: login.user) ?? [] {
                receivers[text, default: []].insert(slot)
            }
        case (.sendAck(let status, _), .send(let message)) where status == .ok || status == .stored:
            accept(message, from: connections[connection])
        case (.changeAck(.ok), .change(let record)) where record.kind != .blacklist:
            guard let sender = connections[connection] else { return }
            if case .message(let message)? = LocalChange(record), !message.text.isEmpty,
                ids.insert("\(sender.user) \(message.id)").inserted
            {
                let conversation = message.conversation
                accept(
                    ChatMessage(
                        id: message.id, from: sender.user, to: conversation.id, text: message.text,
                        isToGroup: conversation.kind == .group), from: sender, isKept: true)
            }
            removed(record, of: sender.user)
        case (.operationAck(.ok), .operation(let operation)):
            guard let user = connections[connection]?.user else { return }
            if [.contactBan, .contactAllow].contains(operation.kind) {
                setBlocked(operation.target, operation.kind == .contactBan, on: connection)
            }
            if [.messagesRemoved, .conversationDelete].contains(operation.kind) {
                let isNew = operations.insert("\(user) \(operation.id)").inserted
                remove(of: user, isPermanent: isNew) { Self.isOf($0, operation.target, of: user) }
            }
        case (.changeAck(.ok), .change(let record)) where record.kind == .blacklist:
            guard let other = record.fields["userID"] else { return }
            setBlocked(other, record.fields["isOn"] == "true", on: connection)
        default: break
        }
    }

    private mutating func setBlocked(_ other: String, _ isOn: Bool, on connection: ConnectionID) {
        guard let user = connections[connection]?.user else { return }
        if isOn { blocked[user, default: []].insert(other) } else { blocked[user]?.remove(other) }
    }

    /// Notes that a user deleted messages. The server must no longer deliver them to the user's devices (CHAT-9).
    private mutating func removed(_ record: ChangeRecord, of user: String) {
        switch LocalChange(record) {
        case .conversationRemoved(let id, _), .conversationEmptied(let id, _):
            remove(of: user) { id == .all || Self.isOf($0, id.id, of: user) }
        case .messagesRemoved(let ids): remove(of: user) { ids.contains($0.id) }
        default: break
        }
    }

    private mutating func remove(of user: String, isPermanent: Bool = false, where isRemoved: (ChatMessage) -> Bool) {
        for (text, accepted) in accepted where isRemoved(accepted.message) {
            if isPermanent { deletedTexts[user, default: []].insert(text) }
            receivers[text] = receivers[text]?.filter { $0.user != user }
            textsBeforeLogin[user]?.removeAll { $0 == text }
        }
    }

    /// True if the message belongs to `user`'s conversation with the user or group `name`.
    private static func isOf(_ message: ChatMessage, _ name: String, of user: String) -> Bool {
        let to = address(message.to)
        // A message between two devices of one user is in a different conversation on each device (CHAT-7).
        guard message.from != user || to.user != user || to.device == nil else { return false }
        return name == (message.isToGroup || message.from == user ? message.to : message.from)
    }

    /// Checks a delivery. A channel message is replayed until the replay age and no later (RTM-8). A user who receives
    /// a group message receives it on every device (CHAT-8).
    private mutating func checkDelivery(
        _ message: ChatMessage, on connection: ConnectionID, into violations: inout [Violation]
    ) {
        if let user = connections[connection]?.user, deletedTexts[user]?.contains(message.text) == true {
            violations.add(.messages, "CHAT-9", "a deleted message is delivered", "'\(message.text)', to \(user)")
        }
        if message.isToGroup, let user = connections[connection]?.user {
            readers[message.text, default: []].insert(user)
            if accepted[message.text] != nil { addReceiver(user, message.text) }
        }
        guard message.isToChannel, let replayAge, let accepted = order[message.text] else { return }
        guard now - accepted.time > replayAge else { return }
        let detail = "'\(message.text)', after \((now - accepted.time).inMilliseconds) ms"
        violations.add(.messages, "RTM-8", "a channel message is replayed after the replay age", detail)
    }

    /// - Parameter isKept: true if the message is in the users' data.
    private mutating func accept(_ message: ChatMessage, from sender: DeviceSlot?, isKept: Bool = false) {
        if order[message.text] == nil { order[message.text] = (order.count, now) }
        if isKept { displacesOldest = true }
        guard !message.isToChannel, receivers[message.text] == nil, let sender else { return }
        accepted[message.text] = (message, sender)
        receivers[message.text] = []
        // Members who are connected receive the group message before the sender receives the acknowledgement.
        guard !message.isToGroup else {
            displacesOldest = true
            for user in readers[message.text] ?? [] { addReceiver(user, message.text) }
            return
        }
        var slots: Set<DeviceSlot> = []
        let (user, device) = Self.address(message.to)
        if blocked[user]?.contains(sender.user) == true {
            withheld[message.text] = user
        } else if isKept, device == nil, user == sender.user {
            // The sending device already stores a message to its own user.
        } else if let device {
            slots.insert(DeviceSlot(user: user, device: device))
        } else if let known = devices[user] {
            slots.formUnion(known.map { DeviceSlot(user: user, device: $0) })
        } else {
            textsBeforeLogin[user, default: []].append(message.text)
        }
        if copiesToOwnDevices, device == nil, user != sender.user || isKept {
            slots.formUnion(
                (devices[sender.user] ?? []).filter { $0 != sender.device }
                    .map { DeviceSlot(user: sender.user, device: $0) })
        }
        receivers[message.text] = slots
    }

    /// Adds the devices of a group's member as receivers, if their first login was before the message was accepted.
    private mutating func addReceiver(_ user: String, _ text: String) {
        guard !isLimitSmall, let sender = accepted[text]?.sender, let time = order[text]?.time else { return }
        let slots = (devices[user] ?? []).map { DeviceSlot(user: user, device: $0) }
        receivers[text]?.formUnion(slots.filter { $0 != sender && since[$0].map { $0 < time } == true })
    }

    /// Splits the receiver's address into a user and, for a message to one device, the device (CHAT-7).
    static func address(_ to: String) -> (user: String, device: String?) {
        guard let slash = to.lastIndex(of: "/") else { return (to, nil) }
        return (String(to[..<slash]), String(to[to.index(after: slash)...]))
    }

    /// Removes a deleted account and the messages that wait for it.
    private mutating func forget(_ user: String) {
        devices.removeValue(forKey: user)
        blocked.removeValue(forKey: user)
        textsBeforeLogin.removeValue(forKey: user)
        for text in receivers.keys { receivers[text] = receivers[text]?.filter { $0.user != user } }
    }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let user = trace.user
        switch event.content {
        case .start(let record):
            if case .client(_, let device, _, _, _, _) = record.body { deviceIDs[event.node] = device.id }
            forgetProcess(of: event.node)
        case .stop: forgetProcess(of: event.node)
        case .environment(.net): isDisturbed.insert(event.node)
        case .input(.clientCommand(let id, .send(_, let text, _))):
            sent[event.node, default: [:]][id.rawValue] = text
            authors[text] = user ?? "-"
            authorClients[text] = event.node
        case .input(.clientCommand(let id, .change(let record))):
            guard record.kind == .message, let text = record.fields["message"] else { break }
            sent[event.node, default: [:]][id.rawValue] = text
            authors[text] = user ?? "-"
            authorClients[text] = event.node
        case .effect(.send(_, let frame)):
            guard case .send(let message) = frame.body, let user, message.from != user else { break }
            let detail = "'\(message.text)' of \(message.from) by \(user)"
            violations.add(.messages, "C-13", "a message of the previous user is sent", detail)
        case .effect(.complete(let id, let completion)):
            if let (channel, since) = leaves[event.node]?.removeValue(forKey: id), completion.status != .ok {
                joinedSince[event.node, default: [:]][channel] = since
            }
            guard let text = sent[event.node]?.removeValue(forKey: id.rawValue) else { break }
            if completion.status == .ok || completion.status == .stored { acknowledged.insert(text) }
        case .input(.clientCommand(_, .join(let channel))):
            let since = joinedSince[event.node]?[channel] ?? event.time
            joinedSince[event.node, default: [:]][channel] = since
        case .input(.clientCommand(let id, .leave(let channel))):
            guard let since = joinedSince[event.node]?.removeValue(forKey: channel) else { break }
            leaves[event.node, default: [:]][id] = (channel, since)
        case .effect(.transition(let change)):
            if change.to.isOver { joinedSince[event.node] = nil }
        case .input(.clientCommand(_, .login)): if user == nil { loginSince[event.node] = event.time }
        case .effect(.notify(.messageReceived(let message))):
            handleNotification(message, event.node, user ?? "-", into: &violations)
        default: break
        }
    }

    private mutating func forgetProcess(of node: String) {
        notifiedNow[node] = [:]
        joinedSince[node] = nil
        leaves[node] = nil
        lastNotified = lastNotified.filter { !$0.key.hasPrefix(node + " ") }
    }

    private mutating func handleNotification(
        _ message: ChatMessage, _ node: String, _ user: String, into violations: inout [Violation]
    ) {
        let key = Self.key(message.text, user)
        notifiedEver[node, default: [:]][key, default: 0] += 1
        notifiedNow[node, default: [:]][key, default: 0] += 1
        if !message.isToChannel, !isDisturbed.contains(node), let position = order[message.text]?.position {
            let line = "\(node) \(user)"
            if let last = lastNotified[line], position < last {
                violations.add(.messages, "C-14", "messages arrive out of order", "'\(message.text)'")
            }
            lastNotified[line] = max(lastNotified[line] ?? 0, position)
        }
        let times = (keepsLocalData ? notifiedEver : notifiedNow)[node]?[key] ?? 0
        if times > 1 {
            violations.add(
                .messages, "C-14", "the app is notified of a message twice", "'\(message.text)', \(times) times")
        }
        if withheld[message.text] == user, message.from != user {
            let detail = "'\(message.text)' of \(message.from) to \(user)"
            violations.add(.messages, "ZIM-9", "a message of a blocked sender is delivered", detail)
        }
        if let author = authors[message.text], author != message.from {
            let detail = "'\(message.text)' of \(author) as that of \(message.from)"
            violations.add(.messages, "C-14", "a message has another sender", detail)
        }
        if !message.isToChannel, message.from == user, Self.address(message.to).user != user,
            authorClients[message.text] == node
        {
            violations.add(.messages, "CHAT-8", "a sender receives its own message", "'\(message.text)'")
        }
        // The sender's other devices may receive the message (CHAT-8).
        if message.isToChannel, message.from == user, !copiesToOwnDevices || authorClients[message.text] == node {
            violations.add(.messages, "RTM-8", "a sender receives its own channel message", "'\(message.text)'")
        }
        // A member does not receive channel messages from before the join or the login (RTM-8).
        if message.isToChannel, let acceptedAt = order[message.text]?.time {
            let detail = "'\(message.text)'"
            if let since = joinedSince[node]?[message.to], acceptedAt < since {
                violations.add(.messages, "RTM-8", "a member receives a channel message from before the join", detail)
            }
            if let since = loginSince[node], acceptedAt < since {
                violations.add(.messages, "RTM-8", "a member receives a channel message from before the login", detail)
            }
        }
        guard !message.isToChannel, !message.isToGroup, message.from != user else { return }
        let (receiver, device) = Self.address(message.to)
        if receiver != user {
            violations.add(
                .messages, "C-13", "a user receives a message for another user",
                "for \(message.to), received by \(user)")
        }
        if let device, let own = deviceIDs[node], device != own {
            violations.add(
                .messages, "CHAT-7", "a device receives a message for another device",
                "for \(message.to), received by \(own)")
        }
    }

    private static func key(_ text: String, _ user: String) -> String { "\(user) \(text)" }

    /// Checks that each acknowledged message has reached every online device that should receive it.
    func checkAtQuiescence(_ world: IdleWorld, _ server: ServerMachine) -> [Violation] {
        guard !acknowledged.isEmpty, !world.trace.forgetsDevices, !(isLimitSmall && displacesOldest) else { return [] }
        var violations: [Violation] = []
        var slots: [DeviceSlot: String] = [:]
        for client in world.online { slots[DeviceSlot(user: client.user, device: client.device)] = client.name }
        for text in acknowledged.sorted() {
            for slot in (receivers[text] ?? []).sorted() {
                // Two processes of one device count as one receiver.
                guard let name = slots[slot] else { continue }
                let own = [name] + deviceIDs.keys.filter { deviceIDs[$0] == slot.device }
                guard !own.contains(where: { notifiedEver[$0]?[Self.key(text, slot.user)] != nil }) else { continue }
                let detail = "'\(text)' to \(slot.user) on \(name)"
                violations.add(.messages, "C-14", "an acknowledged message is not delivered", detail)
            }
        }
        return violations
    }
}
