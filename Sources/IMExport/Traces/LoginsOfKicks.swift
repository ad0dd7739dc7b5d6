import IMProtocol
import IMSession

/// Which login caused each kick, as the server's events say it.
struct LoginsOfKicks {
    /// By the number of the sending of a kick, that of the arrival of the login.
    private(set) var ofKicks: [UInt64: UInt64] = [:]
    private var arrivals: Set<UInt64> = []

    /// Takes the next event of a session.
    mutating func take(_ event: SessionEvent) {
        switch event.content {
        case .input(.frame(_, let frame)):
            if case .login = frame.body { arrivals.insert(event.number) }
        case .effect(.send(_, let frame)):
            if case .kicked = frame.body, arrivals.contains(event.cause) { ofKicks[event.number] = event.cause }
        default: break
        }
    }
}
