import Foundation
import IMClient
import IMProtocol
import IMTree

// What is written is seen here at once, and sent in order (SYNC-10). A block is called when the server has taken it or
// refused it, not before; also after breaks of the connection.

/// How a write ended, and where.
public typealias WDGSyncCompletionBlock = ((any Error)?, WDGSyncReference) -> Void

extension WDGSyncReference {
    /// Writes a value; what was there is gone, its priority too.
    public func setValue(_ value: Any?) { set(value, priority: nil, nil) }

    /// The same, and says how it ended.
    public func setValue(_ value: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        set(value, priority: nil, block)
    }

    /// Writes a value, and what orders it among its siblings: a number, a text or nothing.
    public func setValue(_ value: Any?, andPriority priority: Any?) { set(value, priority: .some(priority), nil) }

    /// The same, and says how it ended.
    public func setValue(
        _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        set(value, priority: .some(priority), block)
    }

    private func set(_ value: Any?, priority: Any??, _ block: WDGSyncCompletionBlock?) {
        make(block) { .set(path: place.joined, try node(value, priority)) }
    }

    /// - Parameter priority: nil where nothing is said of it.
    private func node(_ value: Any?, _ priority: Any??) throws -> TreeNode {
        let node = try TreeNode(value)
        return priority == nil ? node : node.with(priority: try TreeLeaf(priority: priority ?? nil))
    }

    /// Removes what is there.
    public func removeValue() { set(nil, priority: nil, nil) }

    /// The same, and says how it ended.
    public func removeValue(completionBlock block: @escaping WDGSyncCompletionBlock) { set(nil, priority: nil, block) }

    /// Orders what is there among its siblings; where nothing is, it fails with 26301.
    public func setPriority(_ priority: Any?) { prioritize(priority, nil) }

    /// The same, and says how it ended.
    public func setPriority(_ priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        prioritize(priority, block)
    }

    private func prioritize(_ priority: Any?, _ block: WDGSyncCompletionBlock?) {
        make(block) {
            let leaf = try TreeLeaf(priority: priority)
            return .set(path: (place + [.priority]).joined, leaf.map { TreeNode($0) } ?? .empty)
        }
    }

    /// Writes several places below at once, all or none, and leaves what is beside them.
    ///
    /// - Parameter values: keys may lead deeper, with `/` between; `NSNull` removes.
    public func updateChildValues(_ values: [AnyHashable: Any]) { update(values, nil) }

    /// The same, and says how it ended.
    public func updateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        update(values, block)
    }

    private func update(_ values: [AnyHashable: Any], _ block: WDGSyncCompletionBlock?) {
        make(block) { .update(path: place.joined, try TreeUpdate(values)) }
    }

    // MARK: At the end of the connection

    // The server does it once, however the connection ends; after a break it has to be ordered anew (SYNC-6).

    /// Has the server write a value when the connection ends.
    public func onDisconnectSetValue(_ value: Any?) { order(value, priority: nil, nil) }

    /// The same, and says whether the server has noted it.
    public func onDisconnectSetValue(_ value: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock) {
        order(value, priority: nil, block)
    }

    /// Has the server write a value and its priority when the connection ends.
    public func onDisconnectSetValue(_ value: Any?, andPriority priority: Any) {
        order(value, priority: .some(priority), nil)
    }

    /// The same, and says whether the server has noted it.
    public func onDisconnectSetValue(
        _ value: Any?, andPriority priority: Any?, withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        order(value, priority: .some(priority), block)
    }

    private func order(_ value: Any?, priority: Any??, _ block: WDGSyncCompletionBlock?) {
        make(block) { .onDisconnect(path: place.joined, try node(value, priority)) }
    }

    /// Has the server remove what is there when the connection ends.
    public func onDisconnectRemoveValue() { order(nil, priority: nil, nil) }

    /// The same, and says whether the server has noted it.
    public func onDisconnectRemoveValue(completionBlock block: @escaping WDGSyncCompletionBlock) {
        order(nil, priority: nil, block)
    }

    /// Has the server write several places below when the connection ends.
    public func onDisconnectUpdateChildValues(_ values: [AnyHashable: Any]) { orderUpdate(values, nil) }

    /// The same, and says whether the server has noted it.
    public func onDisconnectUpdateChildValues(
        _ values: [AnyHashable: Any], withCompletionBlock block: @escaping WDGSyncCompletionBlock
    ) {
        orderUpdate(values, block)
    }

    private func orderUpdate(_ values: [AnyHashable: Any], _ block: WDGSyncCompletionBlock?) {
        make(block) { .onDisconnectUpdate(path: place.joined, try TreeUpdate(values)) }
    }

    /// Takes back whatever was ordered here and below.
    public func cancelDisconnectOperations() { make(nil) { .cancelOnDisconnect(path: place.joined) } }

    /// The same, and says whether the server has forgotten it.
    public func cancelDisconnectOperations(completionBlock block: WDGSyncCompletionBlock?) {
        make(block) { .cancelOnDisconnect(path: place.joined) }
    }

    // MARK: Doing it

    private func make(_ block: WDGSyncCompletionBlock?, _ command: () throws -> TreeCommand) {
        let completion = block.map { block in { [self] (error: NSError?) in block(error, self) } }
        do {
            client.perform(try command(), completion: completion)
        } catch {
            let text = (error as? NoTreeValue)?.text ?? "\(error)"
            client.refuse("SYNC-10", "\(text) at /\(place.joined)", .invalidArgument, completion: completion)
        }
    }
}
