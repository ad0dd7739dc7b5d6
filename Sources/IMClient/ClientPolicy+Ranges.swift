import IMProtocol
import SansIO

extension ClientPolicy {
    /// The reason why the policy is invalid, as text; nil if the policy is valid. `PolicyLimit` checks each field by
    /// its type. Fields with narrower limits are checked here.
    public var validationError: String? {
        let periods = PolicyLimit.periodMin...PolicyLimit.durationMax
        let own: String? =
            if !periods.contains(heartbeatInterval) {
                "heartbeatInterval"
            } else if !retryDelays.allSatisfy(periods.contains) {
                "retryDelays"
            } else if let suspension, !periods.contains(suspension.retryDelay) {
                "suspension"
            } else {
                PolicyLimit.validationError(in: self)
            }
        return own.map { "its policy's \($0) is out of range" }
    }
}

extension ClientMachine {
    /// The reason why a client that was read from a file is invalid, as text; nil if the client is valid.
    public var validationError: String? {
        if let validationError = policy.validationError { return validationError }
        if retryCountMax < 0 { return "its retryCountMax is negative" }
        if ownRetryDelays.contains(where: { $0 <= .zero }) { return "its own retry delays are not positive" }
        if let login, login.retryCount < 0 { return "its retryCount is negative" }
        return nil
    }
}
