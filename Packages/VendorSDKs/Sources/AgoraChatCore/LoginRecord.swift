import AppStandIns
import Foundation

/// What the SDK remembers of its login beside the machine.
struct LoginRecord {
    /// What the app has logged in with, or renewed it by; nil for a password, and where the SDK logged in by itself.
    var token: String?
    /// Whether a logout is under way.
    var isLeaving = false
}

extension DeviceStorage {
    private static let autologinPath = "AgoraChat/autologin"

    /// The user for whom the next process logs in by itself; nil for nobody.
    var autologinUser: String? {
        get { files[Self.autologinPath].map { String(decoding: $0, as: UTF8.self) } }
        set { files[Self.autologinPath] = newValue.map { Data($0.utf8) } }
    }
}
