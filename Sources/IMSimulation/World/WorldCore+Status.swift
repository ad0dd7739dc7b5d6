import IMClient
import IMProtocol
import IMSession

extension WorldCore {
    /// The status of a client's last command; nil until it has completed.
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
