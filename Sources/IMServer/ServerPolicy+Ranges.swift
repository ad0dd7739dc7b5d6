import IMProtocol

extension ServerPolicy {
    /// Stored properties that `server policy` does not change and that any value will do for.
    static let unranged = ["profile", "admitsWithoutCredential"]

    /// What no policy can hold, in words; nil when there is nothing. A policy from a file is judged by the table that
    /// `server policy` sets it by.
    public var flaw: String? {
        ServerMachine.keys.first { !$0.allows(self) }.map { "its policy's \($0.key) is out of range" }
    }
}

extension ServerMachine {
    /// What no machine can have come to, in words; nil when there is nothing. Asked for machines that files hold.
    public var flaw: String? { policy.flaw }
}
