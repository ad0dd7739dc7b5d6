import IMProtocol

extension ServerPolicy {
    /// What no policy can hold, in words; nil when there is nothing. A policy from a file is judged by the table that
    /// `server policy` sets it by, and what is not in that table by its type.
    public var flaw: String? {
        let wrong = ServerMachine.keys.first { !$0.allows(self) }?.key ?? PolicyLimit.flaw(in: self)
        return wrong.map { "its policy's \($0) is out of range" }
    }
}

extension ServerMachine {
    /// What no machine can have come to, in words; nil when there is nothing. Asked for machines that files hold.
    public var flaw: String? { policy.flaw }
}
