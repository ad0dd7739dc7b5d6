import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// Checks who is a member of a group or thread, who may send there, and who may change it, against the granted requests
/// (CHAT-8, ZIM-9). A group whose creation was not observed is not checked.
struct GroupChecker {
    /// A user's request about a group.
    private enum GroupAction {
        case make(GroupRules)
        case dismiss
        case addMember(String)
        case removeMember(String)
        case member(String, GroupMember.Role?, mutedUntil: Int64?)
        case block(Bool)
        case rules(GroupRules)
        case say
    }

    private struct GroupRequest {
        var connection: ConnectionID
        var user: String
        var group: String
        var action: GroupAction
        /// The id of the operation or message; empty if it has none.
        var id: String
    }

    private var groups: [String: KnownGroup] = [:]
    /// Groups that can no longer be checked.
    private var lost: Set<String> = []
    /// Dismissed groups and their threads.
    private var dismissed: Set<String> = []
    private var request: GroupRequest?
    /// Users whose requests the operator refuses for some time.
    private var refused: Set<String> = []
    /// The granted operations and messages. A repetition is granted whatever the present state is.
    private var granted: Set<String> = []
    /// Users whose account was deleted. Their devices keep data of an earlier account of the same name.
    private var removed: Set<String> = []
    private var checkedClients = CheckedClients()

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        switch event.content {
        case .input(let input):
            request = nil
            switch input {
            case .serverCommand(_, let command): noted(command)
            case .frame(let connection, let frame):
                guard let user = trace.carried[connection]?.slot.user, !trace.over.contains(connection) else { return }
                request = action(frame.body, of: user, on: connection)
            default: break
            }
        case .effect(.send(let connection, let frame)): sent(frame.body, to: connection, trace, into: &violations)
        default: break
        }
    }

    /// A deleted user leaves all groups. Data that the operator makes up is not modelled.
    private mutating func noted(_ command: ServerCommand) {
        switch command {
        case .setRefusal(let user, _): refused.insert(user)
        case .deleteAccount(let user):
            removed.insert(user)
            checkedClients.change()
            for name in groups.keys where groups[name]?.members[user] != nil { removeMember(user, of: name) }
        case .putChange(_, let change): lose(change.fields["groupID"] ?? "")
        default: break
        }
    }

    private mutating func lose(_ name: String) {
        groups[name] = nil
        lost.insert(name)
        dismissed.remove(name)
    }

    // MARK: Requests

    private mutating func action(_ body: FrameBody, of user: String, on connection: ConnectionID) -> GroupRequest? {
        func request(_ group: String, _ action: GroupAction, _ id: String = "") -> GroupRequest {
            GroupRequest(connection: connection, user: user, group: group, action: action, id: id)
        }
        switch body {
        case .operation(let operation):
            guard !granted.contains("\(user) \(operation.id)") else { return nil }
            return action(operation, of: user).map { request(operation.target, $0, operation.id) }
        case .change(let record):
            return action(record, of: user).map { request($0.group, $0.action, record.fields["messageID"] ?? "") }
        default: return nil
        }
    }

    private func action(_ operation: DeviceOperation, of user: String) -> GroupAction? {
        let (group, ext) = (operation.target, operation.ext)
        func rules(_ change: (inout GroupRules) -> Void) -> GroupAction? {
            guard var rules = groups[group]?.rules else { return nil }
            change(&rules)
            return .rules(rules)
        }
        switch operation.kind {
        case .groupCreate: return groups[group] == nil ? .make(GroupRules()) : nil
        case .threadCreate:
            var rules = GroupRules()
            rules.parent = ext
            return groups[group] == nil ? .make(rules) : nil
        case .groupDestroy, .threadDestroy: return .dismiss
        case .groupJoin, .threadJoin, .groupInviteAccept: return .addMember(user)
        case .groupApplyAccept: return .addMember(ext)
        case .groupLeave, .threadLeave: return .removeMember(user)
        case .groupKick, .threadKick: return .removeMember(ext)
        case .groupBan: return rules { if !$0.blocked.contains(ext) { $0.blocked.append(ext) } }
        case .groupAllow: return rules { $0.blocked.removeAll { $0 == ext } }
        case .groupAddWhiteList: return rules { if !$0.exempt.contains(ext) { $0.exempt.append(ext) } }
        case .groupRemoveWhiteList: return rules { $0.exempt.removeAll { $0 == ext } }
        case .groupAllBan: return rules { $0.isMuted = true }
        case .groupRemoveAllBan: return rules { $0.isMuted = false }
        case .groupBlock: return .block(true)
        case .groupUnblock: return .block(false)
        case .groupAssignOwner: return .member(ext, .owner, mutedUntil: nil)
        case .groupAddAdmin: return .member(ext, .admin, mutedUntil: nil)
        case .groupRemoveAdmin: return .member(ext, .member, mutedUntil: nil)
        case .groupAddMute: return .member(ext, nil, mutedUntil: -1)
        case .groupRemoveMute: return .member(ext, nil, mutedUntil: 0)
        default: return nil
        }
    }

    /// Fields that a change omits keep their values.
    private func action(_ record: ChangeRecord, of user: String) -> (group: String, action: GroupAction)? {
        let fields = record.fields
        let group = fields["groupID"] ?? ""
        switch LocalChange(record) {
        case .group(let request):
            guard let known = groups[group] else { return (group, .make(request.rules)) }
            var rules = known.rules
            if !request.rules.blocked.isEmpty { rules.blocked = request.rules.blocked }
            if !request.rules.exempt.isEmpty { rules.exempt = request.rules.exempt }
            if fields["isMuteAllMembers"] != nil { rules.isMuted = request.rules.isMuted }
            return (group, .rules(rules))
        case .groupRemoved: return (group, .dismiss)
        case .memberRemoved(_, let member): return (group, .removeMember(member))
        case .member(_, let member):
            let role = fields["memberRole"] == nil ? nil : member.role
            let until = fields["muteExpiredTime"] == nil ? nil : member.mutedUntil
            return (group, .member(member.user, role, mutedUntil: until))
        case .groupApplication(let application):
            return application.state == .accepted ? (group, .addMember(application.user)) : nil
        case .message(let message):
            guard message.conversation.kind == .group, !granted.contains("\(user) \(message.id)") else { return nil }
            return (message.conversation.id, .say)
        default: return nil
        }
    }

    // MARK: Granted requests

    private mutating func sent(
        _ body: FrameBody, to connection: ConnectionID, _ trace: ServerTrace, into violations: inout [Violation]
    ) {
        guard let request else { return }
        switch body {
        case .operationAck(let status), .changeAck(let status):
            guard request.connection == connection else { return }
            self.request = nil
            if status == .ok {
                checkedClients.change()
                if !request.id.isEmpty { granted.insert("\(request.user) \(request.id)") }
                grant(request, into: &violations)
            } else if let detail = isWronglyRefused(request, status) {
                violations.append(Violation(.agreement, "CHAT-8", "who may is refused in a group", detail))
            }
        case .changes(let page):
            guard case .say = request.action, page.changes.contains(where: { $0.fields["messageID"] == request.id }),
                let group = groups[request.group], let reader = trace.carried[connection]?.slot.user
            else { return }
            guard reader != request.user, group.members[reader]?.blocksMessages != false else { return }
            let detail = "\(reader), in \(request.group)"
            violations.append(
                Violation(.messages, "CHAT-8", "what is said in a group is told to who is not in it", detail))
        default: break
        }
    }

    func needsCheck(for name: String) -> Bool { checkedClients.needsCheck(for: name) }

    /// Call it if a device is online and has received everything.
    mutating func violation(_ device: DataAgreementChecker.Device) -> Violation? {
        guard needsCheck(for: device.name), !removed.contains(device.user) else { return nil }
        checkedClients.markChecked(at: device.name)
        var database = device.database
        for (id, group) in groups.sorted(by: { $0.key < $1.key }) {
            let request = [("groupID", id), ("count", String(LocalCall.pageMax))]
            let shown = database.answer(LocalRequest(.queryGroupMemberList, request)).rows.map { row in
                "\(row["userID"] ?? "") \(row["memberRole"] ?? "") \(row["muteExpiredTime"] ?? "")"
            }
            let isMember = group.members[device.user] != nil
            let known = group.members.map { "\($0.key) \($0.value.role.name) \($0.value.mutedUntil)" }
            guard shown.sorted() != (isMember ? known.sorted() : []) else { continue }
            let detail = "\(id): \(shown.sorted()), by what was granted \(known.sorted())"
            return Violation(.localData, "CHAT-8", "a device shows other members of a group than there are", detail)
        }
        return nil
    }

    private func isWronglyRefused(_ request: GroupRequest, _ status: Status) -> String? {
        guard !refused.contains(request.user), let group = groups[request.group],
            let member = group.members[request.user],
            status == .forbidden || status == .notFound
        else { return nil }
        let isRight =
            switch request.action {
            case .say: group.maySpeak(request.user) == true
            case .rules(let rules):
                member.role != .member && rules.blocked == group.rules.blocked && status == .forbidden
            default: false
            }
        return isRight ? "\(request.user) in \(request.group): \(status.name)" : nil
    }

    private mutating func grant(_ request: GroupRequest, into violations: inout [Violation]) {
        let (user, name) = (request.user, request.group)
        func violation(_ kind: String) {
            violations.append(Violation(.agreement, "CHAT-8", kind, "\(user), in \(name)"))
        }
        if case .make(let rules) = request.action {
            if let above = groups[rules.parent], above.members[user] == nil {
                violation("a thread is made by who is not in its group")
            }
            guard !lost.contains(name), rules.parent.isEmpty || groups[rules.parent] != nil else { return }
            if rules.blocked.contains(user) { violation("who is shut out makes a group") }
            groups[name] = KnownGroup(rules, owner: user)
            dismissed.remove(name)
            return
        }
        guard let group = groups[name] else {
            if dismissed.contains(name) { violation("something is granted in a group that was dismissed") }
            return
        }
        let own = group.members[user]
        let isLeader = own.map { $0.role != .member } ?? false
        switch request.action {
        case .make: break
        case .dismiss:
            let isLeaderAbove = groups[group.parent]?.members[user].map { $0.role != .member } ?? false
            if own?.role != .owner, !isLeaderAbove { violation("who may not dismisses a group") }
            let gone = groups.filter { $0.key == name || $0.value.parent == name }.keys
            dismissed.formUnion(gone)
            for group in gone { groups[group] = nil }
        case .addMember(let other): addMember(other, into: name, violation)
        case .removeMember(let other):
            guard group.members[other] != nil else { return violation("who is in no group is put out of it") }
            if other != user, !isLeader || group.members[other]?.role == .owner {
                violation("who may not puts somebody out of a group")
            }
            removeMember(other, of: name)
        case .member(let other, let role, let until):
            guard let before = group.members[other] else { return addMember(other, into: name, violation) }
            let (role, until) = (role ?? before.role, until ?? before.mutedUntil)
            guard before.role != role || before.mutedUntil != until else { return }
            if !isLeader || before.role == .owner && other != user || before.role != role && own?.role != .owner {
                violation("who may not changes what a member may")
            }
            groups[name]?.members[other]?.role = role
            groups[name]?.members[other]?.mutedUntil = until
            if role == .owner, before.role != .owner {
                groups[name]?.members[user] = own.map { KnownGroup.Member(joinNumber: $0.joinNumber) }
            }
        case .block(let isOn):
            guard own != nil else { return addMember(user, into: name, violation) }
            groups[name]?.members[user]?.blocksMessages = isOn
        case .rules(let rules):
            guard rules != group.rules else { return }
            if !isLeader { violation("who may not changes the rules of a group") }
            groups[name]?.rules = rules
            for blocked in rules.blocked where group.members[blocked] != nil { removeMember(blocked, of: name) }
        case .say:
            if group.maySpeak(user) == false { violation("who may not speaks in a group") }
        }
    }

    private mutating func addMember(_ user: String, into name: String, _ violation: (String) -> Void) {
        guard let group = groups[name], group.members[user] == nil else { return }
        if group.rules.blocked.contains(user) { violation("who is shut out comes into a group") }
        if let above = groups[group.parent], above.members[user] == nil {
            violation("who is not in a group comes into its thread")
        }
        groups[name]?.add(user)
    }

    /// A user who leaves a group also leaves its threads. If the owner leaves, the earliest member becomes the owner.
    private mutating func removeMember(_ user: String, of name: String) {
        for (thread, group) in groups where thread == name || group.parent == name {
            groups[thread]?.remove(user)
            if groups[thread]?.members.isEmpty == true { groups[thread] = nil }
        }
    }
}

