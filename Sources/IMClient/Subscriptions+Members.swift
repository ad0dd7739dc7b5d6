import IMProtocol

// The members of a channel. The app gets the list of members with the answer to its join, and later changes by the
// callbacks memberJoined and memberLeft. If a change was lost, or happened while the client was offline, the client
// detects it by comparing the server's next list with the last one (RTM-4, C-15).

/// The members of a channel that the app has been notified of.
struct ChannelMembers: Hashable, Sendable, Codable {
    var channel: String
    /// The members in the order of joining.
    var users: [String]
}

extension Subscriptions {
    /// Stores the members of a channel, after the app has been notified of them.
    mutating func setMembers(_ users: [String], in channel: String) {
        members.removeAll { $0.channel == channel }
        members.append(ChannelMembers(channel: channel, users: users))
    }

    /// Handles the server's list of all members of a channel. Notifies the app of each difference to the stored
    /// members.
    ///
    /// - Parameter user: the user of this client, whose own membership is not reported.
    mutating func membersListed(
        _ users: [String], in channel: String, to user: String, into effects: inout [ClientEffect]
    ) {
        guard channels.contains(channel) else { return }
        let known = members.first { $0.channel == channel }?.users
        setMembers(users, in: channel)
        // Recordings of older versions do not contain the members, so there is nothing to compare with.
        guard let known else { return }
        let (before, after) = (Set(known), Set(users))
        for member in known where member != user && !after.contains(member) {
            effects.append(.notify(.memberChanged(channel: channel, user: member, joined: false)))
        }
        for member in users where member != user && !before.contains(member) {
            effects.append(.notify(.memberChanged(channel: channel, user: member, joined: true)))
        }
    }

    /// Handles the server's notice that a member has joined or left. Notifies the app, unless the stored members
    /// already contain the change.
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
