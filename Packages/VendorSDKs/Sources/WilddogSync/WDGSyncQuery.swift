import Foundation
import IMProtocol
import IMTree

/// A path in the tree, with a selection and an order of its children (SYNC-4).
///
/// A query that the vendor does not allow (two orders, two limits, a bound twice) is not made: the test gets a
/// violation, and the old query is returned. Used on the job thread of virtual time alone, so it is Sendable.
public class WDGSyncQuery: NSObject, @unchecked Sendable {
    let treePath: [TreeKey]
    let query: TreeQuery
    /// True if an order was requested, even the default one.
    private let isOrdered: Bool
    /// The object that all references of the process share.
    let shared: WDGSync

    var client: SyncClient { shared.client }

    init(_ treePath: [TreeKey], _ query: TreeQuery = .all, isOrdered: Bool = false, of sync: WDGSync) {
        self.treePath = treePath
        self.query = query
        self.isOrdered = isOrdered
        shared = sync
    }

    /// The path without the query.
    public var ref: WDGSyncReference { WDGSyncReference(treePath, of: shared) }

    /// Keeps the query's result up to date even without an observer (SYNC-3).
    public func keepSynced(_ keepSynced: Bool) { client.keepSynced(treePath, query, keepSynced) }

    // MARK: Order

    /// Orders children by the value at this path below each child; keys with `/` between.
    public func queryOrdered(byChild key: String) -> WDGSyncQuery {
        let keys = [TreeKey](path: key)
        guard !keys.isEmpty, keys.allSatisfy(\.isAllowed) else { return refused("no child can be named '\(key)'") }
        return ordered(by: .child(keys))
    }

    /// By their keys.
    public func queryOrderedByKey() -> WDGSyncQuery { ordered(by: .key) }

    /// By their values.
    public func queryOrderedByValue() -> WDGSyncQuery { ordered(by: .value) }

    /// By their priorities, the default order.
    public func queryOrderedByPriority() -> WDGSyncQuery { ordered(by: .priority) }

    private func ordered(by order: TreeOrder) -> WDGSyncQuery {
        guard !isOrdered else { return refused("a second order") }
        if order == .key, !isKey(query.start) || !isKey(query.end) { return refused(Self.noKey) }
        return with(isOrdered: true) { $0.order = order }
    }

    private static let noKey = "a bound that is no key, where keys are the order"

    /// True if the bound is nil or a key.
    private func isKey(_ bound: TreeQuery.Bound?) -> Bool {
        guard let bound else { return true }
        guard case .text(let text)? = bound.value else { return false }
        return bound.key == nil && TreeKey(text).isAllowed
    }

    // MARK: Limits

    /// The first children up to this number; at most 500 (26103).
    public func queryLimited(toFirst limit: UInt) -> WDGSyncQuery { limited(.first, limit) }

    /// The last children up to this number; at most 500 (26103).
    public func queryLimited(toLast limit: UInt) -> WDGSyncQuery { limited(.last, limit) }

    private func limited(_ end: TreeQuery.Limit.End, _ count: UInt) -> WDGSyncQuery {
        guard query.limit == nil else { return refused("a second limit") }
        guard count > 0 else { return refused("a limit of 0") }
        return with { $0.limit = .init(end, Int(clamping: count)) }
    }

    // MARK: Bounds

    /// From this value on, inclusive.
    public func queryStarting(atValue startValue: Any?) -> WDGSyncQuery {
        queryStarting(atValue: startValue, childKey: nil)
    }

    /// From this value on; among children with that value, from this key on.
    public func queryStarting(atValue startValue: Any?, childKey: String?) -> WDGSyncQuery {
        guard query.start == nil else { return refused("a second start") }
        return bounded(startValue, childKey) { $0.start = $1 }
    }

    /// Up to this value, inclusive.
    public func queryEnding(atValue endValue: Any?) -> WDGSyncQuery { queryEnding(atValue: endValue, childKey: nil) }

    /// Up to this value; among children with that value, up to this key.
    public func queryEnding(atValue endValue: Any?, childKey: String?) -> WDGSyncQuery {
        guard query.end == nil else { return refused("a second end") }
        return bounded(endValue, childKey) { $0.end = $1 }
    }

    /// Only this value.
    public func queryEqual(toValue value: Any?) -> WDGSyncQuery { queryEqual(toValue: value, childKey: nil) }

    /// Only this value; among children with that value, only this key.
    public func queryEqual(toValue value: Any?, childKey: String?) -> WDGSyncQuery {
        guard query.start == nil, query.end == nil else { return refused("an equal value beside a bound") }
        return bounded(value, childKey) { ($0.start, $0.end) = ($1, $1) }
    }

    private func bounded(
        _ value: Any?, _ key: String?, _ set: (inout TreeQuery, TreeQuery.Bound) -> Void
    ) -> WDGSyncQuery {
        guard let node = try? TreeNode(value), node.isEmpty || node.isLeaf, node.priority == nil,
            node.leaf != .serverTimestamp
        else { return refused("a bound that is no value to order by") }
        if let key, !TreeKey(key).isAllowed { return refused("no child can be named '\(key)'") }
        let bound = TreeQuery.Bound(node.leaf, key: key.map { TreeKey($0) })
        guard query.order != .key || isKey(bound) else { return refused(Self.noKey) }
        return with { set(&$0, bound) }
    }

    // MARK: Construction

    private func with(isOrdered: Bool? = nil, _ change: (inout TreeQuery) -> Void) -> WDGSyncQuery {
        var changed = query
        change(&changed)
        return WDGSyncQuery(treePath, changed, isOrdered: isOrdered ?? self.isOrdered, of: shared)
    }

    private func refused(_ text: String) -> WDGSyncQuery {
        client.violated("SYNC-4", "a query with \(text) at /\(treePath.joined)")
        return self
    }
}
