import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// Users see the same shared data: the members of a group with their roles, and who are friends. Only devices that have
/// received everything are compared. Each group has one owner (ZIM-9).
struct DataAgreementChecker {
    /// True if such data was modified.
    private(set) var isTouched = false
    /// Users whose data was made up by the operator, or whose account was deleted.
    private var madeUp: Set<String> = []

    mutating func observeServer(_ event: SessionEvent) {
        switch event.content {
        case .input(.frame(_, let frame)): if case .change = frame.body { isTouched = true }
        case .input(.serverCommand(_, .deleteAccount(let user))),
            .input(.serverCommand(_, .putChange(let user, _))),
            .input(.serverCommand(_, .populateData(let user, _))):
            madeUp.insert(user)
        default: break
        }
    }

    /// A device that has received everything.
    struct Device {
        var name: String
        var user: String
        var database: UserDatabase
    }

    /// The data that one device shows.
    private struct View {
        var name: String
        var user: String
        /// The role of each member, by group and user.
        var groups: [String: [String: String]] = [:]
        var friends: Set<String> = []
        var blocked: Set<String> = []

        init(_ device: Device) {
            name = device.name
            user = device.user
            var database = device.database
            let all = [("count", String(LocalCall.pageMax))]
            for group in database.answer(LocalRequest(.queryGroupList)).rows {
                guard let id = group["groupID"] else { continue }
                let members = database.answer(LocalRequest(.queryGroupMemberList, [("groupID", id)] + all)).rows
                let roles = members.map { ($0["userID"] ?? "", $0["memberRole"] ?? "") }
                groups[id] = Dictionary(roles) { $1 }
            }
            friends = Set(database.answer(LocalRequest(.queryFriendList, all)).rows.compactMap { $0["userID"] })
            blocked = Set(database.answer(LocalRequest(.queryBlacklist, all)).rows.compactMap { $0["userID"] })
        }
    }

    func violations(_ devices: [Device]) -> [Violation] {
        let views = devices.filter { !madeUp.contains($0.user) }.map(View.init)
        var violations: [Violation] = []
        for view in views {
            for group in view.groups.keys.sorted() {
                let members = view.groups[group] ?? [:]
                let owners = members.count { $0.value == GroupMember.Role.owner.name }
                if owners != 1 {
                    violations.append(Self.violation(view, "a group has not one owner", "\(group): \(owners)"))
                }
                if members[view.user] == nil {
                    violations.append(Self.violation(view, "in a group whose members one is not one of", group))
                }
            }
            for other in views where other.name != view.name { compare(view, other, into: &violations) }
        }
        return violations
    }

    private func compare(_ view: View, _ other: View, into violations: inout [Violation]) {
        for group in view.groups.keys.sorted() {
            let members = view.groups[group]
            if let theirs = other.groups[group], theirs != members {
                violations.append(Self.violation(view, "two members of a group see other members", group))
            } else if members?[other.user] != nil, other.groups[group] == nil {
                violations.append(
                    Self.violation(view, "a member of a group does not have it", "\(group): \(other.user)"))
            }
        }
        if view.user == other.user {
            if view.friends != other.friends || view.blocked != other.blocked {
                violations.append(Self.violation(view, "two devices of a user have other friends", view.user))
            }
        } else if view.friends.contains(other.user), !other.friends.contains(view.user) {
            violations.append(Self.violation(view, "somebody is a friend of who is none of theirs", other.user))
        }
    }

    private static func violation(_ view: View, _ kind: String, _ detail: String) -> Violation {
        var violation = Violation(.localData, "ZIM-9", kind, detail)
        violation.node = view.name
        return violation
    }
}
