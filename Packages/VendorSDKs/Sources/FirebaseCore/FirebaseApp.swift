import Foundation
@_exported import WilddogCore

// Firebase's names for the app. Wilddog Sync is a twin of Firebase Realtime Database, so the types are Wilddog's.

public typealias FirebaseApp = WDGApp

/// The options of an app. Only ``databaseURL`` has an effect.
public final class FirebaseOptions: NSObject, @unchecked Sendable {
    public var googleAppID: String
    public var gcmSenderID: String
    public var apiKey: String?
    public var projectID: String?
    public var bundleID = ""
    public var clientID: String?
    public var storageBucket: String?
    /// The address of the app's tree. Nil accepts any address in `reference(fromURL:)`.
    public var databaseURL: String?

    public init(googleAppID: String, gcmSenderID: String) {
        self.googleAppID = googleAppID
        self.gcmSenderID = gcmSenderID
    }

    fileprivate var wilddog: WDGOptions { WDGOptions(syncURL: databaseURL ?? "") }
}

extension WDGApp {
    /// Sets up the default app. The vendor reads its options from a file; here there are none.
    public class func configure() { configure(with: WDGOptions(syncURL: "")) }

    /// Sets up the default app.
    public class func configure(options: FirebaseOptions) { configure(with: options.wilddog) }

    /// Sets up another app.
    ///
    /// - Parameter name: letters, digits and `_`.
    public class func configure(name: String, options: FirebaseOptions) {
        configure(withName: name, options: options.wilddog)
    }

    /// The default app. Nil before it is set up.
    public class func app() -> WDGApp? { defaultApp() }

    /// The app with a name. Nil if none was set up.
    public class func app(name: String) -> WDGApp? { WDGApp(named: name) }
}
