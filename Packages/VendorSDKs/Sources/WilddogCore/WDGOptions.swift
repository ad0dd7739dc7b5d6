import Foundation

/// What an app is set up with.
public final class WDGOptions: NSObject, Sendable {
    /// Where the app's tree is, such as `https://samplechat.wilddogio.com`. One simulation has one tree, whatever stands
    /// here.
    public let syncURL: String

    /// With the address of the app's tree.
    public init(syncURL: String) { self.syncURL = syncURL }
}
