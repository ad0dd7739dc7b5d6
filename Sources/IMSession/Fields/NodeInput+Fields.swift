import IMClient
import IMProtocol
import IMServer
import SansIO

// The fields of inputs and of start events.

extension NodeInput: HasFields {
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> NodeInput {
        switch self {
        case .frame(let connection, let frame): return .frame(connection, frame.visitFields(&visitor))
        case .unreadable(_, let error):
            visitor.shown(.type, "unreadable")
            visitor.shown(.error, error.explanation)
        case .linkOpened: visitor.shown(.link, "opened")
        case .linkFailed(let connection, let fault):
            visitor.shown(.link, "failed")
            return .linkFailed(connection, visitor.choice(.fault, fault))
        case .linkClosed(let connection, let fault):
            visitor.shown(.link, "closed")
            return .linkClosed(connection, visitor.choice(.fault, fault))
        case .deadlineReached: break
        case .network(let change): return .network(visitor.choice(.network, change))
        case .app(let change): change.showFields(to: &visitor)
        case .data(let answer): return .data(answer.visitFields(&visitor))
        case .clientCommand(let id, let command):
            visitor.shown(.id, String(id.rawValue))
            return .clientCommand(id, command.visitFields(&visitor))
        case .serverCommand(let id, let command):
            visitor.shown(.id, String(id.rawValue))
            return .serverCommand(id, command.visitFields(&visitor))
        }
        return self
    }
}

extension AppChange {
    fileprivate func showFields<Visitor: FieldVisitor>(to visitor: inout Visitor) {
        switch self {
        case .background: visitor.shown(.app, "background")
        case .foreground: visitor.shown(.app, "foreground")
        case .woke(let slept):
            visitor.shown(.app, "woke")
            visitor.shown(.sleptMs, String(slept.inMilliseconds))
        case .closing: visitor.shown(.app, "closing")
        case .clockSet(let jump):
            visitor.shown(.clock, "set")
            visitor.shown(.byMs, String(jump.inMilliseconds))
        }
    }
}

extension StartRecord: HasFields {
    /// Visits the fields of a start event. Of a server's state only the number of accounts is shown.
    @discardableResult
    package func visitFields<Visitor: FieldVisitor>(_ visitor: inout Visitor) -> StartRecord {
        var start = self
        start.name = visitor.hidden(name, .node)
        start.profile = visitor.text(.profile, profile, .impersonal)
        switch body {
        case .client(let policy, let device, let local, let seed, let firstConnection, let nonce):
            let device = visitor.ownDevice(device)
            let local = local.visitFields(&visitor, isStart: true)
            start.body = .client(
                policy: policy, device: device, local: local, seed: visitor.number(.seed, seed),
                firstConnection: firstConnection, nonce: nonce)
        case .server(let machine): visitor.shown(.accounts, String(machine.users.count))
        }
        return start
    }
}
