import IMClient
import IMProtocol
import IMServer
import SansIO

/// The machine of a node: a client or a server. A session contains both kinds of machine, but the recorder supports
/// only one type of machine, which is this type.
///
/// Exactly one of ``client`` and ``server`` is set. This is not an enum with two cases, because a change of the payload
/// of a case copies the machine, and machines are large.
public struct NodeMachine: Machine {
    /// The machine of a client; nil in a server.
    public private(set) var client: ClientMachine?
    /// The machine of the server; nil in a client.
    public private(set) var server: ServerMachine?
    /// Buffers for the machine's effects. They are empty between two inputs and not part of the state. They are kept so
    /// that their memory need not be allocated for each input.
    private var clientEffects: [ClientEffect] = []
    private var serverEffects: [ServerEffect] = []

    /// A node that is a client.
    public static func client(_ machine: ClientMachine) -> NodeMachine { NodeMachine(client: machine) }
    /// A node that is a server.
    public static func server(_ machine: ServerMachine) -> NodeMachine { NodeMachine(server: machine) }

    private init(client: ClientMachine? = nil, server: ServerMachine? = nil) {
        self.client = client
        self.server = server
    }

    /// The reason why the state is impossible; nil if it is possible.
    var validationError: String? { client?.validationError ?? server?.validationError }

    /// Sets a new seed for a client's later random choices. A server makes no random choices.
    package mutating func reseed(seed: UInt64) { client?.reseed(seed: seed) }

    /// The time at which the machine needs the input `deadlineReached`; nil if it needs none before its next input.
    public var nextDeadline: Instant? { client?.nextDeadline ?? server?.nextDeadline }

    /// Passes an input to the client or the server. An input that this kind of machine does not support has no effect.
    public mutating func handle(_ input: NodeInput, at now: Instant, into effects: inout [NodeEffect]) {
        var deadline: Deadline?
        take(input, at: now, number: 0, into: &effects, deadline: &deadline)
    }

    /// The time at which a machine needs the input `deadlineReached`.
    package struct Deadline: Sendable {
        package var at: Instant
        /// The number of the input that set this deadline; 0 if unknown. See `take`.
        package var setter: UInt64

        package init(at: Instant, setter: UInt64 = 0) {
            self.at = at
            self.setter = setter
        }
    }

    /// The next deadline and the input that set it. Reading this property copies the machine, so hosts use the deadline
    /// that `take` returns.
    package var deadline: Deadline? {
        client.map(\.deadline) ?? server?.deadline ?? nil
    }

    /// Gives `body` access to the client without copying it. Reading ``client`` copies the machine, which is large.
    ///
    /// - Returns: the result of `body`; nil if the node is a server.
    package mutating func atClient<Result>(_ body: (inout ClientMachine) -> Result) -> Result? { client?.at(body) }

    /// Handles an input.
    ///
    /// - Parameters:
    ///   - number: a number that the host gives the input. It is stored with each timer that the input sets.
    ///   - deadline: is set to the next deadline. This avoids the copy that ``deadline`` makes.
    package mutating func take(
        _ input: NodeInput, at now: Instant, number: UInt64, into effects: inout [NodeEffect],
        deadline: inout Deadline?
    ) {
        if client?.take(input, at: now, number: number, into: &clientEffects, deadline: &deadline) != nil {
            moveEffects(&clientEffects, to: &effects, as: NodeEffect.init)
        } else if server?.take(input, at: now, number: number, into: &serverEffects, deadline: &deadline) != nil {
            moveEffects(&serverEffects, to: &effects, as: NodeEffect.init)
        }
    }

    /// Moves the machine's effects to the host's array. The buffer keeps its memory only if it is small.
    @inline(__always)
    private func moveEffects<Effect>(
        _ own: inout [Effect], to effects: inout [NodeEffect], as node: (Effect) -> NodeEffect
    ) {
        guard !own.isEmpty else { return }
        for effect in own { effects.append(node(effect)) }
        own.removeAll(keepingCapacity: own.count <= 16)
    }
}

extension ClientMachine {
    fileprivate mutating func at<Result>(_ body: (inout ClientMachine) -> Result) -> Result { body(&self) }

    fileprivate var deadline: NodeMachine.Deadline? {
        nextDeadline.map { NodeMachine.Deadline(at: $0, setter: nextDeadlineSetter) }
    }

    fileprivate mutating func take(
        _ input: NodeInput, at now: Instant, number: UInt64, into effects: inout [ClientEffect],
        deadline: inout NodeMachine.Deadline?
    ) {
        inputNumber = number
        if let input = input.forClient { handle(input, at: now, into: &effects) }
        deadline = self.deadline
    }
}

extension ServerMachine {
    fileprivate var deadline: NodeMachine.Deadline? {
        nextDeadline.map { NodeMachine.Deadline(at: $0, setter: nextDeadlineSetter) }
    }

    fileprivate mutating func take(
        _ input: NodeInput, at now: Instant, number: UInt64, into effects: inout [ServerEffect],
        deadline: inout NodeMachine.Deadline?
    ) {
        inputNumber = number
        if let input = input.forServer { handle(input, at: now, into: &effects) }
        deadline = self.deadline
    }
}

