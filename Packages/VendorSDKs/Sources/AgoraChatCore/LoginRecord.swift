import AppStandIns
import Foundation

/// The SDK's own data about its logins, besides the machine's.
struct LoginRecord {
    /// Tokens that the app has set or the server has made, by the names of their credentials in the machine.
    var tokens: [String: String] = [:]
    /// True while a logout is in progress.
    var isLeaving = false
}

extension DeviceStorage {
    private static let path = "AgoraChat/not-by-itself"

    /// The names of credentials that the SDK does not use for an automatic login. They are added before a login has
    /// ended. For a failed login this has no effect: the machine keeps the credential of the last successful one.
    var credentialsOfOneProcess: Set<String> {
        get {
            let text = files[Self.path].map { String(decoding: $0, as: UTF8.self) } ?? ""
            return Set(text.split(separator: "\n").map(String.init))
        }
        set { files[Self.path] = Data(newValue.sorted().joined(separator: "\n").utf8) }
    }
}
