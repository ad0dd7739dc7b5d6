/// Weak delegates, notified in the order in which they were added.
public final class DelegateList<Delegate>: DelegateRegistry {
    private struct Entry {
        weak var object: AnyObject?
        let login: Int?
    }

    private var entries: [Entry] = []

    /// The client whose list it is; checks read the list when a test ends.
    private weak var client: SDKClient?

    /// A list without a client, which notifies nobody.
    public init() {
        client = SDKClient.running
        client?.delegateLists.append(self)
    }

    /// Adds a delegate, once.
    public func add(_ delegate: Delegate) {
        let object = delegate as AnyObject
        entries.removeAll { $0.object == nil }
        guard !entries.contains(where: { $0.object === object }) else { return }
        entries.append(Entry(object: object, login: client?.watch.login))
    }

    /// Removes a delegate; also while the delegates are being notified.
    public func remove(_ delegate: Delegate) {
        let object = delegate as AnyObject
        entries.removeAll { $0.object === object || $0.object == nil }
    }

    var notified: [(object: AnyObject, login: Int?)] {
        entries.compactMap { entry in entry.object.map { ($0, entry.login) } }
    }

    /// Calls the body with each living delegate. A delegate that is removed meanwhile is skipped.
    public func notify(_ body: (Delegate) -> Void) {
        for entry in entries {
            guard let object = entry.object, entries.contains(where: { $0.object === object }) else { continue }
            if let delegate = object as? Delegate { body(delegate) }
        }
    }
}
