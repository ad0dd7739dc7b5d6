import Foundation
import IMProtocol
import IMTree

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A path in the tree, for reading and writing.
///
/// A key that the vendor does not allow is reported as a violation when it is passed; calls on the reference then fail
/// with 26106. The vendor's SDK would end the app.
public final class WDGSyncReference: WDGSyncQuery, @unchecked Sendable {
    init(_ treePath: [TreeKey], of sync: WDGSync) {
        super.init(treePath, of: sync)
        let own = treePath.isInfo ? treePath.dropFirst() : treePath[...]
        if let wrong = own.first(where: { !$0.isAllowed }) {
            sync.client.violated("SYNC-10", "a reference with the key '\(wrong)'")
        }
    }

    public override var ref: WDGSyncReference { self }

    // MARK: Other paths

    /// A path below this one; keys with `/` between.
    public func child(_ pathString: String) -> WDGSyncReference {
        WDGSyncReference(treePath + [TreeKey](path: pathString), of: shared)
    }

    /// `child(_:)` in the form of older versions.
    @available(*, deprecated, renamed: "child(_:)")
    public func child(byAppendingPath pathString: String) -> WDGSyncReference { child(pathString) }

    /// A new child, whose key sorts after all keys made before.
    public func childByAutoId() -> WDGSyncReference { WDGSyncReference(treePath + [client.nextChildID()], of: shared) }

    /// The parent. Nil for the root.
    public var parent: WDGSyncReference? {
        treePath.isEmpty ? nil : WDGSyncReference(treePath.dropLast(), of: shared)
    }

    /// The root of the tree.
    public var root: WDGSyncReference { WDGSyncReference([], of: shared) }

    /// The last key of the path; empty for the root.
    // Firebase's `key` is an optional: its module declares that one, and this one must not make it ambiguous.
    @_disfavoredOverload
    public var key: String { treePath.last?.text ?? "" }

    /// The keys of the path.
    package var path: [String] { treePath.map(\.text) }

    /// The address.
    public var url: String { shared.url(of: treePath) }

    /// The address.
    public override var description: String { url }

    /// The object that it was made from.
    public var sync: WDGSync { shared }

    // MARK: Connection

    /// Takes the whole process offline until ``goOnline()`` (SYNC-8).
    public class func goOffline() { SyncClient.current(for: "WDGSyncReference.goOffline()").goOffline() }

    /// Lets it connect again (SYNC-8).
    public class func goOnline() { SyncClient.current(for: "WDGSyncReference.goOnline()").goOnline() }
}
