import IMClient
import IMProtocol
import IMSession
import IMSimulation
import NIOCore
import SansIO

/// The connections of a live world, over real WebSockets. Everything runs on one event loop.
final class SocketNetwork: WorldNetwork {
    private struct ClientKey: Hashable {
        var client: NodeID
        var connection: ConnectionID
    }

    let loop: any EventLoop
    unowned let core: WorldCore
    private let timeScale: Double
    private let trust: TLSTrust
    /// The URL that clients connect to.
    var url = ""
    /// Advances the world's time to the present. Called before an input from a socket is delivered.
    var catchUp: () -> Void = {}
    /// Called after an input from a socket has been delivered.
    var didDeliver: () -> Void = {}
    /// True while the world's time is stopped. Then inputs from sockets are held until it continues, because only
    /// commands may happen in the meantime.
    var isTimeStopped: () -> Bool = { false }
    private var heldInputs: [(input: NodeInput, node: NodeID, cause: EventID)] = []
    /// The number of held inputs at which reading stops. Inputs that were already read are still held.
    static let heldCountMax = 4096
    /// True from the input at which reading stops until the held inputs are delivered. Inputs may be dropped in the
    /// meantime, so their number does not show that reading has stopped.
    private var isReadingStopped = false
    /// True while a `net` command runs. The command ends connections at once, so the inputs that report those ends are
    /// delivered even while the time is stopped.
    private var isApplyingNetCommand = false
    private var failureCauses = FailureCauses()
    /// Gives the receiver of a frame the event that sent it. The tag of a frame is the number of that event.
    let tags = MessageTags()
    /// Called with a description of a problem with the clients' URL, once for each new problem.
    var onLinkProblem: ((String) -> Void)?
    private var lastLinkProblem: String?

    private var dialers: [Int: (faults: ConnectionFaults, dialer: WebSocketDialer)] = [:]
    private var clientLinks: [ClientKey: ClientConnection] = [:]
    var accepted: [ConnectionID: AcceptedConnection] = [:]
    /// The password checks that wait for their turn.
    let passwordQueue = PasswordCheckQueue()
    /// The last frame that the server sent, and its bytes.
    private var lastSent: (frame: Frame, bytes: ByteBuffer)?
    /// Called with a description when the server's side had to close a connection.
    var onCut: ((String) -> Void)?
    private var nextServerConnection = ConnectionID(1)
    /// Credentials that are being checked on another thread.
    private let pendingChecks: PendingWork
    private var isListening = false
    /// The loop's queue. The ends of the server's connections pass through it.
    let workQueue: FairWorkQueue

    init(
        core: WorldCore, loop: any EventLoop, workQueue: FairWorkQueue, timeScale: Double, trust: TLSTrust
    ) {
        self.core = core
        self.loop = loop
        self.timeScale = timeScale
        self.trust = trust
        pendingChecks = PendingWork(on: loop)
        self.workQueue = workQueue
    }

    // MARK: The client's side

    func clientAdded(_ client: NodeID, seed: UInt64) {
        let faults = ConnectionFaults(
            conditions: LinkConditions(seed: seed, latency: .zero), on: loop, timeScale: timeScale,
            frameName: Frame.name(ofBytes:))
        let dialer = WebSocketDialer(
            on: loop, trust: trust, faults: faults, timeout: .seconds(120),
            messageBytesMax: ProtocolLimit.frameBytesMax, tags: tags)
        dialers[client.rawValue] = (faults, dialer)
    }

    func connect(_ connection: ConnectionID, from client: NodeID, cause: EventID) {
        guard let dialer = dialers[client.rawValue]?.dialer else { return }
        let key = ClientKey(client: client, connection: connection)
        let link = dialer.connect(to: url, tag: cause.rawValue)
        clientLinks[key] = link
        var isOpen = false
        link.onOpen = { [weak self] in
            isOpen = true
            self?.core.serverWasReached()
            self?.deliverInput(.linkOpened(connection), to: client, cause: cause)
        }
        link.onMessage = { [weak self] bytes, tag in
            let input: NodeInput
            do throws(FrameError) {
                input = .frame(connection, try Frame(bytes: bytes))
            } catch {
                input = .unreadable(connection, error)
            }
            self?.deliverInput(input, to: client, cause: EventID(rawValue: tag))
        }
        link.onClose = { [weak self] end, tag in
            guard let self else { return }
            clientLinks[key] = nil
            if !isOpen { report(end) }
            guard var fault = LinkError(end) else { return }
            // While the world's server is down, its port still belongs to the world. No listener accepts connections
            // there, so the attempt counts as refused.
            if !isOpen, fault == .reset, !isListening, core.serverID != nil, !isApplyingNetCommand { fault = .refused }
            // If a `net` command ends a connection, the client never receives the held inputs of that connection.
            let undelivered = isApplyingNetCommand ? dropHeldInputs(of: connection, client) : []
            let wasReportedOpen = isOpen && !undelivered.contains(.linkOpened(connection))
            deliverInput(
                wasReportedOpen ? .linkClosed(connection, fault) : .linkFailed(connection, fault), to: client,
                cause: origin(of: fault, of: client, wasOpen: wasReportedOpen, attempt: cause, peer: tag))
        }
    }

