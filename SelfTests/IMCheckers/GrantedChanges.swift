import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// The changes of users' data that the server grants, whether they were requested as changes or as contact operations
/// (ZIM-9, CHAT-8).
struct GrantedChanges {
    private var pending: (connection: ConnectionID, user: String, change: LocalChange)?

    /// - Returns: the granted change and its user; nil for other events.
    mutating func next(_ event: SessionEvent, _ trace: ServerTrace) -> (user: String, change: LocalChange)? {
        switch event.content {
        case .input(let input):
            pending = nil
            guard case .frame(let connection, let frame) = input, let change = Self.change(frame.body),
                let user = trace.carried[connection]?.slot.user, !trace.over.contains(connection)
            else { return nil }
            pending = (connection, user, change)
        case .effect(.send(let connection, let frame)):
            guard let (asking, user, change) = pending, asking == connection else { return nil }
            switch frame.body {
            case .changeAck(.ok), .operationAck(.ok): return (user, change)
            default: return nil
            }
        default: break
        }
        return nil
    }

    private static func change(_ body: FrameBody) -> LocalChange? {
        switch body {
        case .change(let record): LocalChange(record)
        case .operation(let operation):
            switch operation.kind {
            case .contactRemove: .friendRemoved(operation.target)
            case .contactAccept:
                .friendApplication(FriendApplication(user: operation.target, isReceived: true, state: .accepted))
            case .contactDecline:
                .friendApplication(FriendApplication(user: operation.target, isReceived: true, state: .rejected))
            case .contactBan: .blacklisted(operation.target, true)
            case .contactAllow: .blacklisted(operation.target, false)
            default: nil
            }
        default: nil
        }
    }
}
