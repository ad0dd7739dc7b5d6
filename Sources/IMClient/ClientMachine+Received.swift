import IMProtocol

// What has been told to the app, by the numbers that the server gave: what comes twice is told once, however much came
// between, and whoever made its id (C-14, S-20).

/// What the users of this device have received.
public struct ReceivedNumbers: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// What one user has received.
    public struct OfUser: Hashable, Sendable, Codable {
        /// Whose it is.
        public var user: String
        /// The server's numbers of it.
        public var numbers: Numbers

        /// Nothing received yet, where nobody says what.
        public init(user: String, numbers: Numbers = Numbers()) {
            self.user = user
            self.numbers = numbers
        }
    }

    /// Numbers that the server gave to what it sent.
    public struct Numbers: Hashable, Sendable, Codable {
        /// Of messages and operations together.
        public var messages = NumberRanges()
        /// Of the things of each phase of a sync.
        var phases: [OfPhase] = []

        /// Nothing received yet.
        public init() {}
    }

    struct OfPhase: Hashable, Sendable, Codable {
        var phase: SyncPhase
        var numbers = NumberRanges()
    }

    /// The one who was here last is the last.
    public private(set) var users: [OfUser]

    /// Nobody has received anything yet.
    public init() { users = [] }

    /// What a store has kept, the user who was here last at the end.
    public init(users: [OfUser]) { self.users = users }

    /// Whether this has not been received before; it counts as received from now on.
    mutating func take(_ number: UInt64, by user: String) -> Bool {
        let index = place(of: user)
        // What is too old to be known counts as new: better twice than never.
        return users[index].numbers.messages.take(number, rangesMax: ClientMachine.gapsMax) != .taken
    }

    /// The same of a thing that a sync brings.
    mutating func take(_ number: UInt64, of phase: SyncPhase, by user: String) -> Bool {
        let index = place(of: user)
        var phases = users[index].numbers.phases
        let place = phases.firstIndex { $0.phase == phase } ?? phases.count
        if place == phases.count { phases.append(OfPhase(phase: phase)) }
        let isNew = phases[place].numbers.take(number, rangesMax: ClientMachine.gapsMax) != .taken
        users[index].numbers.phases = phases
        return isNew
    }

    private mutating func place(of user: String) -> Int {
        if users.last?.user != user {
            let index = users.firstIndex { $0.user == user }
            users.append(index.map { users.remove(at: $0) } ?? OfUser(user: user))
            if users.count > ClientMachine.receivingUsersMax { users.removeFirst() }
        }
        return users.count - 1
    }
}

extension ClientMachine {
    /// Runs of numbers remembered, for messages that did not arrive where later ones did: more than an inbox holds.
    static let gapsMax = 2000
    /// Users of whom it is remembered what they received.
    static let receivingUsersMax = 8

    /// Whether the app has not been told of this yet; it counts as told from now on, in the next process too. What has
    /// no number is told as it comes.
    mutating func isNews(_ number: UInt64, into effects: inout [ClientEffect]) -> Bool {
        guard let user, number != 0 else { return true }
        guard local.received.take(number, by: user) else { return false }
        effects.append(.persist(local))
        return true
    }

    /// The same for a thing that a sync brings; nil where it has no number.
    mutating func isNews(_ item: SyncItem, of phase: SyncPhase) -> Bool? {
        guard let user, item.number != 0 else { return nil }
        return local.received.take(item.number, of: phase, by: user)
    }
}
