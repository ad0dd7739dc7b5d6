import Foundation
import IMTree

extension WDGSyncQuery {
    /// Lets a block be told what is there and of every change (SYNC-4), until it is removed. Breaks of the connection do
    /// not end it (SYNC-10).
    ///
    /// - Returns: what ``removeObserver(withHandle:)`` takes.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void
    ) -> WDGSyncHandle {
        observe(eventType, with: block, withCancel: nil)
    }

    /// The same, with a block that is told when the server does not let it be read, or no longer.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, { snapshot, _ in block(snapshot) }, cancelBlock)
    }

    /// With the key of the sibling before a child that has come, moved or changed; nil for the first.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, block, nil)
    }

    /// The same, with a block that is told when the server does not let it be read, or no longer.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, block, cancelBlock)
    }

    // MARK: Once

    /// Lets a block be told once.
    public func observeSingleEvent(
        of eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void
    ) {
        observeSingleEvent(of: eventType, with: block, withCancel: nil)
    }

    /// The same, with a block that is told when the server does not let it be read.
    public func observeSingleEvent(
        of eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) {
        observe(eventType, isSingle: true, { snapshot, _ in block(snapshot) }, cancelBlock)
    }

    /// Once, with the key of the sibling before the child.
    public func observeSingleEvent(
        of eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void
    ) {
        observe(eventType, isSingle: true, block, nil)
    }

    /// The same, with a block that is told when the server does not let it be read.
    public func observeSingleEvent(
        of eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) {
        observe(eventType, isSingle: true, block, cancelBlock)
    }

    @discardableResult
    private func observe(
        _ eventType: WDGDataEventType, isSingle: Bool, _ block: @escaping (WDGDataSnapshot, String?) -> Void,
        _ cancelBlock: ((any Error) -> Void)?
    ) -> WDGSyncHandle {
        let handle = client.observers.nextHandle()
        guard let kind = TreeEventKind(rawValue: eventType.rawValue) else { return handle }
        let observer = Observer(
            handle, kind, isSingle: isSingle,
            block: { [place, query, shared] told in
                let snapshot =
                    told.key.map { WDGDataSnapshot(told.node, at: place + [$0], of: shared) }
                    ?? WDGDataSnapshot(told.node, at: place, query.order, of: shared)
                block(snapshot, told.previous)
            }, cancelBlock: cancelBlock)
        client.observe(observer, at: place, query)
        return handle
    }

    // MARK: No longer

    /// Ends an observer of this query; of a reference, one of any query of its place.
    public func removeObserver(withHandle handle: WDGSyncHandle) {
        client.removeObservers(at: place, query.isDefault ? nil : query) { $0.handle == handle }
    }

    /// Ends all observers of this query; of a reference, those of every query of its place.
    public func removeAllObservers() {
        client.removeObservers(at: place, query.isDefault ? nil : query) { _ in true }
    }
}
