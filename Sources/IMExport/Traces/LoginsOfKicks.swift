import IMProtocol
import IMSession

/// The login that caused each kick, from the server's events.
struct LoginsOfKicks {
    /// For each event that sent a kick, the event at which the server received the login that caused the kick.
    private(set) var loginArrivals: [UInt64: UInt64] = [:]
    private var arrivals: Set<UInt64> = []

    /// Reads the next event of a session.
    mutating func take(_ event: SessionEvent) {
        switch event.content {
        case .input(.frame(_, let frame)):
            if case .login = frame.body { arrivals.insert(event.number) }
        case .effect(.send(_, let frame)):
            if case .kicked = frame.body, arrivals.contains(event.cause) { loginArrivals[event.number] = event.cause }
        default: break
        }
    }
}
