/// An object that publishes its changes before they happen.
public protocol ObservableObject: AnyObject {
    associatedtype ObjectWillChangePublisher: Publisher = ObservableObjectPublisher
    where ObjectWillChangePublisher.Failure == Never
    var objectWillChange: ObjectWillChangePublisher { get }
}

public final class ObservableObjectPublisher: Publisher, @unchecked Sendable {
    public typealias Output = Void
    public typealias Failure = Never
    private let changes = PassthroughSubject<Void, Never>()

    public init() {}

    public func send() {
        changes.send(())
    }

    public func subscribe(
        value: @escaping (()) -> Void, completion: @escaping (Subscribers.Completion<Never>) -> Void
    ) -> AnyCancellable {
        changes.subscribe(value: value, completion: completion)
    }
}

extension ObservableObject where ObjectWillChangePublisher == ObservableObjectPublisher {
    /// The object's publisher, for as long as the object lives.
    public var objectWillChange: ObservableObjectPublisher { ObjectPublishers.publisher(of: self) }
}

/// The publishers of objects that declare none, and so have no property for it. Used on the job thread alone.
enum ObjectPublishers {
    private struct Known {
        weak var object: AnyObject?
        let publisher: ObservableObjectPublisher
    }

    nonisolated(unsafe) private static var known: [ObjectIdentifier: Known] = [:]
    nonisolated(unsafe) private static var countAtSweep = 64

    static func publisher(of object: AnyObject) -> ObservableObjectPublisher {
        if let entry = known[ObjectIdentifier(object)], entry.object === object { return entry.publisher }
        if known.count >= countAtSweep {
            known = known.filter { $0.value.object != nil }
            countAtSweep = max(64, known.count * 2)
        }
        let publisher = ObservableObjectPublisher()
        known[ObjectIdentifier(object)] = Known(object: object, publisher: publisher)
        return publisher
    }
}

/// A property whose new values are published before they are set, as Combine does.
@propertyWrapper
public struct Published<Value> {
    private let subject: CurrentValueSubject<Value, Never>
    private let storage: Storage

    /// The value, which changes after its publication.
    private final class Storage: @unchecked Sendable {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    public init(wrappedValue: Value) {
        subject = CurrentValueSubject(wrappedValue)
        storage = Storage(wrappedValue)
    }

    public init(initialValue: Value) {
        self.init(wrappedValue: initialValue)
    }

    public struct Publisher: CombineStandIns.Publisher {
        public typealias Output = Value
        public typealias Failure = Never
        fileprivate let subject: CurrentValueSubject<Value, Never>

        public func subscribe(
            value: @escaping (Value) -> Void, completion: @escaping (Subscribers.Completion<Never>) -> Void
        ) -> AnyCancellable {
            subject.subscribe(value: value, completion: completion)
        }
    }

    public var projectedValue: Publisher { Publisher(subject: subject) }

    @available(*, unavailable, message: "@Published is for properties of classes")
    public var wrappedValue: Value {
        get { storage.value }
        // Without a setter here, the wrapped property would be read-only.
        nonmutating set { storage.value = newValue }
    }

    public static subscript<Object: AnyObject>(
        _enclosingInstance object: Object, wrapped wrappedKeyPath: ReferenceWritableKeyPath<Object, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Object, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].storage.value }
        set {
            (object as? any ObservableObject)?.announceChange()
            let published = object[keyPath: storageKeyPath]
            published.subject.send(newValue)
            published.storage.value = newValue
        }
    }
}

extension ObservableObject {
    fileprivate func announceChange() {
        (objectWillChange as? ObservableObjectPublisher)?.send()
    }
}
