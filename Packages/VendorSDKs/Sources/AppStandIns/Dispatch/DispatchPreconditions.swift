import VirtualTime

/// The double of `DispatchPredicate` in virtual time.
public enum SimulatedDispatchPredicate {
    case onQueue(SimulatedDispatchQueue)
    case onQueueAsBarrier(SimulatedDispatchQueue)
    case notOnQueue(SimulatedDispatchQueue)
}

/// The double of `dispatchPrecondition` in virtual time: reports a failed condition; the real one ends the app there.
public struct SimulatedDispatchPrecondition: Sendable {
    public init() {}

    public func callAsFunction(
        condition: @autoclosure () -> SimulatedDispatchPredicate, file: StaticString = #fileID, line: UInt = #line
    ) {
        guard let scheduler = VirtualScheduler.current else { return }
        let text: String
        switch condition() {
        case .onQueue(let queue) where !isOn(queue, scheduler),
            .onQueueAsBarrier(let queue) where !isOn(queue, scheduler):
            text = "must be on the queue \"\(queue.label)\""
        case .notOnQueue(let queue) where isOn(queue, scheduler):
            text = "must not be on the queue \"\(queue.label)\""
        default:
            return
        }
        scheduler.report(.wrongQueue, "the code at \(Origin(file: file, line: line)) \(text)")
    }
}

private func isOn(_ queue: SimulatedDispatchQueue, _ scheduler: VirtualScheduler) -> Bool {
    queue.place == .anywhere ? CurrentQueue.stack.contains { $0 === queue } : scheduler.place == queue.place
}
