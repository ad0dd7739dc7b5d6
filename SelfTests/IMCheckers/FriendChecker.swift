import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// Checks friends and block lists against the granted requests. A friendship holds for both users, also one from an
/// application (ZIM-9).
struct FriendChecker {
    private struct Pair: Hashable {
        var one: String
        var other: String
    }

    /// True if the one is a friend of the other, or blocks the other, as far as it was observed.
    private var friends: [Pair: Bool] = [:]
    private var blocked: [Pair: Bool] = [:]
    private var granted = GrantedChanges()
    private var checkedClients = CheckedClients()

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))), .input(.serverCommand(_, .putChange(let user, _))),
            .input(.serverCommand(_, .populateData(let user, _))):
            forget(user)
        default: break
        }
        guard let (user, change) = granted.next(event, trace) else { return }
        switch change {
        case .friend(let friend): befriend(user, friend.user, true)
        case .friendRemoved(let other): befriend(user, other, false)
        case .friendApplication(let application):
            if application.state == .accepted { befriend(user, application.user, true) }
        case .blacklisted(let other, let isOn): blocked[Pair(one: user, other: other)] = isOn
        default: return
        }
        checkedClients.change()
    }

    private mutating func befriend(_ one: String, _ other: String, _ isSo: Bool) {
        friends[Pair(one: one, other: other)] = isSo
        friends[Pair(one: other, other: one)] = isSo
    }

    private mutating func forget(_ user: String) {
        checkedClients.change()
        friends = friends.filter { $0.key.one != user && $0.key.other != user }
        blocked = blocked.filter { $0.key.one != user && $0.key.other != user }
    }

    func needsCheck(for name: String) -> Bool { checkedClients.needsCheck(for: name) }

    /// Call it if a device is online and has received everything.
    mutating func violation(_ device: DataAgreementChecker.Device) -> Violation? {
        guard needsCheck(for: device.name) else { return nil }
        checkedClients.markChecked(at: device.name)
        var database = device.database
        let all = [("count", String(LocalCall.pageMax))]
        func names(_ call: LocalCall) -> Set<String> {
            Set(database.answer(LocalRequest(call, all)).rows.compactMap { $0["userID"] })
        }
        let (shownFriends, shownShutOut) = (names(.queryFriendList), names(.queryBlacklist))
        for (known, shown, word) in [(friends, shownFriends, "a friend"), (blocked, shownShutOut, "shut out")] {
            for (pair, isSo) in known.sorted(by: { $0.key.other < $1.key.other }) where pair.one == device.user {
                guard shown.contains(pair.other) != isSo else { continue }
                let detail = "\(pair.other) is \(isSo ? "" : "not ")\(word) of \(device.user)"
                return Violation(.localData, "ZIM-9", "a device shows other friends than were made", detail)
            }
        }
        return nil
    }
}
