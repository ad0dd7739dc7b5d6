import IMLocalData
import IMProtocol
import SansIO

// The changes that users make to groups and to their threads. The server notifies every member. A new member receives
// all data of the group (ZIM-9, CHAT-8).

extension ServerMachine {
    /// Applies a change to the table of groups. The change comes from a client, the operator or a store. A new group is
    /// ignored if the server has ``groupsMax`` groups.
    ///
    /// - Returns: the change; if it adds or changes a member, with the member's position.
    @discardableResult
    mutating func note(_ change: LocalChange) -> LocalChange {
        switch change {
        case .group(let group) where groups[group.id] == nil && groups.count >= Self.groupsMax: change
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

    // MARK: Groups

    /// Changes a group. If it does not exist, it is created and `user` becomes its owner.
    private mutating func setGroup(
        _ group: LocalGroup, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard ProtocolLimit.isName(group.id) else { return .invalidArgument }
        guard let known = groups[group.id] else { return make(group, by: user, at: now, into: &effects) }
        guard let member = known.members[user], member.role != .member else { return .forbidden }
        // A thread always remains in its group. `refusal(of:before:isOwner:)` checks the users that the rules name.
        guard group.rules.parent == known.group.rules.parent else { return .invalidArgument }
        let refusal = refusal(of: group, before: known.group.rules) { known.members[$0]?.role == .owner }
        if let refusal { return refusal }
        note(.group(group))
        notify(Array(known.members.keys), .group(group), at: now, into: &effects)
        // A newly blocked member is removed from the group.
        for blocked in group.rules.blocked where known.members[blocked] != nil {
            removeMember(blocked, of: group.id, at: now, into: &effects)
        }
        return .ok
    }

    /// The reason why a group cannot have its new rules; nil if it can.
    private func refusal(of group: LocalGroup, before: GroupRules, isOwner: (String) -> Bool) -> Status? {
        let named = group.rules.blocked + group.rules.exempt
        guard named.count <= Self.groupMembersMax, LocalChange.group(group).record().rejectionReason == nil else {
            return .limitExceeded
        }
        let known = before.blocked + before.exempt
        guard named.allSatisfy({ accounts[$0] != nil || known.contains($0) }) else { return .notFound }
        return group.rules.blocked.contains(where: isOwner) ? .forbidden : nil
    }

    private mutating func make(
        _ group: LocalGroup, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard groups.count < Self.groupsMax else { return .limitExceeded }
        // Only a member of the group can create a thread, and a thread cannot contain a thread.
        if group.isThread {
            guard let parent = groups[group.rules.parent], !parent.group.isThread, parent.members[user] != nil else {
                return .notFound
            }
        }
        if let refusal = refusal(of: group, before: GroupRules(), isOwner: { $0 == user }) { return refusal }
        let owner = GroupMember(user: user, role: .owner)
        note(.group(group))
        let positioned = note(.member(group: group.id, owner))
        add(.group(group), to: user, at: now, into: &effects)
        add(positioned, to: user, at: now, into: &effects)
        return .ok
    }

    private mutating func dismiss(
        _ id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id] else { return .notFound }
        guard group.owner == user || isAdmin(user, ofParentOf: group.group) else { return .forbidden }
        for thread in groups.threads(of: id) + [id] {
            let members = groups[thread]?.members.keys ?? []
            groups.remove(thread)
            notify(Array(members), .groupRemoved(thread), at: now, into: &effects)
        }
        return .ok
    }

    private func isAdmin(_ user: String, ofParentOf group: LocalGroup) -> Bool {
        guard let member = groups[group.rules.parent]?.members[user] else { return false }
        return member.role != .member
    }

    // MARK: Members

    /// Adds a member, or changes the name or the rights of a member. A user may join; a member may add another user.
    private mutating func setMember(
        _ member: GroupMember, of id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id], accounts[member.user] != nil else { return .notFound }
        guard let before = group.members[member.user] else {
            guard member.user == user || group.members[user] != nil else { return .notFound }
            return addMember(
                GroupMember(user: member.user, nickname: member.nickname), into: id, at: now, into: &effects)
        }
        guard let own = group.members[user] else { return .notFound }
        // Each member changes their own data. Owner and admins change the rights of others.
        let changesRights = before.role != member.role || before.mutedUntil != member.mutedUntil
        let changesOwn = before.own != member.own
        guard own.role != .member || (member.user == user && !changesRights), !changesOwn || member.user == user,
            before.role != .owner || member.user == user,
            member.role == before.role || own.role == .owner
        else { return .forbidden }
        // A group has exactly one owner: the role is only transferred.
        let transfersOwnership = member.role == .owner && before.role != .owner
        guard before.role != .owner || member.role == .owner else { return .forbidden }
        var changed = [member]
        if transfersOwnership {
            changed[0].mutedUntil = 0
            var former = own
            (former.role, former.mutedUntil) = (.member, 0)
            changed.append(former)
        }
        for member in changed {
            notify(Array(group.members.keys), note(.member(group: id, member)), at: now, into: &effects)
        }
        return .ok
    }

