import IMProtocol
import IMServer
import IMSession

/// A late snapshot of the client's subscriptions does not undo later requests: a channel that was joined after it stays
/// joined (C-15).
struct LateSnapshotChecker {
    /// The channels joined over each connection, with the request number.
    private var joined: [ConnectionID: [String: UInt32]] = [:]
    /// The latest resync of each connection. Its answer also contains members, and is no join.
    private var resyncs: [ConnectionID: UInt32] = [:]

    /// - Parameter channels: the members of each channel after the input.
    mutating func observeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ channels: () -> [(channel: String, members: [String])],
        into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: (joined, resyncs) = ([:], [:])
        case .input(.linkClosed(let connection, _)): (joined[connection], resyncs[connection]) = (nil, nil)
        case .input(.frame(let connection, let frame)):
            switch frame.body {
            case .leave(let channel): joined[connection]?[channel] = nil
            case .resync: resyncs[connection] = frame.request
            case .settle:
                let later = (joined[connection] ?? [:]).filter { $0.value > frame.request }.keys.sorted()
                guard let user = trace.carried[connection]?.slot.user, !trace.over.contains(connection) else { return }
                let now = channels()
                for channel in later {
                    guard now.first(where: { $0.channel == channel })?.members.contains(user) != true else { continue }
                    violations.append(
                        Violation(.agreement, "C-15", "a late settlement undoes what came after it", channel))
                    joined[connection]?[channel] = nil
                }
            default: break
            }
        case .effect(.send(let connection, let frame)):
            guard case .joinAck(.ok, let channel, _) = frame.body, frame.request != 0,
                frame.request != resyncs[connection]
            else { return }
            joined[connection, default: [:]][channel] = frame.request
        default: break
        }
    }
}
