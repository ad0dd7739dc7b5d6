import IMLocalData
import IMProtocol

/// Changes that users have made on this device and that the server has not received yet, such as a read conversation
/// (ZIM-9). They outlive the process.
public struct UnsentChanges: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// A change with the user who made it.
    public struct Change: Hashable, Sendable, Codable {
        /// The user who made the change.
        public var user: String
        /// The change as the client sends it.
        public var change: ChangeRecord

        /// A change that a user made.
        public init(user: String, change: ChangeRecord) {
            self.user = user
            self.change = change
        }
    }

    /// The changes of all users, oldest first.
    public private(set) var changes: [Change]

    /// No changes.
    public init() { changes = [] }

    /// Changes, oldest first.
    public init(changes: [Change]) { self.changes = changes }

    /// The maximum number of changes of all users together. Beyond it, each new change replaces the oldest.
    static let countMax = 200

    /// The oldest change of a user; nil if there is none.
    func first(of user: String) -> ChangeRecord? { changes.first { $0.user == user }?.change }

    /// Adds a change of a user. The change replaces an earlier one of the same subject, such as the same conversation.
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
