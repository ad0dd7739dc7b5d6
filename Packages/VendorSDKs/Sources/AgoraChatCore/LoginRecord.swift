import AppStandIns
import Foundation

/// What the SDK remembers of its logins beside the machine.
struct LoginRecord {
    /// The tokens that the app has given, and those that the server has made, by the names under which the machine knows
    /// credentials.
    var tokens: [String: String] = [:]
    /// Whether a logout is under way.
    var isLeaving = false
}

extension DeviceStorage {
    private static let path = "AgoraChat/not-by-itself"

    /// The names of credentials with which the SDK does not log in by itself. That they are told of before a login has
    /// ended makes no difference to one that fails: the machine keeps the credential of the last one that did not.
    var credentialsOfOneProcess: Set<String> {
        get {
            let text = files[Self.path].map { String(decoding: $0, as: UTF8.self) } ?? ""
            return Set(text.split(separator: "\n").map(String.init))
        }
        set { files[Self.path] = Data(newValue.sorted().joined(separator: "\n").utf8) }
    }
}
