import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A member of a channel receives every message that other members send there. This includes messages that were sent
/// while the member was disconnected, within the replay age and count of the policy (RTM-8).
struct ChannelChecker: Checker {
    private struct SentMessage {
        var text: String
        var channel: String
        var author: String
        var time: Instant
    }

    private struct Member {
        /// For each joined channel, the time after which the member must have received every message.
        var since: [String: Instant] = [:]
        var joining: [CommandID: String] = [:]
        var received: Set<String> = []
        /// The time of the last frame that the client received on a connection with an accepted login.
        var lastFrameAt = Instant.zero
    }

    private let replayAge: Interval?
    private let replayMax: Int
    private var sentMessages: [SentMessage] = []
    private var members: [String: Member] = [:]
    private var acceptedTexts: Set<String> = []
    /// The server stores no channel messages from before this time: it then restarted or began to refuse a user.
    private var storedSince = Instant.zero

    init(_ policy: ServerPolicy) {
        replayMax = policy.channelReplayMax
        replayAge = policy.channelReplayMax > 0 ? policy.channelReplayAge : nil
    }

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: storedSince = event.time
        case .input(.serverCommand(_, .setRefusal)): storedSince = event.time
        case .effect(.send(let connection, let frame)):
            guard case .sendAck(.ok, _) = frame.body, case .frame(connection, let request)? = trace.input,
                case .send(let message) = request.body, message.isToChannel,
                acceptedTexts.insert(message.text).inserted,
                let slot = trace.acceptedLogins[connection]?.slot
            else { return }
            sentMessages.append(
                SentMessage(text: message.text, channel: message.to, author: slot.user, time: event.time))
        default: break
        }
    }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        let node = event.node
        switch event.content {
        case .start, .stop: members[node] = nil
        case .input(.clientCommand(let id, .join(let channel))): members[node, default: Member()].joining[id] = channel
        case .input(.clientCommand(_, .leave(let channel))): members[node]?.since[channel] = nil
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            if case .loginAck(let reply) = frame.body, reply.status == .ok { accepted(reply, node, at: event.time) }
            if trace.acceptedLink != nil { members[node, default: Member()].lastFrameAt = event.time }
        case .effect(.complete(let id, let completion)):
            guard let channel = members[node]?.joining.removeValue(forKey: id), completion.status == .ok else { return }
            members[node]?.since[channel] = event.time
        case .effect(.notify(.memberChanged(let channel, trace.user, false))): members[node]?.since[channel] = nil
        case .effect(.notify(.messageReceived(let message))):
            if message.isToChannel { members[node, default: Member()].received.insert(message.text) }
        case .effect(.transition(let change)):
            if change.to.isOver { members[node]?.since = [:] }
        default: break
        }
    }

    private mutating func accepted(_ reply: LoginReply, _ node: String, at now: Instant) {
        guard let member = members[node], !member.since.isEmpty else { return }
        // The time of the last frame is the client's. One second is the allowance for the round trip to the server.
        let isAllStored = replayAge.map { now - member.lastFrameAt < $0 - .seconds(1) } ?? false
        if reply.wasGone || !isAllStored { members[node]?.since = member.since.mapValues { _ in now } }
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        // On an unreliable network, frames of a message can be lost although the connection works.
        guard machine.state == .online, client.trace.isReliable, let user = machine.user else { return [] }
        return [violation(of: client.name, user: user)].compactMap(\.self)
    }

    func violation(of node: String, user: String) -> Violation? {
        guard let member = members[node] else { return nil }
        for (channel, since) in member.since.sorted(by: { $0.key < $1.key }) {
            let candidates = sentMessages.filter { $0.channel == channel && $0.time >= max(since, storedSince) }
            // If more messages were sent than the server stores, it stores the latest.
            let stored = replayMax == 0 ? candidates[...] : candidates.suffix(replayMax)
            guard let missing = stored.first(where: { $0.author != user && !member.received.contains($0.text) }) else {
                continue
            }
            let detail = "'\(missing.text)' in \(channel)"
            return Violation(.messages, "RTM-8", "a member does not receive a message of a channel", detail)
        }
        return nil
    }
}
