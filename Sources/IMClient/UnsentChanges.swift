import IMLocalData
import IMProtocol

/// Changes that a user made on this device without a network and that the server has not received yet, such as a read
/// conversation (ZIM-9). They outlive the process.
public struct UnsentChanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// A change and its user.
    public struct Change: Hashable, Sendable, Codable {
        /// The user who made it.
        public var user: String
        /// The change.
        public var change: ChangeRecord

        /// A change of a user.
        public init(user: String, change: ChangeRecord) {
            self.user = user
            self.change = change
        }
    }

    /// The oldest first.
    public private(set) var changes: [Change]

    /// No changes.
    public init() { changes = [] }

    /// Stored changes.
    public init(changes: [Change]) { self.changes = changes }

    /// The maximum for all users together; the oldest is dropped first.
    static let countMax = 200

    /// The oldest change of a user; nil if there is none.
    func first(of user: String) -> ChangeRecord? { changes.first { $0.user == user }?.change }

    /// Adds a change; only the latest of the same subject is kept.
    mutating func add(_ change: ChangeRecord, of user: String) {
        changes.removeAll { $0.user == user && $0.change.subject != nil && $0.change.subject == change.subject }
        changes.append(Change(user: user, change: change))
        if changes.count > Self.countMax { changes.removeFirst() }
    }

    mutating func remove(_ change: ChangeRecord, of user: String) {
        guard let index = changes.firstIndex(of: Change(user: user, change: change)) else { return }
        changes.remove(at: index)
    }
}
