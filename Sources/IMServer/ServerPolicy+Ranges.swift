import IMProtocol

extension ServerPolicy {
    /// The reason why a policy from a file is invalid, as text; nil if it is valid. `settings` checks the properties
    /// that `server policy` can change, `PolicyLimit` checks the others by their types.
    public var validationError: String? {
        let wrong = Self.settings.first { !$0.allows(self) }?.key ?? PolicyLimit.validationError(in: self)
        return wrong.map { "its policy's \($0) is out of range" }
    }
}

extension ServerMachine {
    /// The reason why a machine from a file is invalid, as text; nil if it is valid.
    public var validationError: String? { policy.validationError }
}
