/// A small part of Combine for systems without it: the part that view models and login managers use.
///
/// There is no back pressure: subscribers get all values. Values arrive at once on the caller's thread, or with
/// `receive(on:)` in a block of that queue; in virtual time all of it runs on one thread.
public protocol Publisher<Output, Failure> {
    associatedtype Output
    associatedtype Failure: Error

    /// Not in Combine, instead of `receive(subscriber:)`: calls for each value and for the end until the subscription
    /// is cancelled.
    func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable
}

public enum Subscribers {
    public enum Completion<Failure: Error> {
        case finished
        case failure(Failure)
    }
}

extension Subscribers.Completion: Equatable where Failure: Equatable {}
extension Subscribers.Completion: Sendable where Failure: Sendable {}

public protocol Cancellable {
    func cancel()
}

/// A subscription, which ends when this object is released.
public final class AnyCancellable: Cancellable, Hashable, @unchecked Sendable {
    private var action: (() -> Void)?

    public init(_ cancel: @escaping () -> Void) {
        action = cancel
    }

    public convenience init(_ other: any Cancellable) {
        self.init { other.cancel() }
    }

    deinit {
        cancel()
    }

    public func cancel() {
        let action = action
        self.action = nil
        action?()
    }

    public func store(in set: inout Set<AnyCancellable>) {
        set.insert(self)
    }

    public func store(in collection: inout some RangeReplaceableCollection<AnyCancellable>) {
        collection.append(self)
    }

    public static func == (one: AnyCancellable, other: AnyCancellable) -> Bool {
        one === other
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(self))
    }
}

public struct AnyPublisher<Output, Failure: Error>: Publisher {
    private let upstream: any Publisher<Output, Failure>

    public init(_ publisher: some Publisher<Output, Failure>) {
        upstream = publisher
    }

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable {
        upstream.subscribe(value: value, completion: completion)
    }
}

/// A value, then the end.
public struct Just<Output>: Publisher {
    public typealias Failure = Never
    private let output: Output

    public init(_ output: Output) {
        self.output = output
    }

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Never>) -> Void
    ) -> AnyCancellable {
        value(output)
        completion(.finished)
        return AnyCancellable {}
    }
}

extension Publisher {
    public func eraseToAnyPublisher() -> AnyPublisher<Output, Failure> { AnyPublisher(self) }

    public func sink(
        receiveCompletion: @escaping (Subscribers.Completion<Failure>) -> Void,
        receiveValue: @escaping (Output) -> Void
    ) -> AnyCancellable {
        subscribe(value: receiveValue, completion: receiveCompletion)
    }
}

extension Publisher where Failure == Never {
    public func sink(receiveValue: @escaping (Output) -> Void) -> AnyCancellable {
        subscribe(value: receiveValue) { _ in }
    }

    public func assign<Root>(to keyPath: ReferenceWritableKeyPath<Root, Output>, on object: Root) -> AnyCancellable {
        sink { object[keyPath: keyPath] = $0 }
    }
}