// A keyframe contains `{"client":{"_0":…}}` or `{"server":{"_0":…}}`, as the synthesized coding of an enum would write
// it.
extension NodeMachine: Codable {
    private enum KindKey: String, CodingKey {
        case client, server
    }

    private enum PayloadKey: String, CodingKey {
        case machine = "_0"
    }

    /// Reads a client or a server. Throws if the object has neither of the keys, or both.
    public init(from decoder: any Decoder) throws {
        let kinds = try decoder.container(keyedBy: KindKey.self)
        guard let side = kinds.allKeys.first, kinds.allKeys.count == 1 else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "not exactly one of client and server"))
        }
        let payload = try kinds.nestedContainer(keyedBy: PayloadKey.self, forKey: side)
        switch side {
        case .client: self.init(client: try payload.decode(ClientMachine.self, forKey: .machine))
        case .server: self.init(server: try payload.decode(ServerMachine.self, forKey: .machine))
        }
    }

    /// Writes the machine under the name of its kind.
    public func encode(to encoder: any Encoder) throws {
        var kinds = encoder.container(keyedBy: KindKey.self)
        if let client {
            var payload = kinds.nestedContainer(keyedBy: PayloadKey.self, forKey: .client)
            try payload.encode(client, forKey: .machine)
        } else if let server {
            var payload = kinds.nestedContainer(keyedBy: PayloadKey.self, forKey: .server)
            try payload.encode(server, forKey: .machine)
        }
    }
}

/// An input of a node.
public enum NodeInput: Hashable, Sendable {
    /// A frame arrived over a connection.
    case frame(ConnectionID, Frame)
    /// Bytes arrived over a connection that are not a valid frame.
    case unreadable(ConnectionID, FrameError)
    /// For a client: the connection that it requested is open. For a server: a client has opened a connection.
    case linkOpened(ConnectionID)
    /// The connection that a client requested could not be opened.
    case linkFailed(ConnectionID, LinkError)
    /// A connection has ended; a server does not receive the reason.
    case linkClosed(ConnectionID, LinkError)
    /// The time of the machine's deadline has been reached.
    case deadlineReached
    /// The network of a client's device has changed.
    case network(NetworkChange)
    /// The process of a client's app, or its device, has changed: in the background, asleep, clock set.
    case app(AppChange)
    /// The store has answered a client's request for its user's local data.
    case data(DataAnswer)
    /// A command from the app to its client.
    case clientCommand(CommandID, ClientCommand)
    /// A command from the operator to the server.
    case serverCommand(CommandID, ServerCommand)

    /// The input for a client; nil if clients do not support it. A file from elsewhere may contain such an input.
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
        case .data(let answer): .dataAnswered(answer)
        case .clientCommand(let id, let command): .command(id, command)
        case .serverCommand: nil
        }
    }

    /// The input for a server; nil if servers do not support it.
    var forServer: ServerInput? {
        switch self {
        case .frame(let id, let frame): .frameReceived(id, frame)
        case .unreadable(let id, let error): .frameUnreadable(id, error)
        case .linkOpened(let id): .connectionOpened(id)
        case .linkClosed(let id, let fault): .connectionClosed(id, isBroken: fault != .closedByPeer)
        case .deadlineReached: .deadlineReached
        case .serverCommand(let id, let command): .command(id, command)
        case .linkFailed, .network, .app, .data, .clientCommand: nil
        }
    }
}

/// An effect of a node.
public enum NodeEffect: Hashable, Sendable {
    /// Sends a frame over a connection.
    case send(ConnectionID, Frame)
    /// A client opens a connection, which gets this number.
    case connect(ConnectionID)
    /// Ends a connection. Frames that were sent over the connection before can still arrive at the peer.
    case closeLink(ConnectionID)
    /// Stores a client's data, so that the app's next process has it.
    indirect case persist(LocalData)
    /// Stores an item, such as a message, with the data of a client's user.
    indirect case keep(LocalItem)
    /// A request for a client's local data.
    case data(DataRequest)
    /// The result of a command. Each command gets exactly one result (C-1).
    case complete(CommandID, Completion)
    /// A notification to a client's app.
    case notify(ClientNotification)
    /// A client's state has changed.
    case transition(StateChange)
    /// The server's view of a user's presence has changed.
    case presence(user: String, device: String, PresenceChange)

    init(_ effect: ClientEffect) {
        switch effect {
        case .send(let id, let frame): self = .send(id, frame)
        case .connect(let id): self = .connect(id)
        case .closeLink(let id): self = .closeLink(id)
        case .persist(let data): self = .persist(data)
        case .keep(let item): self = .keep(item)
        case .data(let request): self = .data(request)
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

    /// The effect as a client's effect; nil if only servers have this effect.
    public var ofClient: ClientEffect? {
        switch self {
        case .send(let id, let frame): .send(id, frame)
        case .connect(let id): .connect(id)
        case .closeLink(let id): .closeLink(id)
        case .persist(let data): .persist(data)
        case .keep(let item): .keep(item)
        case .data(let request): .data(request)
        case .complete(let id, let completion): .complete(id, completion)
        case .notify(let notification): .notify(notification)
        case .transition(let change): .transition(change)
        case .presence: nil
        }
    }
}
