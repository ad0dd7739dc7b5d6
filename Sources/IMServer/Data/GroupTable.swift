import IMLocalData
import OrderedCollections

/// The groups of a server with their members and properties. They follow from the changes in the members' data, and are
/// rebuilt from these after a restart.
struct GroupTable: Hashable, Sendable, Codable {
    struct Group: Hashable, Sendable, Codable {
        var group: LocalGroup
        /// In the order of joining.
        var members: OrderedDictionary<String, GroupMember> = [:]
        /// The position of the last member who joined. Optional, because an older version stored none.
        var lastPlace: UInt32?

        var owner: String? { members.values.first { $0.role == .owner }?.user }

        /// Adds or changes a member. Each member gets a unique position, in the order of joining, so that every device
        /// shows the members in the same order. A member who joins again gets a new position.
        mutating func set(_ member: GroupMember) -> GroupMember {
            var member = member
            if let known = members[member.user] {
                member.place = known.place
            } else if member.place == nil || members.values.contains(where: { $0.place == member.place }) {
                // A stored member may have the highest position there is.
                member.place = UInt32(clamping: Int64(lastPlace ?? UInt32(clamping: members.count)) + 1)
            }
            lastPlace = max(lastPlace ?? 0, member.place ?? 0)
            members[member.user] = member
            return member
        }

        /// True if a member may send a message now, milliseconds since 1970.
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

    /// The user's position in the joining order of the present members, in each group with more than one member.
    func places(of user: String) -> OrderedDictionary<String, Int> {
        groups.compactMapValues { $0.members.count > 1 ? $0.members.index(forKey: user) : nil }
    }

    /// Sorts the members of each group by these positions; members without one come last.
    mutating func order(by place: (_ group: String, _ user: String) -> Int?) {
        for id in groups.keys {
            guard let members = groups[id]?.members, members.count > 1 else { continue }
            let placed = members.values.enumerated().map { (place(id, $1.user) ?? .max, $0, $1) }
            groups[id]?.members = OrderedDictionary(
                uniqueKeysWithValues: placed.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { ($0.2.user, $0.2) })
        }
    }

    /// Records a change of groups.
    ///
    /// - Returns: the change, with the member's position.
    @discardableResult
    mutating func note(_ change: LocalChange) -> LocalChange {
        switch change {
        case .group(let group):
            if groups[group.id] == nil {
                groups[group.id] = Group(group: group)
            } else {
                groups[group.id]?.group = group
            }
        case .member(let id, let member):
            if let placed = groups[id]?.set(member) { return .member(group: id, placed) }
        case .memberRemoved(let id, let user): groups[id]?.members.removeValue(forKey: user)
        default: break
        }
        return change
    }

    mutating func remove(_ id: String) { groups.removeValue(forKey: id) }
}
