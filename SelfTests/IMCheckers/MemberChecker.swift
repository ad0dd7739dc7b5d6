import IMClient
import IMProtocol
import IMServer
import IMSession

/// The members of joined channels, from the answer to the join and from later notifications of the app (RTM-4). The SDK
/// also reports changes whose frame was lost or that happened while the client was disconnected (C-15).
struct MemberChecker: Checker {
    private var joining: [CommandID: String] = [:]
    private var notifiedMembers: [String: Set<String>] = [:]

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = MemberChecker()
        case .effect(.transition(let change)) where change.to.isOver: self = MemberChecker()
        case .input(.clientCommand(let id, .join(let channel))): joining[id] = channel
        case .input(.clientCommand(_, .leave(let channel))): notifiedMembers[channel] = nil
        case .effect(.complete(let id, let completion)):
            guard let channel = joining.removeValue(forKey: id), completion.status == .ok else { return }
            let names = completion.rows.compactMap { $0["member"] }
            notifiedMembers[channel] = Set(names)
        case .effect(.notify(.memberChanged(let channel, let user, let joined))):
            if let users = notifiedMembers[channel], users.contains(user) == joined {
                let kind =
                    joined
                    ? "the app is notified of the arrival of a user who is a member"
                    : "the app is notified of the departure of a user who is no member"
                violations.add(.presence, "RTM-4", kind, "\(user) in \(channel)")
            }
            if joined { notifiedMembers[channel]?.insert(user) } else { notifiedMembers[channel]?.remove(user) }
        default: break
        }
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard machine.state == .online else { return [] }
        let members = server.channelMembers
        return machine.joinedChannels.compactMap { channel in
            guard let notifiedMembers = notifiedMembers[channel]?.sorted() else { return nil }
            let serverMembers = members.first { $0.channel == channel }?.members.sorted() ?? []
            guard notifiedMembers != serverMembers else { return nil }
            let detail = "\(channel): \(notifiedMembers), the server has \(serverMembers)"
            return Violation(.agreement, "RTM-4", "the app was notified of other members", detail)
        }
    }
}
