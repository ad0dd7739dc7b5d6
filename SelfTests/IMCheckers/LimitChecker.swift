import IMProtocol
import IMServer
import IMSession
import IMTree
import SansIO

/// Each limit is reached and never exceeded: members of a channel, channels of a login and channels in total (RTM-9),
/// users that a connection watches, attributes, tree writes per time window, waiting messages (C-14).
///
/// Entries from before a change of a limit are not counted. The checker reports nothing that depends on them.
struct LimitChecker {
    /// The granted requests of one connection.
    private struct Counted {
        var channels: Set<String> = []
        var watched: Set<String> = []
        /// True if these are all of the connection's entries.
        var isWhole = true
        var writes = 0
        var writesSince = Instant.zero
        var areWritesKnown = true
    }

    private var policy: ServerPolicy
    private var counted: [ConnectionID: Counted] = [:]
    /// Channels that had too many members when the limit was set.
    private var crowded: Set<String> = []
    private var hadMoreChannels = false
    private var refused: Set<String> = []
    /// The accepted texts of each user, and those accepted after the user's last device left.
    private var taken: [String: Set<String>] = [:]
    private var waiting: [String: Set<String>] = [:]
    /// True if other messages may be waiting: messages with data, made-up ones, or ones withheld from a blocked sender.
    private var isMessageCountUnknown = false

    init(_ policy: ServerPolicy) { self.policy = policy }

