/// The kinds of events that a listener receives, with the numbers of the vendor's SDK. The events of one change have
/// this order: removed, added, moved and changed children, then the value.
public enum TreeEventKind: Int, Sendable, Hashable, CaseIterable, Codable {
    case childAdded = 0
    case childRemoved = 1
    case childChanged = 2
    case childMoved = 3
    case value = 4

    /// The name of the kind in commands and recordings.
    public var name: String {
        switch self {
        case .childAdded: "child-added"
        case .childRemoved: "child-removed"
        case .childChanged: "child-changed"
        case .childMoved: "child-moved"
        case .value: "value"
        }
    }

    /// The kinds in the order in which the events of one change are sent.
    static let inOrder: [TreeEventKind] = [.childRemoved, .childAdded, .childMoved, .childChanged, .value]
}

/// An event for a listener: a change of a child, or of the whole value.
public struct TreeEvent: Sendable, Hashable {
    /// The listener that receives the event.
    public var listener: TreeListenerID
    public var path: [TreeKey]
    public var kind: TreeEventKind
    /// The key of the changed child; nil for an event with the whole value.
    public var key: TreeKey?
    /// The key of the child before the changed one, in the order of the query; nil for the first and a removed child.
    public var previousKey: TreeKey?
    public var node: TreeNode
}

/// Identifies a listener by the number that the app gave it.
public struct TreeListenerID: RawRepresentable, Hashable, Sendable, Codable {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A listener to the query of a view.
struct TreeListener: Sendable, Hashable, Codable {
    var id: TreeListenerID
    var kinds: [TreeEventKind]
    /// The value in the last value event. An unchanged value that becomes complete again causes no event.
    var lastValue: TreeNode?
}
