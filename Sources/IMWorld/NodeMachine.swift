import IMClient
import IMProtocol
import IMServer
import SansIO

/// What a node of a world runs: a client or a server. A session has machines of both kinds, and a recorder knows one
/// kind of machine; this is that kind.
public enum NodeMachine: Machine, Codable {
    case client(ClientMachine)
    case server(ServerMachine)

    public var nextDeadline: Instant? {
        switch self {
        case .client(let machine): machine.nextDeadline
        case .server(let machine): machine.nextDeadline
        }
    }

    public mutating func handle(_ input: NodeInput, at now: Instant, into effects: inout [NodeEffect]) {
        switch self {
        case .client(var machine):
            guard let input = input.forClient else { return }
            // The machine must have one owner while it changes, or each change would copy it.
            self = .empty
            var own: [ClientEffect] = []
            machine.handle(input, at: now, into: &own)
            self = .client(machine)
            for effect in own { effects.append(NodeEffect(effect)) }
        case .server(var machine):
            guard let input = input.forServer else { return }
            self = .empty
            var own: [ServerEffect] = []
            machine.handle(input, at: now, into: &own)
            self = .server(machine)
            for effect in own { effects.append(NodeEffect(effect)) }
        }
    }

    private static let empty = NodeMachine.server(
        ServerMachine(policy: ServerPolicy(profile: "", exclusion: .none), epochMilliseconds: 0))
}

/// What can happen to a node.
public enum NodeInput: Hashable, Sendable {
    case frame(ConnectionID, Frame)
    case unreadable(ConnectionID, FrameError)
    case linkOpened(ConnectionID)
    case linkFailed(ConnectionID, LinkFault)
    case linkClosed(ConnectionID, LinkFault)
    case deadlineReached
    case network(NetworkChange)
    case app(AppChange)
    case clientCommand(CommandID, ClientCommand)
    case serverCommand(CommandID, ServerCommand)

    /// The same for a client; nil for what only a server understands, which a file may still claim.
    var forClient: ClientInput? {
        switch self {
        case .frame(let id, let frame): .frameReceived(id, frame)
        case .unreadable(let id, let error): .frameUnreadable(id, error)
        case .linkOpened(let id): .linkOpened(id)
        case .linkFailed(let id, let fault): .linkFailed(id, fault)
        case .linkClosed(let id, let fault): .linkClosed(id, fault)
        case .deadlineReached: .deadlineReached
        case .network(let change): .networkChanged(change)
        case .app(let change): .appChanged(change)
        case .clientCommand(let id, let command): .command(id, command)
        case .serverCommand: nil
        }
    }

    /// The same for a server; nil for what only a client understands.
    var forServer: ServerInput? {
        switch self {
        case .frame(let id, let frame): .frameReceived(id, frame)
        case .unreadable(let id, let error): .frameUnreadable(id, error)
        case .linkOpened(let id): .connectionOpened(id)
        case .linkClosed(let id, _): .connectionClosed(id)
        case .deadlineReached: .deadlineReached
        case .serverCommand(let id, let command): .command(id, command)
        case .linkFailed, .network, .app, .clientCommand: nil
        }
    }
}

/// What a node can ask for.
public enum NodeEffect: Hashable, Sendable {
    case send(ConnectionID, Frame)
    case connect(ConnectionID)
    case closeLink(ConnectionID)
    case persist(LocalData)
    case keep(LocalItem)
    case complete(CommandID, Completion)
    case notify(ClientNotification)
    case transition(StateChange)
    case presence(user: String, device: String, PresenceChange)

    init(_ effect: ClientEffect) {
        switch effect {
        case .send(let id, let frame): self = .send(id, frame)
        case .connect(let id): self = .connect(id)
        case .closeLink(let id): self = .closeLink(id)
        case .persist(let data): self = .persist(data)
        case .keep(let item): self = .keep(item)
        case .complete(let id, let completion): self = .complete(id, completion)
        case .notify(let notification): self = .notify(notification)
        case .transition(let change): self = .transition(change)
        }
    }

    init(_ effect: ServerEffect) {
        switch effect {
        case .send(let id, let frame): self = .send(id, frame)
        case .close(let id): self = .closeLink(id)
        case .complete(let id, let answer):
            self = .complete(
                id,
                Completion(
                    answer.status, rows: answer.rows.map { row in AnswerRow(row.map { ($0.name, $0.value) }) }))
        case .presence(let user, let device, let change):
            self = .presence(user: user, device: device, change)
        }
    }

    /// The effect as the client that asked for it named it; nil for what only servers ask for.
    public var ofClient: ClientEffect? {
        switch self {
        case .send(let id, let frame): .send(id, frame)
        case .connect(let id): .connect(id)
        case .closeLink(let id): .closeLink(id)
        case .persist(let data): .persist(data)
        case .keep(let item): .keep(item)
        case .complete(let id, let completion): .complete(id, completion)
        case .notify(let notification): .notify(notification)
        case .transition(let change): .transition(change)
        case .presence: nil
        }
    }
}
