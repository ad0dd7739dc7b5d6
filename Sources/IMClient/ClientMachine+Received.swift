import IMProtocol

// The server's numbers of the messages, operations and sync items that the app has received. A message that the server
// sends again has the same number, and is not delivered again (C-14, S-20).

/// The server's numbers of all frames that the users of this device have received.
public struct ReceivedNumbers: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The server's numbers of the frames that one user has received.
    public struct OfUser: Hashable, Sendable, Codable {
        /// The user who has received the frames.
        public var user: String
        /// The server's numbers of the frames.
        public var numbers: Numbers

        /// The received numbers of a user; without numbers for a user who has received nothing.
        public init(user: String, numbers: Numbers = Numbers()) {
            self.user = user
            self.numbers = numbers
        }
    }

    /// The server's numbers of received frames. Messages and operations are numbered together; the items of a sync are
    /// numbered separately in each phase of the sync.
    public struct Numbers: Hashable, Sendable, Codable {
        /// The numbers of received messages and operations.
        public var messages = NumberRanges()
        /// The numbers of received items of a sync, for each phase.
        var phases: [OfPhase] = []

        /// No numbers.
        public init() {}
    }

    /// The numbers of received items of one phase of a sync.
    struct OfPhase: Hashable, Sendable, Codable {
        var phase: SyncPhase
        var numbers = NumberRanges()
    }

    /// The received numbers of each user, in the order in which the users last received a frame.
    public private(set) var users: [OfUser]

    /// No users.
    public init() { users = [] }

    /// The received numbers of these users, in the order in which the users last received a frame.
    public init(users: [OfUser]) { self.users = users }

    /// Records that a user has received a message or an operation.
    ///
    /// - Returns: true if the user had not received the number before.
    mutating func insert(_ number: UInt64, by user: String) -> Bool {
        let index = position(of: user)
        // Only a limited number of ranges is stored. A number that may have been dropped counts as new: the app may get
        // an old message twice, but does not miss one.
        return users[index].numbers.messages.take(number, rangesMax: ClientMachine.rangesMax) != .taken
    }

    /// Records that a user has received an item of a sync.
    ///
    /// - Returns: true if the user had not received the number in this phase before.
    mutating func insert(_ number: UInt64, of phase: SyncPhase, by user: String) -> Bool {
        let index = position(of: user)
        var phases = users[index].numbers.phases
        let position = phases.firstIndex { $0.phase == phase } ?? phases.count
        if position == phases.count { phases.append(OfPhase(phase: phase)) }
        let isNew = phases[position].numbers.take(number, rangesMax: ClientMachine.rangesMax) != .taken
        users[index].numbers.phases = phases
        return isNew
    }

    /// Moves the user to the end of ``users``, or adds the user there.
    ///
    /// - Returns: the index of the user.
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
    /// The maximum number of stored ranges of a user. Each message that is missing although a later one has arrived
    /// starts a new range. The limit exceeds the number of messages in an inbox.
    static let rangesMax = 2000
    /// The maximum number of users whose received numbers are stored.
    static let receivingUsersMax = 8

    /// Records that the user has received a message or an operation, also for the next process of the app.
    ///
    /// - Returns: true if the user had not received the number before. Always true for the number 0, which means none.
    mutating func isFirstDelivery(_ number: UInt64, into effects: inout [ClientEffect]) -> Bool {
        guard let user, number != 0 else { return true }
        guard local.received.insert(number, by: user) else { return false }
        effects.append(.persist(local))
        return true
    }

    /// Records that the user has received an item of a sync.
    ///
    /// - Returns: true if the user had not received the item before; nil if the item has no number.
    mutating func isFirstDelivery(_ item: SyncItem, of phase: SyncPhase) -> Bool? {
        guard let user, item.number != 0 else { return nil }
        return local.received.insert(item.number, of: phase, by: user)
    }
}
