// All of it lives on the job thread of virtual time, so it is Sendable.

public protocol Subject<Output, Failure>: AnyObject, Publisher {
    func send(_ value: Output)
    func send(completion: Subscribers.Completion<Failure>)
}

extension Subject where Output == Void {
    public func send() {
        send(())
    }
}

/// The subscribers of a subject, in the order of subscription.
private struct SubscriberList<Output, Failure: Error> {
    private struct Subscriber {
        let id: Int
        let value: (Output) -> Void
        let completion: (Subscribers.Completion<Failure>) -> Void
    }

    private var subscribers: [Subscriber] = []
    private var lastID = 0
    private(set) var completion: Subscribers.Completion<Failure>?

    mutating func add(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> Int {
        lastID += 1
        subscribers.append(Subscriber(id: lastID, value: value, completion: completion))
        return lastID
    }

    mutating func remove(_ id: Int) {
        subscribers.removeAll { $0.id == id }
    }

    /// The subscribers of a value. Each is looked up again by its number, because it may unsubscribe meanwhile.
    var numbers: [Int] { subscribers.map(\.id) }

    func call(of id: Int) -> ((Output) -> Void)? {
        completion == nil ? subscribers.first { $0.id == id }?.value : nil
    }

    mutating func end(_ completion: Subscribers.Completion<Failure>) -> [(Subscribers.Completion<Failure>) -> Void] {
        guard self.completion == nil else { return [] }
        self.completion = completion
        defer { subscribers = [] }
        return subscribers.map(\.completion)
    }
}

public final class PassthroughSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    private var list = SubscriberList<Output, Failure>()

    public init() {}

    public func send(_ value: Output) {
        for id in list.numbers { list.call(of: id)?(value) }
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        for call in list.end(completion) { call(completion) }
    }

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable {
        if let ended = list.completion {
            completion(ended)
            return AnyCancellable {}
        }
        let id = list.add(value: value, completion: completion)
        return AnyCancellable { [weak self] in self?.list.remove(id) }
    }
}

public final class CurrentValueSubject<Output, Failure: Error>: Subject, @unchecked Sendable {
    private let changes = PassthroughSubject<Output, Failure>()
    private var current: Output

    public init(_ value: Output) {
        current = value
    }

    public var value: Output {
        get { current }
        set { send(newValue) }
    }

    public func send(_ value: Output) {
        current = value
        changes.send(value)
    }

    public func send(completion: Subscribers.Completion<Failure>) {
        changes.send(completion: completion)
    }

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable {
        let subscription = changes.subscribe(value: value, completion: completion)
        value(current)
        return subscription
    }
}
