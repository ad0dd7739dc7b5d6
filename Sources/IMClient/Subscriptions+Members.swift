import IMProtocol

// The members of a channel. The app receives them with the answer to its join, and every later change by memberJoined
// and memberLeft. A change that got lost, or that happened while the client was away, is found by comparing (RTM-4,
// C-15).

/// The members of a channel, as the app was notified of them.
struct ChannelMembers: Hashable, Sendable, Codable {
    var channel: String
    /// In the order of joining.
    var users: [String]
}

extension Subscriptions {
    /// Stores the members of a channel that the app has received.
    mutating func setMembers(_ users: [String], in channel: String) {
        members.removeAll { $0.channel == channel }
        members.append(ChannelMembers(channel: channel, users: users))
    }

    /// The server has listed all members of a channel. The app gets the missing memberLeft and memberJoined.
    mutating func membersListed(
        _ users: [String], in channel: String, to user: String, into effects: inout [ClientEffect]
    ) {
        guard channels.contains(channel) else { return }
        let known = members.first { $0.channel == channel }?.users
        setMembers(users, in: channel)
        // States of older versions do not contain the members.
        guard let known else { return }
        let (before, after) = (Set(known), Set(users))
        for gone in known where gone != user && !after.contains(gone) {
            effects.append(.notify(.memberChanged(channel: channel, user: gone, joined: false)))
        }
        for new in users where new != user && !before.contains(new) {
            effects.append(.notify(.memberChanged(channel: channel, user: new, joined: true)))
        }
    }

    /// A member has joined or left. The app is notified unless it was before.
    mutating func memberChanged(
        _ user: String, in channel: String, joined: Bool, into effects: inout [ClientEffect]
    ) {
        guard channels.contains(channel) else { return }
        if let index = members.firstIndex(where: { $0.channel == channel }) {
            guard members[index].users.contains(user) != joined else { return }
            if joined {
                members[index].users.append(user)
            } else {
                members[index].users.removeAll { $0 == user }
            }
        }
        effects.append(.notify(.memberChanged(channel: channel, user: user, joined: joined)))
    }
}
