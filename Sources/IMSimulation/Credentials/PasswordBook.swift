/// The passwords of one application's users.
///
/// Confined to the world's thread.
package protocol PasswordBook: AnyObject {
    /// Sets the password of a user; it has passed ``Password/rejectionReason(to:)``.
    ///
    /// - Throws: an error with the reason why it cannot be stored; then the previous password stays valid.
    func set(_ password: String, of user: String) throws
    /// Deletes the password of a user.
    func forget(_ user: String) throws
    func hasPassword(_ user: String) -> Bool
    /// Changes whenever the user's password changes.
    func version(of user: String) -> UInt64
    /// Checks a password of a user.
    ///
    /// - Parameters:
    ///   - isUrgent: true to check it before those that are not urgent, which may be guesses.
    ///   - then: is called exactly once, at once or later, on any thread.
    func check(_ password: String, of user: String, isUrgent: Bool, then: @escaping @Sendable (Bool) -> Void)
}

/// The rules for passwords.
package enum Password {
    /// The maximum length in UTF-8 bytes; longer passwords are refused, so that nobody makes a server hash a novel.
    package static let bytesMax = 1024

    /// The reason why a text cannot be a password, nil if it can.
    package static func rejectionReason(to password: String) -> String? {
        if password.isEmpty { return "a password cannot be empty" }
        if password.utf8.count > bytesMax { return "a password has at most \(bytesMax) bytes" }
        return nil
    }
}
