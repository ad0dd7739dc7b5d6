import Foundation

/// The options of an app.
public final class WDGOptions: NSObject, Sendable {
    /// The address of the app's tree, such as `https://samplechat.wilddogio.com`. One simulation has one tree, whatever
    /// the address.
    public let syncURL: String

    /// Options with the address of the app's tree.
    public init(syncURL: String) { self.syncURL = syncURL }
}
