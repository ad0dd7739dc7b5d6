import AppStandIns

/// A publisher whose subscriptions are made by a closure.
public struct DerivedPublisher<Output, Failure: Error>: Publisher {
    typealias Completion = Subscribers.Completion<Failure>
    let subscription: (@escaping (Output) -> Void, @escaping (Completion) -> Void) -> AnyCancellable

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable {
        subscription(value, completion)
    }
}

/// The targets of `receive(on:)`: the queues and the main run loop.
public protocol Scheduler {
    func receive(_ work: @escaping @Sendable () -> Void)
}

extension SimulatedDispatchQueue: Scheduler {
    public func receive(_ work: @escaping @Sendable () -> Void) {
        async(execute: work)
    }
}

extension SimulatedRunLoop: Scheduler {
    public func receive(_ work: @escaping @Sendable () -> Void) {
        perform(work)
    }
}

/// Values pass between queues of one thread, so they need not be Sendable.
private struct Unchecked<Value>: @unchecked Sendable {
    let value: Value
}

/// The state of a subscription.
private final class Memory<Value> {
    var value: Value

    init(_ value: Value) {
        self.value = value
    }
}

extension Publisher {
    public func map<T>(_ transform: @escaping (Output) -> T) -> DerivedPublisher<T, Failure> {
        DerivedPublisher { value, completion in
            subscribe(value: { value(transform($0)) }, completion: completion)
        }
    }

    public func map<T>(_ keyPath: KeyPath<Output, T>) -> DerivedPublisher<T, Failure> {
        map { $0[keyPath: keyPath] }
    }

    public func compactMap<T>(_ transform: @escaping (Output) -> T?) -> DerivedPublisher<T, Failure> {
        DerivedPublisher { value, completion in
            subscribe(value: { transform($0).map(value) }, completion: completion)
        }
    }

    public func filter(_ isIncluded: @escaping (Output) -> Bool) -> DerivedPublisher<Output, Failure> {
        compactMap { isIncluded($0) ? $0 : nil }
    }

    public func dropFirst(_ count: Int = 1) -> DerivedPublisher<Output, Failure> {
        DerivedPublisher { value, completion in
            let left = Memory(count)
            return subscribe(
                value: {
                    if left.value > 0 { left.value -= 1 } else { value($0) }
                }, completion: completion)
        }
    }

    public func removeDuplicates(
        by isSame: @escaping (Output, Output) -> Bool
    ) -> DerivedPublisher<Output, Failure> {
        DerivedPublisher { value, completion in
            let last = Memory<Output?>(nil)
            return subscribe(
                value: { new in
                    if let old = last.value, isSame(old, new) { return }
                    last.value = new
                    value(new)
                }, completion: completion)
        }
    }

    /// Delivers values and the end in blocks of a queue. After a cancellation, none of those already queued arrives.
    public func receive(on scheduler: some Scheduler, options: Never? = nil) -> DerivedPublisher<Output, Failure> {
        DerivedPublisher { value, completion in
            let isOpen = Memory(true)
            let calls = Unchecked(value: (value, completion, isOpen))
            let subscription = subscribe(
                value: { new in
                    let new = Unchecked(value: new)
                    scheduler.receive {
                        if calls.value.2.value { calls.value.0(new.value) }
                    }
                },
                completion: { end in
                    let end = Unchecked(value: end)
                    scheduler.receive {
                        if calls.value.2.value { calls.value.1(end.value) }
                    }
                })
            return AnyCancellable {
                isOpen.value = false
                subscription.cancel()
            }
        }
    }
}

extension Publisher where Output: Equatable {
    public func removeDuplicates() -> DerivedPublisher<Output, Failure> {
        removeDuplicates(by: ==)
    }
}
