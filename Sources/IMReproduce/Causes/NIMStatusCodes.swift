import IMProtocol
import IMSession

/// Converts values of `StatusCode`, which NIM's Android SDK reports, to login steps and kicks, which the delegate of
/// the other SDKs reports.
struct NIMStatusCodes {
    /// The names of the `StatusCode` values, in the order of their numbers.
    private static let words = [
        "INVALID", "UNLOGIN", "NET_BROKEN", "CONNECTING", "LOGINING", "SYNCING", "LOGINED", "KICKOUT",
        "KICK_BY_OTHER_CLIENT", "FORBIDDEN", "VER_ERROR", "PWD_ERROR",
    ]
    static let callback = "observeOnlineStatus"

    private var last = ""
    private var lastCall = ""

    /// Returns the event of the delegate for a status. Other events, and statuses without such an event, are returned
    /// unchanged.
    mutating func normalized(_ event: LoggedEvent) -> LoggedEvent {
        if event.kind == .call { lastCall = event.name }
        if event.kind == .life, event.name == LoggedEvent.processStarted { (last, lastCall) = ("", "") }
        guard event.name == Self.callback, let value = event.fields.first(where: { $0.name == "status" })?.value else {
            return event
        }
        let status = Int(value).flatMap { Self.words.indices.contains($0) ? Self.words[$0] : nil } ?? value
        defer { last = status }
        guard let (name, field, number) = equivalent(of: status) else { return event }
        var event = event
        event.name = name
        event.fields = [AnswerField(name: field, value: number)]
        return event
    }

    private func equivalent(of status: String) -> (name: String, field: String, value: String)? {
        let isConnected = ["SYNCING", "LOGINED"].contains(last)
        switch status {
        case "CONNECTING": return ("onLogin", "step", "1")
        case "LOGINING": return ("onLogin", "step", "4")
        case "SYNCING": return ("onLogin", "step", "7")
        // LOGINED after SYNCING is the end of the synchronization. Otherwise it is the end of the login.
        case "LOGINED": return ("onLogin", "step", last == "SYNCING" ? "8" : "5")
        case "NET_BROKEN", "UNLOGIN":
            if lastCall == "logout" { return status == "UNLOGIN" && isConnected ? ("onLogin", "step", "11") : nil }
            if isConnected { return ("onLogin", "step", "9") }
            if last == "CONNECTING" { return ("onLogin", "step", "3") }
            return last == "LOGINING" ? ("onLogin", "step", "6") : nil
        case "KICKOUT": return ("onKick", "reason", "1")
        case "KICK_BY_OTHER_CLIENT": return ("onKick", "reason", "3")
        // Only an autologin reports its failure with a callback. The result of a manual login has the code.
        case "FORBIDDEN": return lastCall == "autologin" ? ("onAutoLoginFailed", "error", "422") : nil
        case "PWD_ERROR": return lastCall == "autologin" ? ("onAutoLoginFailed", "error", "302") : nil
        default: return nil
        }
    }
}
