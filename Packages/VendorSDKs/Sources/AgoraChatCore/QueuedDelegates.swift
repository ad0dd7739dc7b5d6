import AppStandIns

// All of it lives on the job thread of virtual time, so it is Sendable.

/// Weak delegates, notified in the order in which they were added, each on its own queue.
final class QueuedDelegates<Delegate> {
    private struct Entry {
        weak var object: AnyObject?
        /// Nil for the main queue.
        let queue: SimulatedDispatchQueue?
    }

    private var entries: [Entry] = []

    /// Adds a delegate, once; one that was added before gets the new queue.
    func add(_ delegate: Delegate, queue: SimulatedDispatchQueue?) {
        let entry = Entry(object: delegate as AnyObject, queue: queue === SimulatedDispatchQueue.main ? nil : queue)
        entries.removeAll { $0.object == nil }
        if let known = entries.firstIndex(where: { $0.object === entry.object }) {
            entries[known] = entry
        } else {
            entries.append(entry)
        }
    }

    /// Removes a delegate; also while the delegates are being notified.
    func remove(_ object: AnyObject) { entries.removeAll { $0.object === object || $0.object == nil } }

    /// Calls the body with each delegate, those of the main queue at once. A delegate that is removed meanwhile is
    /// skipped.
    func notify(_ body: @escaping (Delegate) -> Void) {
        for entry in entries {
            let call = Call(body: body, delegates: self, object: entry.object)
            if let queue = entry.queue { queue.async { call.run() } } else { call.run() }
        }
    }

    var isEmpty: Bool { !entries.contains { $0.object != nil } }

    /// It waits for a queue of virtual time, whose blocks run on the same thread as the rest.
    private final class Call: @unchecked Sendable {
        private let body: (Delegate) -> Void
        private weak var delegates: QueuedDelegates?
        private weak var object: AnyObject?

        init(body: @escaping (Delegate) -> Void, delegates: QueuedDelegates, object: AnyObject?) {
            self.body = body
            self.delegates = delegates
            self.object = object
        }

        func run() {
            guard let object, let delegates, delegates.entries.contains(where: { $0.object === object }),
                let delegate = object as? Delegate
            else { return }
            body(delegate)
        }
    }
}
