import IMLocalData
import IMSession

/// Only a member with the required role changes a group. The checker compares the members after each request with the
/// roles before the request. A group has exactly one owner (CHAT-8, ZIM-9).
struct GroupRightsChecker: Checker {
    private typealias Group = (parent: String, members: [GroupMember])

    private var groups: [String: Group] = [:]

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop, .input(.serverCommand): groups = Self.groups(trace)
        case .input(.frame(let connection, let frame)):
            switch frame.body {
            case .change, .operation:
                let now = Self.groups(trace)
                if let user = trace.acceptedLogins[connection]?.slot.user { compare(now, by: user, into: &violations) }
                groups = now
            default: break
            }
        default: break
        }
    }

    private static func groups(_ trace: ServerTrace) -> [String: Group] {
        Dictionary(trace.groupMembers().map { ($0.group, ($0.parent, $0.members)) }) { $1 }
    }

    private func compare(_ now: [String: Group], by user: String, into violations: inout [Violation]) {
        for (id, group) in now.sorted(by: { $0.key < $1.key }) where !group.members.hasOneOwner {
            violations.add(.intent, "ZIM-9", "a group does not have exactly one owner", id)
        }
        for (id, old) in groups.sorted(by: { $0.key < $1.key }) {
            let members = now[id]?.members ?? []
            let isOwner = old.members.role(of: user) == .owner
            let isAdmin = (old.members + (groups[old.parent]?.members ?? [])).contains { $0.user == user && $0.isAdmin }
            // If the owner leaves, another member becomes the owner.
            let hasOwnerLeft = old.members.contains { $0.role == .owner && members.role(of: $0.user) == nil }
            for member in old.members {
                guard let new = members.first(where: { $0.user == member.user }) else {
                    // A user who leaves a group also leaves its threads.
                    let isOutOfParent = !old.parent.isEmpty && now[old.parent]?.members.role(of: member.user) == nil
                    let mayRemove = isAdmin && (member.role != .owner || now[id] == nil)
                    if member.user == user || mayRemove || isOutOfParent { continue }
                    note("a user without the right removes a member", id, member.user, by: user, into: &violations)
                    continue
                }
                if new.role != member.role, !isOwner, new.role != .owner || !hasOwnerLeft {
                    note("a user without the right changes a role", id, member.user, by: user, into: &violations)
                }
                if new.mutedUntil != member.mutedUntil, !isAdmin {
                    note("a user without the right mutes a member", id, member.user, by: user, into: &violations)
                }
            }
        }
    }

    private func note(
        _ kind: String, _ group: String, _ member: String, by user: String, into violations: inout [Violation]
    ) {
        violations.add(.intent, "CHAT-8", kind, "\(user) for \(member) in \(group)")
    }
}

extension GroupMember {
    fileprivate var isAdmin: Bool { role != .member }
}

extension [GroupMember] {
    fileprivate var hasOneOwner: Bool { count { $0.role == .owner } == 1 }

    fileprivate func role(of user: String) -> GroupMember.Role? { first { $0.user == user }?.role }
}
