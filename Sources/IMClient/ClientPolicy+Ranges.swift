import IMProtocol
import SansIO

extension ClientPolicy {
    /// What no policy can hold, in words; nil when there is nothing. Each field is judged by its type; those of which more
    /// is to be said stand here.
    public var flaw: String? {
        let periods = PolicyLimit.periodMin...PolicyLimit.durationMax
        let own: String? =
            if !periods.contains(heartbeatInterval) {
                "heartbeatInterval"
            } else if !retryDelays.allSatisfy(periods.contains) {
                "retryDelays"
            } else {
                PolicyLimit.flaw(in: self)
            }
        return own.map { "its policy's \($0) is out of range" }
    }
}

extension ClientMachine {
    /// What no machine can have come to, in words; nil when there is nothing. Asked for machines that files hold.
    public var flaw: String? {
        if let flaw = policy.flaw { return flaw }
        if retryCountMax < 0 { return "its retryCountMax is negative" }
        if ownRetryDelays.contains(where: { $0 <= .zero }) { return "its own retry delays are not positive" }
        if let login, login.retryCount < 0 { return "its retryCount is negative" }
        return nil
    }
}
