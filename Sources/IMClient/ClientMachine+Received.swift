import IMProtocol

// The messages that were delivered to the app, by the server's numbers. A repeated one is delivered once, however many
// came in between, and whichever client made its id (C-14, S-20).

/// The numbers received by the users of this device.
public struct ReceivedNumbers: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The numbers received by one user.
    public struct OfUser: Hashable, Sendable, Codable {
        /// The user.
        public var user: String
        /// The server's numbers.
        public var numbers: Numbers

        /// The default value: no numbers yet.
        public init(user: String, numbers: Numbers = Numbers()) {
            self.user = user
            self.numbers = numbers
        }
    }

    /// Numbers that the server gave to the frames it sent.
    public struct Numbers: Hashable, Sendable, Codable {
        /// The maximum number of messages and operations together.
        public var messages = NumberRanges()
        /// The maximum number of items of each phase of a sync.
        var phases: [OfPhase] = []

        /// No numbers yet.
        public init() {}
    }

    struct OfPhase: Hashable, Sendable, Codable {
        var phase: SyncPhase
        var numbers = NumberRanges()
    }

    /// The most recent user is the last.
    public private(set) var users: [OfUser]

    /// No users yet.
    public init() { users = [] }

    /// The stored numbers, the most recent user at the end.
    public init(users: [OfUser]) { self.users = users }

    /// True if the number has not been received before; it counts as received from now on.
    mutating func take(_ number: UInt64, by user: String) -> Bool {
        let index = position(of: user)
        // A number too old to be kept counts as new: better twice than never.
        return users[index].numbers.messages.take(number, rangesMax: ClientMachine.gapsMax) != .taken
    }

    /// True if the number of an item of a sync has not been received before; it counts as received from now on.
    mutating func take(_ number: UInt64, of phase: SyncPhase, by user: String) -> Bool {
        let index = position(of: user)
        var phases = users[index].numbers.phases
        let position = phases.firstIndex { $0.phase == phase } ?? phases.count
        if position == phases.count { phases.append(OfPhase(phase: phase)) }
        let isNew = phases[position].numbers.take(number, rangesMax: ClientMachine.gapsMax) != .taken
        users[index].numbers.phases = phases
        return isNew
    }

    private mutating func position(of user: String) -> Int {
        if users.last?.user != user {
            let index = users.firstIndex { $0.user == user }
            users.append(index.map { users.remove(at: $0) } ?? OfUser(user: user))
            if users.count > ClientMachine.receivingUsersMax { users.removeFirst() }
        }
        return users.count - 1
    }
}

extension ClientMachine {
    /// Maximum number of ranges kept, for messages that did not arrive although later ones did: more than an inbox
    /// holds.
    static let gapsMax = 2000
    /// Maximum number of users whose received numbers are kept.
    static let receivingUsersMax = 8

    /// True if the app has not received this yet; it counts as received from now on, in the next process too. A frame
    /// without a number always counts as new.
    mutating func isFirstDelivery(_ number: UInt64, into effects: inout [ClientEffect]) -> Bool {
        guard let user, number != 0 else { return true }
        guard local.received.take(number, by: user) else { return false }
        effects.append(.persist(local))
        return true
    }

    /// True if the item of a sync has not been received before; nil if it has no number.
    mutating func isFirstDelivery(_ item: SyncItem, of phase: SyncPhase) -> Bool? {
        guard let user, item.number != 0 else { return nil }
        return local.received.take(item.number, of: phase, by: user)
    }
}
