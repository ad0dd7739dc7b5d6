/// One value or an error, which a closure delivers at once or later. The closure runs when the future is made.
public final class Future<Output, Failure: Error>: Publisher, @unchecked Sendable {
    public typealias Promise = (Result<Output, Failure>) -> Void

    private var result: Result<Output, Failure>?
    private var waiting: [(id: Int, call: (Result<Output, Failure>) -> Void)] = []
    private var lastID = 0

    public init(_ attemptToFulfill: @escaping (@escaping Promise) -> Void) {
        attemptToFulfill { result in
            guard self.result == nil else { return }
            self.result = result
            let waiting = self.waiting
            self.waiting = []
            for subscriber in waiting { subscriber.call(result) }
        }
    }

    public func subscribe(
        value: @escaping (Output) -> Void, completion: @escaping (Subscribers.Completion<Failure>) -> Void
    ) -> AnyCancellable {
        let call: (Result<Output, Failure>) -> Void = { result in
            switch result {
            case .success(let output):
                value(output)
                completion(.finished)
            case .failure(let error): completion(.failure(error))
            }
        }
        if let result {
            call(result)
            return AnyCancellable {}
        }
        lastID += 1
        let id = lastID
        waiting.append((id, call))
        return AnyCancellable { self.waiting.removeAll { $0.id == id } }
    }
}

extension Publisher {
    /// The values of the publishers that are made of each value. It ends with the last of them, or with the first
    /// error.
    public func flatMap<Next: Publisher>(
        _ transform: @escaping (Output) -> Next
    ) -> DerivedPublisher<Next.Output, Failure> where Next.Failure == Failure {
        DerivedPublisher { value, completion in
            let state = FlatMapState()
            let upstream = self.subscribe(
                value: { output in
                    state.open += 1
                    let inner = transform(output).subscribe(value: value) { end in
                        state.open -= 1
                        if case .failure = end { return completion(end) }
                        if state.hasEnded, state.open == 0 { completion(.finished) }
                    }
                    state.subscriptions.append(inner)
                },
                completion: { end in
                    state.hasEnded = true
                    if case .failure = end { return completion(end) }
                    if state.open == 0 { completion(.finished) }
                })
            return AnyCancellable {
                upstream.cancel()
                for inner in state.subscriptions { inner.cancel() }
            }
        }
    }
}

private final class FlatMapState: @unchecked Sendable {
    var open = 0
    var hasEnded = false
    var subscriptions: [AnyCancellable] = []
}
