import IMLocalData
import OrderedCollections

/// The groups of a server with their members and properties. A store does not keep this table: after a restart it is
/// rebuilt from the changes in the data of the members.
struct GroupTable: Hashable, Sendable, Codable {
    struct Group: Hashable, Sendable, Codable {
        var group: LocalGroup
        /// The members by user, in the order in which they joined.
        var members: OrderedDictionary<String, GroupMember> = [:]
        /// The position of the member who joined last. Optional, because older versions did not store it.
        var lastPlace: UInt32?

        var owner: String? { members.values.first { $0.role == .owner }?.user }

        /// Adds or changes a member. Each member gets a unique position in the order of joining, so that every device
        /// lists the members in the same order. A user who leaves and joins again gets a new position.
        mutating func set(_ member: GroupMember) -> GroupMember {
            var member = member
            if let current = members[member.user] {
                member.place = current.place
            } else if member.place == nil || members.values.contains(where: { $0.place == member.place }) {
                // Clamped, because the position in a stored member may already be the maximum.
                member.place = UInt32(clamping: Int64(lastPlace ?? UInt32(clamping: members.count)) + 1)
            }
            lastPlace = max(lastPlace ?? 0, member.place ?? 0)
            members[member.user] = member
            return member
        }

        /// True if a member may send messages at a time, in milliseconds since 1970.
        func maySpeak(_ member: GroupMember, at milliseconds: Int64) -> Bool {
            guard !member.isMuted(at: milliseconds) else { return false }
            return !group.rules.isMuted || member.role != .member || group.rules.exempt.contains(member.user)
        }
    }

    private(set) var groups: OrderedDictionary<String, Group> = [:]

    init() {}

    var count: Int { groups.count }

    subscript(id: String) -> Group? { groups[id] }

    /// The threads of a group, in the order of creation (CHAT-8).
    func threads(of id: String) -> [String] { groups.values.filter { $0.group.rules.parent == id }.map(\.group.id) }

    /// The groups of a user, in the order of creation.
    func names(of user: String) -> [String] { groups.values.filter { $0.members[user] != nil }.map(\.group.id) }

    /// The position of the user in the joining order of the present members, for each group with other members.
    func positions(of user: String) -> OrderedDictionary<String, Int> {
        groups.compactMapValues { $0.members.count > 1 ? $0.members.index(forKey: user) : nil }
    }

    /// Sorts the members of each group by the results of `position`. Members without a position come last.
    mutating func sortMembers(by position: (_ group: String, _ user: String) -> Int?) {
        for id in groups.keys {
            guard let members = groups[id]?.members, members.count > 1 else { continue }
            let positioned = members.values.enumerated().map { (position(id, $1.user) ?? .max, $0, $1) }
            groups[id]?.members = OrderedDictionary(
                uniqueKeysWithValues: positioned.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { ($0.2.user, $0.2) })
        }
    }

    /// Applies a change of a group or a member to the table. Other changes have no effect.
    ///
    /// - Returns: the change; if it adds or changes a member, with the member's position.
    @discardableResult
    mutating func note(_ change: LocalChange) -> LocalChange {
        switch change {
        case .group(let group): groups[group.id, default: Group(group: group)].group = group
        case .member(let id, let member):
            if let positioned = groups[id]?.set(member) { return .member(group: id, positioned) }
        case .memberRemoved(let id, let user): groups[id]?.members.removeValue(forKey: user)
        default: break
        }
        return change
    }

    mutating func remove(_ id: String) { groups.removeValue(forKey: id) }
}