    /// - Parameters:
    ///   - current: the present policy.
    ///   - channels: the members of each channel after the input.
    mutating func observeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ current: @autoclosure () -> ServerPolicy?,
        _ channels: () -> [(channel: String, members: [String])],
        into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: counted.removeAll()
        case .input(.serverCommand(_, .setPolicy(let key, _))):
            policy = current() ?? policy
            changed(key, channels())
        case .input(.serverCommand(_, .setRefusal(let user, _))):
            refused.insert(user)
            isMessageCountUnknown = true
        case .input(.serverCommand(_, .deleteAccount(let user))): (waiting[user], taken[user]) = (nil, nil)
        case .input(.serverCommand(_, .putChange)), .input(.serverCommand(_, .populate)): isMessageCountUnknown = true
        case .input(.linkClosed(let connection, _)): counted[connection] = nil
        case .input(.frame(let connection, let frame)):
            switch frame.body {
            case .settle: counted[connection, default: Counted()].isWhole = false
            case .leave(let channel): counted[connection]?.channels.remove(channel)
            case .watch(let user, false): counted[connection]?.watched.remove(user)
            case .change(let change) where change.kind == .message || change.kind == .blacklist:
                isMessageCountUnknown = true
            case .operation(let operation) where operation.kind == .contactBan: isMessageCountUnknown = true
            default: break
            }
        case .effect(.send(let connection, let frame)):
            guard case .frame(connection, let requestFrame)? = trace.input else { return }
            if case .loginAck(let reply) = frame.body, case .login(let login) = requestFrame.body, reply.status == .ok {
                counted[connection] = Counted()
                counted[connection]?.isWhole = login.mode != .resume
                waiting[login.user] = nil
            }
            let user = trace.carried[connection]?.slot.user ?? ""
            guard !refused.contains(user) else { return }
            let violation = check(requestFrame.body, frame.body, connection, user, event.time, trace, channels)
            if let violation { violations.append(violation) }
        default: break
        }
    }

    private mutating func changed(_ key: String, _ channels: [(channel: String, members: [String])]) {
        if key == "messages-stored-max" { waiting.removeAll() }
        for connection in counted.keys { counted[connection]?.isWhole = false }
        guard key.hasPrefix("channel") else { return }
        for connection in counted.keys { counted[connection]?.channels.removeAll() }
        crowded = Set(channels.filter { $0.members.count > policy.channelMembersMax }.map(\.channel))
        hadMoreChannels = channels.count > policy.channelCountMax
    }

    private mutating func check(
        _ requestFrame: FrameBody, _ answer: FrameBody, _ connection: ConnectionID, _ user: String, _ now: Instant,
        _ trace: ServerTrace, _ channels: () -> [(channel: String, members: [String])]
    ) -> Violation? {
        switch (requestFrame, answer) {
        case (.join(let channel), .joinAck(let status, _, _)):
            return checkJoin(channel, status, connection, user, channels())
        case (.watch(let watched, true), .watchAck(let status)):
            return checkWatch(watched, status, connection)
        case (.setAttributes(let channel, let fields), .setAttributesAck(let status)):
            let isTooMuch = fields.count > policy.attributeCountMax
            if status == .ok, isTooMuch { return more("attributes than there may be", "\(fields.count)") }
            guard status == .limitExceeded, !isTooMuch, fields.allSatisfy({ $0.value.utf8.count < 100 }) else {
                return nil
            }
            return fewer("attributes", "\(fields.count) of '\(channel)'")
        case (.tree(let request), .treeAck(let status, _)): return checkWrite(request, status, connection, now)
        case (.send(let message), .sendAck(let status, _)) where !message.isToChannel && !message.isToGroup:
            return isMessageCountUnknown ? nil : checkMessage(message, status, from: user, trace)
        default: return nil
        }
    }

    private func more(_ what: String, _ detail: String) -> Violation {
        Violation(.agreement, "RTM-9", "more \(what)", detail)
    }

    private func fewer(_ what: String, _ detail: String) -> Violation {
        Violation(.agreement, "RTM-9", "too many \(what), it says, and there is room", detail)
    }

    private mutating func checkJoin(
        _ channel: String, _ status: Status, _ connection: ConnectionID, _ user: String,
        _ channels: [(channel: String, members: [String])]
    ) -> Violation? {
        let members = channels.first { $0.channel == channel }?.members ?? []
        if members.count <= policy.channelMembersMax { crowded.remove(channel) }
        if channels.count <= policy.channelCountMax { hadMoreChannels = false }
        switch status {
        case .ok:
            counted[connection]?.channels.insert(channel)
            if members.count > policy.channelMembersMax, !crowded.contains(channel) {
                return more("members in a channel than there may be", "\(members.count) in \(channel)")
            }
            if channels.count > policy.channelCountMax, !hadMoreChannels {
                return more("channels than there may be", "\(channels.count)")
            }
            guard let own = counted[connection]?.channels.count, own > policy.channelsPerLoginMax else { return nil }
            return more("channels of a login than there may be", "\(own), of \(user)")
        case .limitExceeded:
            let own = channels.count { $0.members.contains(user) }
            let isFull = !members.contains(user) && members.count >= policy.channelMembersMax
            guard own < policy.channelsPerLoginMax, !isFull,
                !members.isEmpty || channels.count < policy.channelCountMax
            else { return nil }
            return fewer("channels or members", "\(user) in \(channel)")
        default: return nil
        }
    }

    private mutating func checkWatch(_ user: String, _ status: Status, _ connection: ConnectionID) -> Violation? {
        guard let own = counted[connection] else { return nil }
        switch status {
        case .ok:
            counted[connection]?.watched.insert(user)
            let count = own.watched.union([user]).count
            return count > policy.watchedCountMax ? more("users watched than there may be", "\(count)") : nil
        case .limitExceeded:
            guard own.isWhole, own.watched.count < policy.watchedCountMax else { return nil }
            return fewer("users watched", user)
        default: return nil
        }
    }

    private mutating func checkWrite(
        _ request: TreeRequest, _ status: Status, _ connection: ConnectionID, _ now: Instant
    ) -> Violation? {
        switch request {
        case .get, .listen, .unlisten: return nil
        default: break
        }
        guard var own = counted[connection], own.areWritesKnown else { return nil }
        defer { counted[connection] = own }
        switch status {
        case .ok, .forbidden, .rateLimited, .transactionStale: break
        // The server may have refused it before or after counting.
        default:
            own.areWritesKnown = false
            return nil
        }
        // The first window starts with the world, each later one with the first write after the previous window.
        if now - own.writesSince >= policy.treeWritesWindow { (own.writes, own.writesSince) = (0, now) }
        let isTooMuch = policy.treeWritesMax > 0 && own.writes >= policy.treeWritesMax
        guard status != .rateLimited else {
            return isTooMuch ? nil : fewer("changes of the tree", "\(own.writes) within the time")
        }
        if policy.treeWritesMax > 0 { own.writes += 1 }
        return isTooMuch ? more("changes of the tree than there may be", "\(own.writes) within the time") : nil
    }

    private mutating func checkMessage(
        _ message: ChatMessage, _ status: Status, from sender: String, _ trace: ServerTrace
    ) -> Violation? {
        // The receiver may be one device of the user (CHAT-7).
        let (user, device) = MessageChecker.address(message.to)
        switch status {
        case .ok, .stored:
            for one in [user, sender] { taken[one, default: []].insert(message.text) }
            guard device == nil else { return nil }
            guard !trace.carried.values.contains(where: { $0.slot.user == user }) else {
                waiting[user] = nil
                return nil
            }
            waiting[user, default: []].insert(message.text)
            let count = waiting[user]?.count ?? 0
            guard count > policy.messagesStoredMax else { return nil }
            return Violation(.messages, "C-14", "more messages wait than may", "\(count) for \(user)")
        case .limitExceeded:
            let count = max(taken[user]?.count ?? 0, taken[sender]?.count ?? 0)
            guard count < policy.messagesStoredMax else { return nil }
            return Violation(
                .messages, "C-14", "too many messages wait, it says, and there is room", "\(count) for \(user)")
        default: return nil
        }
    }
}
