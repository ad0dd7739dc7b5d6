import Foundation
import IMClient
import IMProtocol
import IMTree

// A write shows locally at once, and writes are sent in order (SYNC-10). A block is called when the server has accepted
// or rejected the write, not before, even if the connection breaks in between.

/// Called with the result of a write, and its reference.
public typealias WDGSyncCompletionBlock = ((any Error)?, WDGSyncReference) -> Void

extension WDGSyncReference {
    /// Writes a value, and replaces the old value and its priority.
    public func setValue(_ value: Any?) { set(value, priority: nil, nil) }

    /// Like `setValue(_:)`, with a completion.
    public func setValue(_ value: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        set(value, priority: nil, block)
    }

    /// Writes a value, and the priority that orders it among its siblings: a number, a text or nothing.
    public func setValue(_ value: Any?, andPriority priority: Any?) { set(value, priority: .some(priority), nil) }

    /// Like `setValue(_:andPriority:)`, with a completion.
    public func setValue(
        _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        set(value, priority: .some(priority), block)
    }

    private func set(_ value: Any?, priority: Any??, _ block: WDGSyncCompletionBlock?) {
        make(block) { .set(path: treePath.joined, try node(value, priority)) }
    }

    /// - Parameter priority: nil if no priority is given.
    private func node(_ value: Any?, _ priority: Any??) throws -> TreeNode {
        let node = try TreeNode(value)
        return priority == nil ? node : node.with(priority: try TreeLeaf(priority: priority ?? nil))
    }

    /// Removes the value.
    public func removeValue() { set(nil, priority: nil, nil) }

    /// Like `removeValue()`, with a completion.
    public func removeValue(completionBlock block: @escaping WDGSyncCompletionBlock) { set(nil, priority: nil, block) }

    /// Sets the value's priority among its siblings. If there is no value, it fails with 26301.
    public func setPriority(_ priority: Any?) { prioritize(priority, nil) }

    /// Like `setPriority(_:)`, with a completion.
    public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        prioritize(priority, block)
    }

    private func prioritize(_ priority: Any?, _ block: WDGSyncCompletionBlock?) {
        make(block) {
            let leaf = try TreeLeaf(priority: priority)
            return .set(path: (treePath + [.priority]).joined, leaf.map { TreeNode($0) } ?? .empty)
        }
    }

    /// Writes several values below this path at once, all or none. Their siblings stay.
    ///
    /// - Parameter values: keys may lead deeper, with `/` between; `NSNull` removes.
    public func updateChildValues(_ values: [AnyHashable: Any]) { update(values, nil) }

    /// Like `updateChildValues(_:)`, with a completion.
    public func updateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        update(values, block)
    }

    private func update(_ values: [AnyHashable: Any], _ block: WDGSyncCompletionBlock?) {
        make(block) { .update(path: treePath.joined, try TreeUpdate(values)) }
    }

    // MARK: At the end of the connection

    // The server executes the operation once, however the connection ends. After a break it has to be requested again
    // (SYNC-6).

    /// Requests that the server writes a value when the connection ends.
    public func onDisconnectSetValue(_ value: Any?) { order(value, priority: nil, nil) }

    /// Like `onDisconnectSetValue(_:)`, with a completion when the server has stored the operation.
    public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        order(value, priority: nil, block)
    }

    /// Requests that the server writes a value and its priority when the connection ends.
    public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any) {
        order(value, priority: .some(priority), nil)
    }

    /// Like `onDisconnectSetValue(_:andPriority:)`, with a completion when the server has stored the operation.
    public func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        order(value, priority: .some(priority), block)
    }

    private func order(_ value: Any?, priority: Any??, _ block: WDGSyncCompletionBlock?) {
        make(block) { .onDisconnect(path: treePath.joined, try node(value, priority)) }
    }

    /// Requests that the server removes the value when the connection ends.
    public func onDisconnectRemoveValue() { order(nil, priority: nil, nil) }

    /// Like `onDisconnectRemoveValue()`, with a completion when the server has stored the operation.
    public func onDisconnectRemoveValue(completionBlock block: @escaping WDGSyncCompletionBlock) {
        order(nil, priority: nil, block)
    }

    /// Requests that the server writes several values below this path when the connection ends.
    public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) { orderUpdate(values, nil) }

    /// Like `onDisconnectUpdateChildValues(_:)`, with a completion when the server has stored the operation.
    public func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        orderUpdate(values, block)
    }

    private func orderUpdate(_ values: [AnyHashable: Any], _ block: WDGSyncCompletionBlock?) {
        make(block) { .onDisconnectUpdate(path: treePath.joined, try TreeUpdate(values)) }
    }

    /// Cancels all onDisconnect operations at this path and below.
    public func cancelDisconnectOperations() { make(nil) { .cancelOnDisconnect(path: treePath.joined) } }

    /// Like `cancelDisconnectOperations()`, with a completion when the server has removed them.
    public func cancelDisconnectOperations(completionBlock block: WDGSyncCompletionBlock?) {
        make(block) { .cancelOnDisconnect(path: treePath.joined) }
    }

    // MARK: Execution

    private func make(_ block: WDGSyncCompletionBlock?, _ command: () throws -> TreeCommand) {
        let completion = block.map { block in { [self] (error: NSError?) in block(error, self) } }
        do {
            client.perform(try command(), completion: completion)
        } catch {
            let text = (error as? NoTreeValue)?.text ?? "\(error)"
            client.refuse("SYNC-10", "\(text) at /\(treePath.joined)", .invalidArgument, completion: completion)
        }
    }
}
