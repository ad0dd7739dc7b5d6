import IMProtocol
import IMServer
import IMSession

/// What was asked for after a settlement is not undone by it, however late it comes: who has joined a channel since stays
/// in it (C-15).
struct SettledOracle {
    /// The channels that were joined over each connection, with the number of the request.
    private var joined: [ConnectionID: [String: UInt32]] = [:]
    /// The latest resync of each connection. Its answer names members too, and joins nobody.
    private var resyncs: [ConnectionID: UInt32] = [:]

    /// - Parameter channels: who is in which channel, behind all that the input has brought.
    mutating func seeServer(
        _ event: SessionEvent, _ trace: ServerTrace, _ channels: () -> [(channel: String, members: [String])],
        into faults: inout [Violation]
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
                guard let user = trace.carried[connection]?.place.user, !trace.over.contains(connection) else { return }
                let now = channels()
                for channel in later {
                    guard now.first(where: { $0.channel == channel })?.members.contains(user) != true else { continue }
                    faults.append(
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
