import IMData
import IMProtocol
import SansIO

// What users do to groups. Every member is told; who joins is told everything (ZIM-9).

extension ServerMachine {
    /// What a change says of groups, wherever it comes from.
    mutating func note(_ change: LocalChange) {
        switch change {
        case .group(let group) where groups[group.id] == nil && groups.count >= Self.groupsMax: break
        default: groups.note(change)
        }
    }

    mutating func changeGroup(
        _ change: LocalChange, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        switch change {
        case .group(let group): setGroup(group, by: user, at: now, into: &effects)
        case .groupRemoved(let id): dismiss(id, by: user, at: now, into: &effects)
        case .member(let id, let member): setMember(member, of: id, by: user, at: now, into: &effects)
        case .memberRemoved(let id, let member): remove(member, from: id, by: user, at: now, into: &effects)
        case .groupApplication(let application): apply(application, by: user, at: now, into: &effects)
        default: .invalidArgument
        }
    }

    /// A group that is not there is made, with its maker as its owner.
    private mutating func setGroup(
        _ group: LocalGroup, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard ProtocolLimit.isName(group.id) else { return .invalidArgument }
        guard let known = groups[group.id] else {
            guard groups.count < Self.groupsMax else { return .limitExceeded }
            let owner = GroupMember(user: user, role: .owner)
            note(.group(group))
            note(.member(group: group.id, owner))
            add(.group(group), to: user, at: now, into: &effects)
            add(.member(group: group.id, owner), to: user, at: now, into: &effects)
            return .ok
        }
        guard let member = known.members[user], member.role != .member else { return .forbidden }
        note(.group(group))
        tell(Array(known.members.keys), .group(group), at: now, into: &effects)
        return .ok
    }

    private mutating func dismiss(
        _ id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id] else { return .notFound }
        guard group.owner == user else { return .forbidden }
        groups.remove(id)
        tell(Array(group.members.keys), .groupRemoved(id), at: now, into: &effects)
        return .ok
    }

    /// A member brings somebody in, or changes what somebody is called or may do.
    private mutating func setMember(
        _ member: GroupMember, of id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id], let own = group.members[user] else { return .notFound }
        guard accounts[member.user] != nil else { return .notFound }
        guard let before = group.members[member.user] else {
            guard group.members.count < Self.groupMembersMax else { return .limitExceeded }
            return bring(GroupMember(user: member.user, nickname: member.nickname), into: id, at: now, into: &effects)
        }
        // Of oneself only the nickname; of others what owner and admins may.
        let changesRights = before.role != member.role || before.mutedUntil != member.mutedUntil
        guard own.role != .member || (member.user == user && !changesRights),
            member.role != .owner || own.role == .owner
        else { return .forbidden }
        note(.member(group: id, member))
        tell(Array(group.members.keys), .member(group: id, member), at: now, into: &effects)
        return .ok
    }

    private mutating func bring(
        _ member: GroupMember, into id: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        note(.member(group: id, member))
        guard let group = groups[id] else { return .notFound }
        add(.group(group.group), to: member.user, at: now, into: &effects)
        for other in group.members.values where other.user != member.user {
            add(.member(group: id, other), to: member.user, at: now, into: &effects)
        }
        tell(Array(group.members.keys), .member(group: id, member), at: now, into: &effects)
        return .ok
    }

    /// A member leaves, or is put out by owner or admin.
    private mutating func remove(
        _ member: String, from id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id], let own = group.members[user], let gone = group.members[member] else {
            return .notFound
        }
        guard member == user || (own.role != .member && gone.role != .owner) else { return .forbidden }
        note(.memberRemoved(group: id, user: member))
        let change = LocalChange.memberRemoved(group: id, user: member)
        tell(group.members.keys.filter { $0 != member }, change, at: now, into: &effects)
        add(.groupRemoved(id), to: member, at: now, into: &effects)
        return .ok
    }

    /// An application goes to the owner and to the one who is to be in the group; one that is accepted brings them in.
    private mutating func apply(
        _ asked: GroupApplication, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[asked.group], accounts[asked.user] != nil else { return .notFound }
        var application = asked
        application.updateTime = wallClock(at: now)
        let deciders = group.members.values.filter { $0.role != .member }.map(\.user)
        let isDecider = application.kind == .join ? deciders.contains(user) : application.user == user
        guard application.state == .waiting || isDecider else { return .forbidden }
        tell(
            deciders.filter { $0 != application.user } + [application.user], .groupApplication(application), at: now,
            into: &effects)
        guard application.state == .accepted, group.members[application.user] == nil else { return .ok }
        return bring(GroupMember(user: application.user), into: application.group, at: now, into: &effects)
    }
}
