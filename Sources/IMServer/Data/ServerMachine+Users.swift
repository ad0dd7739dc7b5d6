import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// The profiles that users set, such as their names. A new profile goes to all users whose data contains its user:
// friends, members of the same groups, and everybody with whom the user exchanged messages (ZIM-9).

extension ServerMachine {
    /// The profile that a user has set; nil if there is none.
    private func profile(of user: String) -> LocalUser? {
        guard let feed = accounts[user]?.feed else { return nil }
        // The first change of generated data is the profile of its owner.
        let change =
            feed.user(user).flatMap(LocalChange.init) ?? feed.population?.changes(in: 0..<1, owner: user).first
        guard case .user(let own)? = change, own.id == user else { return nil }
        return own
    }

    /// Sets a user's profile, and sends it to the devices of the user and of all acquaintances.
    mutating func setProfile(_ own: LocalUser, at now: Instant, into effects: inout [ServerEffect]) {
        notify(acquaintances(of: own.id) + [own.id], .user(own), at: now, into: &effects)
    }

    /// Sets the name that a login contains (ZIMLoginConfig.userName).
    mutating func rename(_ user: String, to name: String, at now: Instant, into effects: inout [ServerEffect]) {
        var own = profile(of: user) ?? LocalUser(id: user)
        guard policy.hasUserData, own.name != name else { return }
        own.name = name
        setProfile(own, at: now, into: &effects)
    }

    /// The users who can see a user's name: friends, partners of conversations and calls, members of the same groups,
    /// and everybody else whose data contains the user.
    private func acquaintances(of user: String) -> [String] {
        var names: OrderedSet<String> = []
        for change in accounts[user]?.feed.changes ?? [] { names.formUnion(change.usersNamed) }
        for group in groups.names(of: user) { names.formUnion(groups[group]?.members.keys ?? []) }
        for other in accounts.keys where accounts[other]?.feed.user(user) != nil { names.append(other) }
        names.remove(user)
        return Array(names)
    }

    /// Adds the profiles of other users to the data of a user, who requested them or will receive changes about them.
    ///
    /// - Parameter addsUnset: true if users without a profile are added too, to show that they exist.
    mutating func addProfiles(
        _ names: [String], to user: String, addsUnset: Bool = false, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.hasUserData, accounts[user] != nil else { return }
        for name in OrderedSet(names) where name != user && accounts[name] != nil {
            guard let profile = profile(of: name) ?? (addsUnset ? LocalUser(id: name) : nil) else { continue }
            let change = LocalChange.user(profile)
            guard accounts[user]?.feed.user(name).flatMap(LocalChange.init) != change else { continue }
            add(change, to: user, at: now, into: &effects)
        }
    }

    /// Answers a request for the profiles of users: one row for each name, in the same order.
    func rows(ofUsers names: [String], for user: String) -> (Status, [AnswerRow]) {
        guard policy.hasUserData else { return (.unsupported, []) }
        guard names.count <= LocalCall.identifiersMax else { return (.invalidArgument, []) }
        let rows = AnswerRows(owner: user)
        return (
            .ok,
            names.map { name in
                guard accounts[name] != nil else { return rows.error(ofUser: name) }
                return AnswerRow(rows.row(profile(of: name) ?? LocalUser(id: name)))
            }
        )
    }
}

extension ChangeFeed {
    /// The latest stored profile of a user; nil if there is none.
    fileprivate func user(_ name: String) -> ChangeRecord? { last(.user, with: "userID", name) }
}

extension ChangeRecord {
    /// The users that an app shows by name together with the change.
    var usersNamed: [String] {
        switch kind {
        case .friend, .friendApplication, .blacklist, .member, .groupApplication:
            values(of: ["userID"])
        case .call: values(of: ["caller", "inviter", "userID"])
        case .message, .conversation:
            values(of: ["senderUserID"])
                + (fields.contains { $0.value == ConversationID.Kind.group.name && $0.name == "conversationType" }
                    ? [] : values(of: ["conversationID"]))
        case .user, .friendRemoved, .group, .groupRemoved, .memberRemoved, .messageRevoked, .messageRemoved,
            .conversationRemoved, .conversationEmptied, .read, .conversationRead, .delivered, .reaction,
            .readElsewhere, .downloaded:
            []
        }
    }

    private func values(of names: [String]) -> [String] {
        fields.filter { names.contains($0.name) && !$0.value.isEmpty }.map(\.value)
    }
}
