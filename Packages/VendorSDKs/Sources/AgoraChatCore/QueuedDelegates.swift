import AppStandIns

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// Delegates that nobody keeps alive, told in the order in which they came, each on the queue that it was added with.
final class QueuedDelegates<Delegate> {
    private struct Entry {
        weak var object: AnyObject?
        /// Nil for the main one.
        let queue: SimulatedDispatchQueue?
    }

    private var entries: [Entry] = []

    /// Adds one, once; one that is there already gets another queue.
    func add(_ delegate: Delegate, queue: SimulatedDispatchQueue?) {
        let entry = Entry(object: delegate as AnyObject, queue: queue === SimulatedDispatchQueue.main ? nil : queue)
        entries.removeAll { $0.object == nil }
        if let known = entries.firstIndex(where: { $0.object === entry.object }) {
            entries[known] = entry
        } else {
            entries.append(entry)
        }
    }

    /// Removes one; also while they are being told.
    func remove(_ object: AnyObject) { entries.removeAll { $0.object === object || $0.object == nil } }

    /// Tells each, those of the main queue now. One that is removed meanwhile is not told any more.
    func tell(_ body: @escaping (Delegate) -> Void) {
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
