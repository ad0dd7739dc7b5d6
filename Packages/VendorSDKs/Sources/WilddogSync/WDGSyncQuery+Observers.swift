import Foundation
import IMTree

extension WDGSyncQuery {
    /// Calls a block with the current value and with every change (SYNC-4), until it is removed. Breaks of the
    /// connection do not end it (SYNC-10).
    ///
    /// - Returns: a handle for ``removeObserver(withHandle:)``.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void
    ) -> WDGSyncHandle {
        observe(eventType, with: block, withCancel: nil)
    }

    /// Like `observe(_:with:)`, with a block that is called if the server denies the read, or denies it later.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, { snapshot, _ in block(snapshot) }, cancelBlock)
    }

    /// Also passes the key of the sibling before a child that was added, moved or changed; nil for the first.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, block, nil)
    }

    /// Like `observe(_:andPreviousSiblingKeyWith:)`, with a block that is called if the server denies the read, or
    /// denies it later.
    @discardableResult
    public func observe(
        _ eventType: WDGDataEventType,
        andPreviousSiblingKeyWith block: @escaping (WDGDataSnapshot, String?) -> Void,
        withCancel cancelBlock: ((any Error) -> Void)? = nil
    ) -> WDGSyncHandle {
        observe(eventType, isSingle: false, block, cancelBlock)
    }

    // MARK: Once

    /// Calls a block once.
    public func observeSingleEvent(
        of eventType: WDGDataEventType, with block: @escaping (WDGDataSnapshot) -> Void
    ) {
        observeSingleEvent(of: eventType, with: block, withCancel: nil)
    }

    /// Like `observeSingleEvent(of:with:)`, with a block that is called if the server denies the read.
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

    /// Like `observeSingleEvent(of:andPreviousSiblingKeyWith:)`, with a block that is called if the server denies the
    /// read.
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
            block: { [treePath, query, shared] notified in
                let snapshot =
                    notified.key.map { WDGDataSnapshot(notified.node, at: treePath + [$0], of: shared) }
                    ?? WDGDataSnapshot(notified.node, at: treePath, query.order, of: shared)
                block(snapshot, notified.previous)
            }, cancelBlock: cancelBlock)
        client.observe(observer, at: treePath, query)
        return handle
    }

    /// Reads the value once: from the server while there is a connection, otherwise the known value (SYNC-3).
    ///
    /// - Parameter block: receives the error, and an empty snapshot with it.
    package func get(_ block: @escaping ((any Error)?, WDGDataSnapshot) -> Void) {
        client.ask(.get(path: treePath.joined, query)) { [treePath, query, shared, client] outcome in
            let answer = outcome.rows.first?.fields.first { $0.name == "value" }
            let snapshot = WDGDataSnapshot(
                answer.map { TreeNode(answer: $0.value) } ?? .empty, at: treePath, query.order, of: shared)
            client.callBack { block(client.dialect.syncError(outcome.status), snapshot) }
        }
    }

    // MARK: Removal

    /// Ends an observer of this query; for a reference, one of any query at its path.
    public func removeObserver(withHandle handle: WDGSyncHandle) {
        client.removeObservers(at: treePath, query.isDefault ? nil : query) { $0.handle == handle }
    }

    /// Ends all observers of this query; for a reference, those of every query at its path.
    public func removeAllObservers() {
        client.removeObservers(at: treePath, query.isDefault ? nil : query) { _ in true }
    }
}
