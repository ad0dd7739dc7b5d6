/// Weak delegates, notified in the order in which they were added.
public final class DelegateList<Delegate>: DelegateCensus {
    private struct Entry {
        weak var object: AnyObject?
        let login: Int?
    }

    private var entries: [Entry] = []

    /// Whose list it is; it is looked at when a test ends.
    private weak var client: SDKClient?

    /// Nobody is told.
    public init() {
        client = SDKClient.running
        client?.delegateLists.append(self)
    }

    /// Adds one, once.
    public func add(_ delegate: Delegate) {
        let object = delegate as AnyObject
        entries.removeAll { $0.object == nil }
        guard !entries.contains(where: { $0.object === object }) else { return }
        entries.append(Entry(object: object, login: client?.watch.login))
    }

    /// Removes one; also while they are being told.
    public func remove(_ delegate: Delegate) {
        let object = delegate as AnyObject
        entries.removeAll { $0.object === object || $0.object == nil }
    }

    var told: [(object: AnyObject, login: Int?)] {
        entries.compactMap { entry in entry.object.map { ($0, entry.login) } }
    }

    /// Tells each that is there; one that is removed meanwhile is not told any more.
    public func tell(_ body: (Delegate) -> Void) {
        for entry in entries {
            guard let object = entry.object, entries.contains(where: { $0.object === object }) else { continue }
            if let delegate = object as? Delegate { body(delegate) }
        }
    }
}
