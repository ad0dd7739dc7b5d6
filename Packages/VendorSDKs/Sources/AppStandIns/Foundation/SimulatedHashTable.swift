// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// What an app's `NSHashTable` of weak objects is where Foundation has none.
///
/// Its objects come in the order in which they were added, where the real one promises none.
public final class SimulatedHashTable<Element: AnyObject>: @unchecked Sendable {
    private struct Reference {
        weak var object: Element?
        /// Keeps it, unless the table's references are weak.
        let owned: Element?
    }

    private let isWeak: Bool
    private var references: [Reference] = []

    private init(isWeak: Bool) {
        self.isWeak = isWeak
    }

    public convenience init() {
        self.init(isWeak: false)
    }

    public static func weakObjects() -> SimulatedHashTable { SimulatedHashTable(isWeak: true) }

    public var allObjects: [Element] { references.compactMap(\.object) }
    public var anyObject: Element? { allObjects.first }
    public var count: Int { allObjects.count }

    public func contains(_ object: Element?) -> Bool {
        references.contains { $0.object === object && object != nil }
    }

    public func add(_ object: Element?) {
        references.removeAll { $0.object == nil }
        guard let object, !contains(object) else { return }
        references.append(Reference(object: object, owned: isWeak ? nil : object))
    }

    public func remove(_ object: Element?) {
        references.removeAll { $0.object == nil || $0.object === object }
    }

    public func removeAllObjects() {
        references = []
    }
}