    /// The event that ended a client's connection. If the network ended it, this is the `net` command. Otherwise it is
    /// the event that closed the other end. An attempt without an answer has no such event, so it is the event that
    /// started the attempt.
    private func origin(
        of fault: LinkError, of client: NodeID, wasOpen: Bool, attempt: EventID, peer tag: UInt64
    ) -> EventID {
        let other =
            wasOpen
            ? EventID(rawValue: tag) : fault == .refused && !isListening ? failureCauses.refusalCause(attempt) : attempt
        return isApplyingNetCommand || fault == .networkDown ? failureCauses.networkCause(client, else: other) : other
    }

    /// Reports to the user why the server was not reached. The machines only receive a ``LinkError``, which has one
    /// case for several reasons, such as an unknown host and a network that is down.
    private func report(_ end: ConnectionEnd) {
        switch end {
        case .unreachable, .unresolvedHost, .tls, .handshake, .invalidURL: break
        // The server is not part of this world, so it was not stopped by a command.
        case .refused where core.serverID == nil: break
        case .closedHere, .closedByPeer, .reset, .networkDown, .refused, .timedOut, .violation: return
        }
        let problem = end == .refused ? "no server listens at \(url): \(end)" : "\(url): \(end)"
        core.serverWasNotReached(problem)
        guard problem != lastLinkProblem else { return }
        lastLinkProblem = problem
        onLinkProblem?(problem)
    }

    func deliverInput(_ input: NodeInput, to node: NodeID, cause: EventID) {
        if isTimeStopped(), !isApplyingNetCommand {
            heldInputs.append((input, node, cause))
            if heldInputs.count == Self.heldCountMax { stopReading() }
            return
        }
        catchUp()
        core.deliver(input, to: node, cause: cause)
        didDeliver()
    }

    /// Delivers the inputs that were held while the time was stopped.
    func deliverHeldInputs() {
        let inputs = heldInputs
        heldInputs = []
        if isReadingStopped {
            isReadingStopped = false
            setReading(true)
        }
        for (input, node, cause) in inputs { core.deliver(input, to: node, cause: cause) }
    }

    private func stopReading() {
        isReadingStopped = true
        setReading(false)
    }

    private func setReading(_ isReading: Bool) {
        for link in clientLinks.values { link.setReading(isReading) }
        for accepted in accepted.values where !accepted.isChecking { accepted.link.setReading(isReading) }
    }

    /// Drops the held inputs of one connection, and returns them.
    @discardableResult
    private func dropHeldInputs(of connection: ConnectionID, _ node: NodeID) -> [NodeInput] {
        let dropped = heldInputs.filter { $0.node == node && $0.input.connection == connection }.map(\.input)
        heldInputs.removeAll { $0.node == node && $0.input.connection == connection }
        return dropped
    }