/// A group according to its members' granted requests.
private struct KnownGroup {
    struct Member {
        var role = GroupMember.Role.member
        /// -1 for forever, 0 for not muted.
        var mutedUntil: Int64 = 0
        var blocksMessages = false
        /// The member's number in the order of joining.
        var joinNumber: Int
    }

    var members: [String: Member]
    var rules: GroupRules
    private var joinCount = 1

    /// The group of a thread; empty if this is no thread.
    var parent: String { rules.parent }

    init(_ rules: GroupRules, owner: String) {
        self.rules = rules
        members = [owner: Member(role: .owner, joinNumber: 0)]
    }

    mutating func add(_ user: String) {
        members[user] = Member(joinNumber: joinCount)
        joinCount += 1
    }

    mutating func remove(_ user: String) {
        guard let gone = members.removeValue(forKey: user), gone.role == .owner,
            let heir = members.min(by: { $0.value.joinNumber < $1.value.joinNumber })?.key
        else { return }
        members[heir]?.role = .owner
    }

    /// Nil if it depends on the time.
    func maySpeak(_ user: String) -> Bool? {
        guard let member = members[user] else { return false }
        guard member.mutedUntil <= 0 else { return nil }
        return member.mutedUntil == 0 && (!rules.isMuted || member.role != .member || rules.exempt.contains(user))
    }
}