    private mutating func addMember(
        _ member: GroupMember, into id: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let present = groups[id] else { return .notFound }
        guard present.members.count < Self.groupMembersMax else { return .limitExceeded }
        guard !present.group.rules.blocked.contains(member.user) else { return .forbidden }
        // A member of a thread must be a member of its group.
        guard !present.group.isThread || groups[present.group.rules.parent]?.members[member.user] != nil else {
            return .notFound
        }
        let positioned = note(.member(group: id, member))
        guard let group = groups[id] else { return .notFound }
        add(.group(group.group), to: member.user, at: now, into: &effects)
        for other in group.members.values where other.user != member.user {
            add(.member(group: id, other), to: member.user, at: now, into: &effects)
        }
        notify(Array(group.members.keys), positioned, at: now, into: &effects)
        return .ok
    }

    /// Removes a member. Members may leave; the owner and admins may remove others, except the owner.
    private mutating func remove(
        _ member: String, from id: String, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[id], let own = group.members[user], let removed = group.members[member] else {
            return .notFound
        }
        guard member == user || (own.role != .member && removed.role != .owner) else { return .forbidden }
        removeMember(member, of: id, at: now, into: &effects)
        return .ok
    }

    /// Removes a user from all groups, because the user's account is being removed.
    mutating func leaveGroups(_ user: String, at now: Instant, into effects: inout [ServerEffect]) {
        for id in groups.names(of: user) { removeMember(user, of: id, at: now, into: &effects) }
    }

    /// Removes a user from a group and its threads. If the owner leaves, the member who joined first becomes the owner.
    /// A group without members is removed.
    private mutating func removeMember(
        _ member: String, of id: String, at now: Instant, into effects: inout [ServerEffect]
    ) {
        for group in groups.threads(of: id) + [id] where groups[group]?.members[member] != nil {
            let change = LocalChange.memberRemoved(group: group, user: member)
            let wasOwner = groups[group]?.owner == member
            note(change)
            let remaining = groups[group]?.members.keys.elements ?? []
            notify(remaining, change, at: now, into: &effects)
            add(.groupRemoved(group), to: member, at: now, into: &effects)
            guard var newOwner = remaining.first.flatMap({ groups[group]?.members[$0] }) else {
                groups.remove(group)
                continue
            }
            guard wasOwner else { continue }
            // Nobody else could end the mute of an owner.
            (newOwner.role, newOwner.mutedUntil) = (.owner, 0)
            note(.member(group: group, newOwner))
            notify(remaining, .member(group: group, newOwner), at: now, into: &effects)
        }
    }

    // MARK: Applications

    /// Sends a group application to the owner, the admins and the user who would join. If the application is accepted,
    /// that user becomes a member.
    private mutating func apply(
        _ requested: GroupApplication, by user: String, at now: Instant, into effects: inout [ServerEffect]
    ) -> Status {
        guard let group = groups[requested.group], accounts[requested.user] != nil else { return .notFound }
        var application = requested
        application.updateTime = wallClock(at: now)
        let deciders = group.members.values.filter { $0.role != .member }.map(\.user)
        if application.state == .waiting {
            guard group.members[application.user] == nil else { return .alreadyJoined }
            // A join application comes from the user who wants to join; an invitation comes from a member.
            let mayApply = application.kind == .join ? application.user == user : group.members[user] != nil
            guard mayApply, !group.group.rules.blocked.contains(application.user) else { return .forbidden }
        } else {
            let isDecider = application.kind == .join ? deciders.contains(user) : application.user == user
            guard isDecider else { return .forbidden }
            guard isWaiting(application, of: user) else { return .notFound }
        }
        notify(
            deciders.filter { $0 != application.user } + [application.user], .groupApplication(application), at: now,
            into: &effects)
        guard application.state == .accepted, group.members[application.user] == nil else { return .ok }
        return addMember(GroupMember(user: application.user), into: application.group, at: now, into: &effects)
    }

    /// True if the application exists and has not been answered yet.
    private func isWaiting(_ requested: GroupApplication, of user: String) -> Bool {
        let record = accounts[user]?.feed.last(like: LocalChange.groupApplication(requested).record())
        guard case .groupApplication(let known)? = record.flatMap(LocalChange.init) else { return false }
        return known.state == .waiting && known.kind == requested.kind
    }
}
