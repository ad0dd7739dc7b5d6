import IMLocalData
import IMProtocol
import OrderedCollections
import SansIO

// What users say of themselves, such as their names, and whose data has it: of friends, of members of the same groups and
// of everybody with whom something was said (ZIM-9).

extension ServerMachine {
    /// What a user has said of themselves; nil where that is nothing.
    private func profile(of user: String) -> LocalUser? {
        guard let feed = accounts[user]?.feed else { return nil }
        // Made-up data begins with its owner.
        let said =
            feed.user(user).flatMap(LocalChange.init) ?? feed.population?.changes(in: 0..<1, owner: user).first
        guard case .user(let own)? = said, own.id == user else { return nil }
        return own
    }

    /// A user says something of themselves: it goes to the user's own devices and to everybody who knows the user.
    mutating func setProfile(_ own: LocalUser, at now: Instant, into effects: inout [ServerEffect]) {
        tell(acquaintances(of: own.id) + [own.id], .user(own), at: now, into: &effects)
    }

    /// A login can bring a new name (ZIMLoginConfig.userName).
    mutating func rename(_ user: String, to name: String, at now: Instant, into effects: inout [ServerEffect]) {
        var own = profile(of: user) ?? LocalUser(id: user)
        guard policy.hasUserData, own.name != name else { return }
        own.name = name
        setProfile(own, at: now, into: &effects)
    }

    /// Those who can see what a user is called: friends, partners of conversations and calls, members of the same groups,
    /// and everybody else whose data has something of the user.
    private func acquaintances(of user: String) -> [String] {
        var names: OrderedSet<String> = []
        for change in accounts[user]?.feed.changes ?? [] { names.formUnion(change.usersNamed) }
        for group in groups.names(of: user) { names.formUnion(groups[group]?.members.keys ?? []) }
        for other in accounts.keys where accounts[other]?.feed.user(user) != nil { names.append(other) }
        names.remove(user)
        return Array(names)
    }

    /// Puts what other users said of themselves into the data of a user who is about to hear of them, or who asked.
    ///
    /// - Parameter isAsked: whether also of those who said nothing it is to be known that they are there.
    mutating func introduce(
        _ names: [String], to user: String, isAsked: Bool = false, at now: Instant, into effects: inout [ServerEffect]
    ) {
        guard policy.hasUserData, accounts[user] != nil else { return }
        for name in OrderedSet(names) where name != user && accounts[name] != nil {
            guard let profile = profile(of: name) ?? (isAsked ? LocalUser(id: name) : nil) else { continue }
            let change = LocalChange.user(profile)
            guard accounts[user]?.feed.user(name).flatMap(LocalChange.init) != change else { continue }
            add(change, to: user, at: now, into: &effects)
        }
    }

    /// What is known of users, for one who asks the server for it.
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
    /// What the data has of a user; nil where that is nothing.
    fileprivate func user(_ name: String) -> ChangeRecord? {
        last { record in
            record.kind == .user && record.fields.contains { $0.name == "userID" && $0.value == name }
        }
    }
}

extension ChangeRecord {
    /// The users whose names an app shows with the change.
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
