import IMClient
import IMProtocol
import IMSession

extension WorldCore {
    /// How the last command of a client ended; nil while it has not.
    public func lastStatus(of client: String) -> Status? {
        for event in events.reversed() where event.node == client {
            switch event.content {
            case .effect(.complete(_, let completion)): return completion.status
            case .input(.clientCommand): return nil
            default: continue
            }
        }
        return nil
    }
}
