/// The passwords of one application's users.
///
/// Confined to the world's thread.
package protocol PasswordBook: AnyObject {
    /// Sets the password of a user. The caller has checked it with ``Password/rejectionReason(to:)``.
    ///
    /// - Throws: an error with the reason why the password cannot be stored. The previous password then remains valid.
    func set(_ password: String, of user: String) throws
    /// Deletes the password of a user.
    func forget(_ user: String) throws
    func hasPassword(_ user: String) -> Bool
    /// A number that changes with each change of the user's password.
    func version(of user: String) -> UInt64
    /// Checks a password of a user.
    ///
    /// - Parameters:
    ///   - isUrgent: true to check this password before those that are not urgent: its sender has sent a right password
    ///     before, and the other passwords may be guesses.
    ///   - then: called exactly once, immediately or later, on any thread; true if the password is right.
    func check(_ password: String, of user: String, isUrgent: Bool, then: @escaping @Sendable (Bool) -> Void)
}

/// The rules for passwords.
package enum Password {
    /// The maximum length in UTF-8 bytes. Hashing a password takes time, so a client must not be able to send a very
    /// long one.
    package static let bytesMax = 1024

    /// The reason why a text cannot be a password, nil if it can.
    package static func rejectionReason(to password: String) -> String? {
        if password.isEmpty { return "a password cannot be empty" }
        if password.utf8.count > bytesMax { return "a password has at most \(bytesMax) bytes" }
        return nil
    }
}
