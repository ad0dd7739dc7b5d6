// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `NSPointerFunctions`, which Foundation lacks on this system.
public enum SimulatedPointerFunctions {
    /// The way a table retains its objects. Only `weak` has an effect.
    public struct Options: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let weakMemory = Options(rawValue: 5)
        public static let objectPointerPersonality = Options(rawValue: 512)
        public static let strongMemory: Options = []
        public static let copyIn: Options = Options(rawValue: 65_536)
    }
}

/// The double of `NSHashTable`, which Foundation lacks on this system. Its elements may be those of a class or of a
/// protocol.
///
/// Its objects come in the order in which they were added; the real one promises no order.
public final class SimulatedHashTable<Element>: @unchecked Sendable {
    private struct Reference {
        weak var object: AnyObject?
        /// The retained object. Nil if the table's references are weak.
        let owned: AnyObject?
    }

    private let isWeak: Bool
    private var references: [Reference] = []

    public init(options: SimulatedPointerFunctions.Options = [], capacity: Int = 0) {
        isWeak = options.contains(.weakMemory)
    }

    public static func weakObjects() -> SimulatedHashTable { SimulatedHashTable(options: .weakMemory) }

    public var allObjects: [Element] {
        references.compactMap { reference in
            // An optional itself can be cast to AnyObject, even if it is nil.
            guard let object = reference.object else { return nil }
            return object as? Element
        }
    }
    public var anyObject: Element? { allObjects.first }
    public var count: Int { allObjects.count }

    public func contains(_ object: Element?) -> Bool {
        guard let object else { return false }
        return references.contains { $0.object === object as AnyObject }
    }

    public func member(_ object: Element?) -> Element? { contains(object) ? object : nil }

    public func add(_ object: Element?) {
        references.removeAll { $0.object == nil }
        guard let object, !contains(object) else { return }
        let reference = object as AnyObject
        references.append(Reference(object: reference, owned: isWeak ? nil : reference))
    }

    public func remove(_ object: Element?) {
        references.removeAll { reference in
            reference.object == nil || object.map { reference.object === $0 as AnyObject } ?? false
        }
    }

    public func removeAllObjects() {
        references = []
    }

    public func objectEnumerator() -> SimulatedEnumerator<Element> { SimulatedEnumerator(allObjects) }
}

/// The double of a hash table's `NSEnumerator`.
public final class SimulatedEnumerator<Element>: Sequence, IteratorProtocol {
    private var rest: [Element]

    init(_ objects: [Element]) { rest = objects.reversed() }

    public func nextObject() -> Any? { rest.popLast() }
    public func next() -> Element? { rest.popLast() }
    public var allObjects: [Element] { rest.reversed() }
}
