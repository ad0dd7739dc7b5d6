import IMLocalData
import IMProtocol

/// What a user did on this device without a network and the server has not been told yet, such as that something was
/// read (ZIM-9). It survives the process.
public struct UnsentChanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// A change and whose it is.
    public struct Change: Hashable, Sendable, Codable {
        /// Who did it.
        public var user: String
        /// What was done.
        public var change: ChangeRecord

        /// A change of somebody's.
        public init(user: String, change: ChangeRecord) {
            self.user = user
            self.change = change
        }
    }

    /// The oldest first.
    public private(set) var changes: [Change]

    /// Nothing waits.
    public init() { changes = [] }

    /// What a store has kept.
    public init(changes: [Change]) { self.changes = changes }

    /// Of all users together; the oldest goes first.
    static let countMax = 200

    /// The oldest one of a user.
    func first(of user: String) -> ChangeRecord? { changes.first { $0.user == user }?.change }

    /// Adds one; of the same thing only the latest is told.
    mutating func add(_ change: ChangeRecord, of user: String) {
        changes.removeAll { $0.user == user && $0.change.subject != nil && $0.change.subject == change.subject }
        changes.append(Change(user: user, change: change))
        if changes.count > Self.countMax { changes.removeFirst() }
    }

    mutating func remove(_ change: ChangeRecord, of user: String) {
        guard let place = changes.firstIndex(of: Change(user: user, change: change)) else { return }
        changes.remove(at: place)
    }
}
