import IMClient
import IMProtocol
import IMServer
import IMSession
import SansIO

/// A member of a channel receives all messages that others send there. This includes messages sent while the member was
/// disconnected, within the replay age and count of the policy (RTM-8).
struct ChannelOracle {
    private struct Said {
        var text: String
        var channel: String
        var author: String
        var time: Instant
    }

    private struct Member {
        /// For each channel, the time from which no message may be missing.
        var since: [String: Instant] = [:]
        var joining: [CommandID: String] = [:]
        var told: Set<String> = []
        /// The time of the last frame on a connection that carried the login.
        var heardAt = Instant.zero
    }

    private let replayAge: Interval?
    private let replayMax: Int
    private var said: [Said] = []
    private var members: [String: Member] = [:]
    private var taken: Set<String> = []
    /// The last login of each device, and the devices of each user that have ever joined a channel.
    private var logins: [ServerTrace.Place: LoginEpoch] = [:]
    private var joiners: [String: Set<String>] = [:]
    /// The server does not keep messages sent before this time, because it restarted or started to refuse a user's
    /// requests.
    private var knownSince = Instant.zero

    init(_ policy: ServerPolicy) {
        replayMax = policy.channelReplayMax
        replayAge = policy.channelReplayMax > 0 ? policy.channelReplayAge : nil
    }

    /// - Parameter members: the members of each channel after the input.
    mutating func seeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ members: () -> [(channel: String, members: [String])],
        into faults: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: knownSince = event.time
        case .input(.serverCommand(_, .setRefusal)): knownSince = event.time
        case .effect(.send(let connection, let frame)):
            switch frame.body {
            case .joinAck(.ok, _, _):
                if let place = trace.carried[connection]?.place {
                    joiners[place.user, default: []].insert(place.device)
                }
            case .loginAck(let reply) where reply.status == .ok:
                accepted(reply.epoch, trace.carried[connection]?.place, members, into: &faults)
            default: break
            }
            guard case .sendAck(.ok, _) = frame.body, case .frame(connection, let asked)? = trace.input,
                case .send(let message) = asked.body, message.isToChannel, taken.insert(message.text).inserted,
                let place = trace.carried[connection]?.place
            else { return }
            said.append(Said(text: message.text, channel: message.to, author: place.user, time: event.time))
        default: break
        }
    }

    /// A new login has not joined any channel, even if the previous login had (C-2, RTM-4).
    private mutating func accepted(
        _ epoch: LoginEpoch, _ place: ServerTrace.Place?, _ members: () -> [(channel: String, members: [String])],
        into faults: inout [Violation]
    ) {
        guard let place, logins[place] != epoch else { return }
        let isFirst = logins.updateValue(epoch, forKey: place) == nil
        // The user's other devices may be members of the channel.
        guard !isFirst, joiners[place.user] == [place.device],
            let channel = members().first(where: { $0.members.contains(place.user) })?.channel
        else { return }
        let words = "\(place.user) in \(channel)"
        faults.append(Violation(.presence, "RTM-4", "a new login is in the channels of the one before", words))
    }

    mutating func seeClient(_ event: SessionEvent, _ trace: ClientTrace) {
        let node = event.node
        switch event.content {
        case .start, .stop: members[node] = nil
        case .input(.clientCommand(let id, .join(let channel))): members[node, default: Member()].joining[id] = channel
        case .input(.clientCommand(_, .leave(let channel))): members[node]?.since[channel] = nil
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            if case .loginAck(let reply) = frame.body, reply.status == .ok { accepted(reply, node, at: event.time) }
            if trace.acceptedLink != nil { members[node, default: Member()].heardAt = event.time }
        case .effect(.complete(let id, let completion)):
            guard let channel = members[node]?.joining.removeValue(forKey: id), completion.status == .ok else { return }
            members[node]?.since[channel] = event.time
        case .effect(.notify(.memberChanged(let channel, trace.user, false))): members[node]?.since[channel] = nil
        case .effect(.notify(.messageReceived(let message))):
            if message.isToChannel { members[node, default: Member()].told.insert(message.text) }
        case .effect(.transition(let change)):
            if change.to.isOver { members[node]?.since = [:] }
        default: break
        }
    }

    private mutating func accepted(_ reply: LoginReply, _ node: String, at now: Instant) {
        guard let member = members[node], !member.since.isEmpty else { return }
        // One second for the round trip to the server.
        let isAllKept = replayAge.map { now - member.heardAt < $0 - .seconds(1) } ?? false
        if reply.wasGone || !isAllKept { members[node]?.since = member.since.mapValues { _ in now } }
    }

    /// Call it if the client is online, nothing is in flight, and none of its frames can have been lost on a working
    /// connection.
    func fault(of node: String, user: String) -> Violation? {
        guard let member = members[node] else { return nil }
        for (channel, since) in member.since.sorted(by: { $0.key < $1.key }) {
            let there = said.filter { $0.channel == channel && $0.time >= max(since, knownSince) }
            // If there are more messages than the server keeps, it keeps the latest.
            let kept = replayMax == 0 ? there[...] : there.suffix(replayMax)
            guard let missing = kept.first(where: { $0.author != user && !member.told.contains($0.text) }) else {
                continue
            }
            let words = "'\(missing.text)' in \(channel)"
            return Violation(.messages, "RTM-8", "what was said in a channel was never told", words)
        }
        return nil
    }
}
