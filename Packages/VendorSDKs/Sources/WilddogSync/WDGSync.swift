import AppStandIns
import Foundation
import IMTree
import SimulatedApp
@_exported import WilddogCore

/// A test double of Wilddog Sync for iOS, as of 2.3.11. Not affiliated with the vendor: it connects only to the
/// simulated server of the test (`withSimulation("wilddog") { … }`).
///
/// Each process of an app has its own. All of a process share one connection (SYNC-1), which the first use of a
/// reference opens. Used on the job thread of virtual time alone, so it is Sendable.
public final class WDGSync: NSObject, @unchecked Sendable {
    /// The app that it was made for.
    public private(set) weak var app: WDGApp?
    let client: SyncClient
    private let address: String

    private init(_ app: WDGApp?, _ client: SyncClient) {
        self.app = app
        self.client = client
        address = app?.options.syncURL ?? ""
    }

    /// The instance of the default app, which has to be set up.
    public class func sync() -> WDGSync {
        let app = WDGApp.defaultApp()
        let client = SyncClient.current(for: "WDGSync.sync()")
        if app == nil { client.violated("SYNC-1", "WDGSync.sync() before WDGApp.configure(with:)") }
        return SyncTable.current.sync(for: app) { WDGSync(app, client) }
    }

    /// The instance of an app. All apps of a process have one tree and one connection here.
    public class func sync(app: WDGApp) -> WDGSync {
        let client = SyncClient.current(for: "WDGSync.sync(app:)")
        return SyncTable.current.sync(for: app) {
            client.note("the Wilddog app \(app.name): all apps of a process share one tree and one connection here")
            return WDGSync(app, client)
        }
    }

    /// The version that this double simulates.
    public class func sdkVersion() -> String { "2.3.11" }

    /// Nothing is logged.
    public class func setLoggingEnabled(_ enabled: Bool) {}

    // MARK: References

    /// The root of the tree.
    public func reference() -> WDGSyncReference { reference(at: []) }

    /// The reference at a path, whose keys have `/` between.
    public func reference(withPath path: String) -> WDGSyncReference { reference(at: [TreeKey](path: path)) }

    /// The reference at an address, which has to be in the app's tree. An app without an address accepts any.
    public func reference(fromURL syncUrl: String) -> WDGSyncReference {
        let parts = URLComponents(string: syncUrl)
        let host = URLComponents(string: address)?.host
        if let host, parts?.host != host {
            client.violated("SYNC-1", "the address \(syncUrl) is not in the tree of \(address)")
        }
        return reference(at: [TreeKey](path: parts?.path ?? ""))
    }

    private func reference(at treePath: [TreeKey]) -> WDGSyncReference {
        client.madeReference()
        return WDGSyncReference(treePath, of: self)
    }

    /// The address of a path.
    func url(of treePath: [TreeKey]) -> String {
        let path = treePath.map { $0.text.addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? $0.text }
        return address + "/" + path.joined(separator: "/")
    }

    // MARK: Connection and settings

    /// Takes the whole process offline until ``goOnline()``: a switch, not a counter (SYNC-8).
    public func goOffline() { client.goOffline() }

    /// Lets it connect again (SYNC-8).
    public func goOnline() { client.goOnline() }

    /// True if data and writes outlive the process (SYNC-2). To be set before the first reference is made; later it has
    /// no effect, and the test gets a violation.
    public var persistenceEnabled: Bool {
        get { client.isPersistent }
        set { client.persist(newValue) }
    }

    /// The queue of the app's blocks: the main queue, or another one that is set before the first reference is made.
    public var callbackQueue: SimulatedDispatchQueue {
        get { client.callbackQueue }
        set { client.callBack(on: newValue) }
    }
}

/// One instance for each app of the process. Used on the job thread of virtual time alone.
private final class SyncTable: @unchecked Sendable {
    private var known: [WDGSync] = []
    /// Retained, so that no other app gets the identity of one of them.
    private var apps: [WDGApp?] = []

    static var current: SyncTable { SDKClient.current(for: "WDGSync").singleton { _ in SyncTable() } }

    func sync(for app: WDGApp?, _ make: () -> WDGSync) -> WDGSync {
        if let index = apps.firstIndex(where: { $0 === app }) { return known[index] }
        let made = make()
        known.append(made)
        apps.append(app)
        return made
    }
}
