import Foundation
import IMProtocol
import IMTree

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// A place of the tree, to be read and written.
///
/// A key that the vendor does not allow is noted as a violation where it is given; what is done there then fails with
/// 26106. The vendor's SDK would end the app.
public final class WDGSyncReference: WDGSyncQuery, @unchecked Sendable {
    init(_ place: [TreeKey], of sync: WDGSync) {
        super.init(place, of: sync)
        let own = place.isInfo ? place.dropFirst() : place[...]
        if let wrong = own.first(where: { !$0.isAllowed }) {
            sync.client.violated("SYNC-10", "a reference with the key '\(wrong)'")
        }
    }

    public override var ref: WDGSyncReference { self }

    // MARK: Other places

    /// A place below, by the keys that lead there with `/` between.
    public func child(_ pathString: String) -> WDGSyncReference {
        WDGSyncReference(place + [TreeKey](path: pathString), of: shared)
    }

    /// As older versions have it.
    @available(*, deprecated, renamed: "child(_:)")
    public func child(byAppendingPath pathString: String) -> WDGSyncReference { child(pathString) }

    /// A place below, under a name that comes after all that were made before.
    public func childByAutoId() -> WDGSyncReference { WDGSyncReference(place + [client.nextChildID()], of: shared) }

    /// The place above; nil for the root.
    public var parent: WDGSyncReference? {
        place.isEmpty ? nil : WDGSyncReference(place.dropLast(), of: shared)
    }

    /// The tree as a whole.
    public var root: WDGSyncReference { WDGSyncReference([], of: shared) }

    /// The last key on the way there; empty for the root.
    public var key: String { place.last?.text ?? "" }

    /// The address.
    public var url: String { shared.url(of: place) }

    /// The address.
    public override var description: String { url }

    /// What it was made from.
    public var sync: WDGSync { shared }

    // MARK: Connection

    /// Takes the whole process offline until ``goOnline()`` (SYNC-8).
    public class func goOffline() { SyncClient.current(for: "WDGSyncReference.goOffline()").goOffline() }

    /// Lets it connect again (SYNC-8).
    public class func goOnline() { SyncClient.current(for: "WDGSyncReference.goOnline()").goOnline() }
}