    // MARK: Effects of both sides

    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID, cause: EventID) {
        if core.isServer(node) {
            accepted[connection]?.link.send(encoded(frame), tag: cause.rawValue)
        } else {
            var frame = frame
            if case .reference(let name)? = frame.body.credential {
                // This is the only place where a secret enters the network.
                let text = core.vault.wireText(
                    of: name, user: frame.body.credentialUser, wallMilliseconds: core.wallMilliseconds)
                frame = frame.replacingCredential(with: .secret(text))
            }
            clientLinks[ClientKey(client: node, connection: connection)]?
                .send(frame.bytes(), tag: cause.rawValue)
        }
    }

    /// The bytes of a frame. A message to many receivers is the same frame many times, so the last frame is encoded
    /// once and its bytes are shared.
    private func encoded(_ frame: Frame) -> ByteBuffer {
        if let lastSent, lastSent.frame == frame { return lastSent.bytes }
        let bytes = ByteBuffer(bytes: frame.bytes())
        lastSent = (frame, bytes)
        return bytes
    }

    func close(_ connection: ConnectionID, from node: NodeID, cause: EventID) {
        if !heldInputs.isEmpty { dropHeldInputs(of: connection, node) }
        if core.isServer(node) {
            accepted.removeValue(forKey: connection)?.link.close(tag: cause.rawValue)
        } else {
            clientLinks.removeValue(forKey: ClientKey(client: node, connection: connection))?
                .close(tag: cause.rawValue)
        }
    }

    func processEnded(_ node: NodeID, cause: EventID) {
        heldInputs.removeAll { $0.node == node }
        if core[node].isServer {
            failureCauses.serverEnd = cause
            let links = accepted.sorted { $0.key < $1.key }
            accepted.removeAll()
            for (_, accepted) in links { accepted.link.abort(tag: cause.rawValue) }
        } else {
            let keys = clientLinks.keys.filter { $0.client == node }.sorted { $0.connection < $1.connection }
            for key in keys { clientLinks.removeValue(forKey: key)?.abort(tag: cause.rawValue) }
        }
    }

    // MARK: The server's side

    func setListening(_ isListening: Bool) { self.isListening = isListening }

    func accept(_ link: ServerConnection) {
        guard isListening, let server = core.serverID else { return link.abort() }
        let connection = nextServerConnection
        nextServerConnection = connection.successor
        let entry = AcceptedConnection(link)
        accepted[connection] = entry
        link.onMessage = { [weak self] bytes, tag in
            self?.take(.message(bytes, EventID(rawValue: tag)), of: connection, entry, server)
        }
        link.onClose = { [weak self] end, tag in
            self?.take(.end(end, EventID(rawValue: tag)), of: connection, entry, server)
        }
        deliverInput(.linkOpened(connection), to: server, cause: EventID(rawValue: link.openingTag))
    }

    func checkCredential(
        _ credential: Credential, from bearerKey: CredentialRateLimiter.BearerKey,
        then: @escaping (CredentialVerdict) -> Void
    ) {
        // This closure is called on the loop only.
        let bound = NIOLoopBound((core.vault, then), eventLoop: loop)
        let (loop, pendingChecks) = (loop, NIOLoopBound(pendingChecks, eventLoop: loop))
        pendingChecks.value.begin()
        core.vault.checkCredential(credential, from: bearerKey, wallMilliseconds: core.wallMilliseconds) {
            credentialCheck in
            @Sendable func finish() {
                pendingChecks.value.end()
                let (vault, then) = bound.value
                then(vault.verdict(of: credentialCheck))
            }
            if loop.inEventLoop { finish() } else { loop.execute(finish) }
        }
    }

    // MARK: The network

    func conditions(of client: NodeID) -> LinkConditions? { dialers[client.rawValue]?.faults.conditions }

    @discardableResult
    func apply(_ action: NetAction, to client: NodeID, cause: EventID, notifyClient: () -> Void) -> ReleasedFrames {
        var released = ReleasedFrames()
        guard let faults = dialers[client.rawValue]?.faults else { return released }
        isApplyingNetCommand = true
        defer { isApplyingNetCommand = false }
        failureCauses.changed(client, cause)
        switch action {
        case .down, .switchNetwork, .reset:
            for (key, link) in clientLinks where key.client == client { link.setClosingTag(cause.rawValue) }
        case .up, .halfOpen, .delay, .loss, .rule, .release, .clear: break
        }
        switch action {
        case .down:
            faults.down(notifyClient: notifyClient)
            return released
        case .switchNetwork:
            faults.switchNetwork(notifyClient: notifyClient)
            return released
        case .up: faults.up()
        case .halfOpen: faults.halfOpen()
        case .reset: faults.reset()
        case .delay(let delay, let jitter): faults.setDelay(delay, jitter: jitter)
        case .loss(let loss): faults.setLoss(loss)
        case .rule(let rule): faults.add(rule)
        case .release: released = faults.release()
        case .clear: released = faults.clear()
        }
        notifyClient()
        return released
    }

    /// Closes every socket, and waits for pending work on other threads, up to a limit.
    ///
    /// - Returns: false if work is still pending, so that it will return to the loop.
    func shutDown() -> EventLoopFuture<Bool> {
        accepted.removeAll()
        clientLinks.removeAll()
        let sockets = EventLoopFuture.andAllComplete(dialers.values.map { $0.faults.shutDown() }, on: loop)
        let pendingWork = [pendingChecks] + dialers.sorted { $0.key < $1.key }.map(\.value.faults.dialing)
        let completions = EventLoopFuture.whenAllSucceed(
            pendingWork.map { $0.none(within: Self.pendingWorkLimit) }, on: loop)
        return sockets.flatMap { completions }.map { $0.allSatisfy(\.self) }
    }

    /// The time limit for a name lookup or a password check when the world ends.
    private static let pendingWorkLimit = TimeAmount.seconds(3)
}

extension LinkError {
    /// The fault that a machine receives for the end of a socket; nil if this side ended it.
    init?(_ end: ConnectionEnd) {
        switch end {
        case .closedHere: return nil
        case .closedByPeer: self = .closedByPeer
        case .reset, .violation: self = .reset
        case .networkDown: self = .networkDown
        case .refused: self = .refused
        case .timedOut: self = .timedOut
        case .unreachable, .unresolvedHost: self = .networkDown
        case .tls, .handshake, .invalidURL: self = .handshakeFailed
        }
    }
}
