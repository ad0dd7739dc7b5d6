import Foundation
import SimulatedApp

/// Called with true if the app was deleted.
public typealias WDGAppVoidBoolCallback = (Bool) -> Void

/// A test double of Wilddog's entry point for iOS, as of 2.3. Not affiliated with the vendor: it connects only to the
/// simulated server of the test (`withSimulation("wilddog") { … }`).
///
/// Each process of an app has its own; all of them share the one connection and the one tree.
public final class WDGApp: NSObject, FoundByName, Sendable {
    /// The name that it was set up with; `__WDGAPP_DEFAULT` for the default app.
    public let name: String
    /// The options that it was set up with.
    public let options: WDGOptions

    private static let defaultName = "__WDGAPP_DEFAULT"

    private init(_ name: String, _ options: WDGOptions) {
        self.name = name
        self.options = options
    }

    /// Sets up the default app. To be called before anything else.
    public class func configure(with options: WDGOptions) { configure(withName: defaultName, options: options) }

    /// Sets up another app. It replaces an app of the same name.
    ///
    /// - Parameter name: letters, digits and `_`.
    public class func configure(withName name: String, options: WDGOptions) {
        let isName = !name.isEmpty && name.allSatisfy { $0 == "_" || $0.isLetter || $0.isNumber }
        guard isName else { return SDKClient.current(for: "WDGApp").violated("SYNC-1", "an app named '\(name)'") }
        AppTable.current.apps[name] = WDGApp(name, options)
    }

    /// The default app. Nil before it is set up.
    public class func defaultApp() -> WDGApp? { AppTable.current.apps[defaultName] }

    /// All apps that are set up, by their names. Nil if there are none.
    public class func allApps() -> [AnyHashable: Any]? {
        let apps = AppTable.current.apps
        return apps.isEmpty ? nil : apps
    }

    /// Removes the app, so that its name is free.
    public func delete(_ completion: @escaping WDGAppVoidBoolCallback) {
        let wasThere = AppTable.current.apps[name] === self
        if wasThere { AppTable.current.apps[name] = nil }
        SDKClient.current(for: "WDGApp").enqueue("a completion") { completion(wasThere) }
    }
}

/// In Swift, only an initializer in a protocol extension can return an existing object.
public protocol FoundByName {}

extension FoundByName where Self == WDGApp {
    /// The app with a name. Nil if none was set up.
    public init?(named name: String) {
        guard let app = AppTable.current.apps[name] else { return nil }
        self = app
    }
}

/// The apps of a process. Used on the job thread of virtual time alone.
private final class AppTable: @unchecked Sendable {
    var apps: [String: WDGApp] = [:]

    static var current: AppTable { SDKClient.current(for: "WDGApp").singleton { _ in AppTable() } }
}
