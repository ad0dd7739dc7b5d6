/// What a listener is told, with the vendor's numbers. Within one change a listener is told of what went first, then of
/// what came, what moved, what changed, and last of the whole.
public enum TreeEventKind: Int, Sendable, Hashable, CaseIterable, Codable {
    case childAdded = 0
    case childRemoved = 1
    case childChanged = 2
    case childMoved = 3
    case value = 4

    /// The word for it in commands and recordings.
    public var name: String {
        switch self {
        case .childAdded: "child-added"
        case .childRemoved: "child-removed"
        case .childChanged: "child-changed"
        case .childMoved: "child-moved"
        case .value: "value"
        }
    }

    /// In this order those of one change come.
    static let inOrder: [TreeEventKind] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
}

public struct TreeEvent: Sendable, Hashable {
    /// Who is told.
    public var listener: TreeListenerID
    public var place: [TreeKey]
    public var kind: TreeEventKind
    /// The child that it is about; nil for the whole.
    public var key: TreeKey?
    /// The sibling before it, as the listener sees them; nil for the first one, and for one that is gone.
    public var previousKey: TreeKey?
    public var node: TreeNode
}

/// Tells listeners apart; the app's own number.
public struct TreeListenerID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// One who listens to a query of a place.
struct TreeListener: Sendable, Hashable, Codable {
    var id: TreeListenerID
    var kinds: [TreeEventKind]
    /// The whole as it was told last: one that was not known for a while and is the same again is no news.
    var told: TreeNode?
}
