import Foundation

/// A placeholder for a value that only the server has.
public final class WDGServerValue: NSObject {
    override private init() {}

    /// The server's time at which it accepts the write, in milliseconds since 1970, as a value or a priority. Until
    /// then it is estimated (SYNC-7).
    public class func timestamp() -> [AnyHashable: Any] { [".sv": "timestamp"] }
}
