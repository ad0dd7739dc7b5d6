/// The passwords of one application's users.
///
/// Confined to the world's thread.
package protocol PasswordBook: AnyObject {
    /// Sets the password of a user; it has passed ``Password/objection(to:)``.
    ///
    /// - Throws: an error that says why it cannot be kept; then the one before still holds.
    func set(_ password: String, of user: String) throws
    /// Takes the password of a user away.
    func forget(_ user: String) throws
    func hasPassword(_ user: String) -> Bool
    /// Changes whenever the user's password does.
    func version(of user: String) -> UInt64
    /// Whether a password is the user's.
    ///
    /// - Parameters:
    ///   - isUrgent: whether it goes before those that are not, who may only be guessing.
    ///   - then: is called exactly once, at once or later, on any thread.
    func check(_ password: String, of user: String, isUrgent: Bool, then: @escaping @Sendable (Bool) -> Void)
}

/// What can be a password.
package enum Password {
    /// Longer ones are refused, so that nobody makes a server stretch a novel.
    package static let bytesMax = 1024

    /// Why a text cannot be a password, nil when it can.
    package static func objection(to password: String) -> String? {
        if password.isEmpty { return "a password cannot be empty" }
        if password.utf8.count > bytesMax { return "a password has at most \(bytesMax) bytes" }
        return nil
    }
}
