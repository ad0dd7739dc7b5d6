/// The kinds of a listener's events, with the vendor's numbers. One change gives events in this order: removed, added,
/// moved and changed children, then the value.
public enum TreeEventKind: Int, Sendable, Hashable, CaseIterable, Codable {
    case childAdded = 0
    case childRemoved = 1
    case childChanged = 2
    case childMoved = 3
    case value = 4

    /// The name in commands and recordings.
    public var name: String {
        switch self {
        case .childAdded: "child-added"
        case .childRemoved: "child-removed"
        case .childChanged: "child-changed"
        case .childMoved: "child-moved"
        case .value: "value"
        }
    }

    /// The order of the events of one change.
    static let inOrder: [TreeEventKind] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
}

public struct TreeEvent: Sendable, Hashable {
    /// The listener that receives it.
    public var listener: TreeListenerID
    public var path: [TreeKey]
    public var kind: TreeEventKind
    /// The child of the event; nil for the whole value.
    public var key: TreeKey?
    /// The previous sibling, as the listener sees them; nil for the first one, and for a removed one.
    public var previousKey: TreeKey?
    public var node: TreeNode
}

/// Identifies a listener; the app's own number.
public struct TreeListenerID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A listener to a query of a path.
struct TreeListener: Sendable, Hashable, Codable {
    var id: TreeListenerID
    var kinds: [TreeEventKind]
    /// The last whole value in an event. If the value becomes unknown and then the same again, there is no event.
    var told: TreeNode?
}
