import IMClient
import IMProtocol
import IMSession
import IMSimulation
import NIOCore
import SansIO

/// Connections over real WebSockets. Everything runs on one event loop.
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
    /// Advances the world's time to the present; called before any input from a socket is delivered.
    var catchUp: () -> Void = {}
    /// Called after an input from a socket has been delivered.
    var didDeliver: () -> Void = {}
    /// True while the world's time stands still. Then inputs from sockets are kept until it continues, because only
    /// commands may happen meanwhile.
    var isTimeStopped: () -> Bool = { false }
    private var kept: [(input: NodeInput, node: NodeID, cause: EventID)] = []
    /// With this many kept inputs, reading stops. Inputs that have already been read are still kept.
    static let keptCountMax = 4096
    /// True while a `net` command runs. It ends connections at once: their inputs are not kept, even while time stands
    /// still.
    private var isApplyingNetCommand = false
    private var failureCauses = FailureCauses()
    /// Identifies a frame at the two ends of a connection: its tag is the event that sent it.
    let tags = MessageTags()
    /// Called with a description of a problem with the clients' address: once for each new problem.
    var onLinkProblem: ((String) -> Void)?
    private var lastLinkProblem: String?

    private var dialers: [Int: (faults: ConnectionFaults, dialer: WebSocketDialer)] = [:]
    private var clientLinks: [ClientKey: ClientConnection] = [:]
    var accepted: [ConnectionID: Accepted] = [:]
    /// Passwords that wait for their check.
    let passwordQueue = PasswordCheckQueue()
    /// The last frame sent to a client.
    private var lastSent: (frame: Frame, bytes: ByteBuffer)?
    /// Called with a description when the host had to end a connection.
    var onCut: ((String) -> Void)?
    private var nextServerConnection = ConnectionID(1)
    /// Credentials that are being checked on another thread.
    private let pendingChecks: PendingWork
    private var isListening = false
    /// The loop's queue. The server receives the ends of connections from it.
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
            // The port of a server that is down still belongs to the world. No listener accepts connections there, so
            // that it refuses.
            if !isOpen, fault == .reset, !isListening, core.serverID != nil, !isApplyingNetCommand { fault = .refused }
            // If a `net` command ends a connection, the client never receives the earlier inputs that were kept.
            let undelivered = isApplyingNetCommand ? forget(connection, of: client) : []
            let wasReportedOpen = isOpen && !undelivered.contains(.linkOpened(connection))
            deliverInput(
                wasReportedOpen ? .linkClosed(connection, fault) : .linkFailed(connection, fault), to: client,
                cause: origin(of: fault, of: client, wasOpen: wasReportedOpen, attempt: cause, peer: tag))
        }
    }

    /// The event that ended a client's connection: an event of its network, if the network ended it; otherwise the one
    /// that closed the other end. An attempt that is never answered ends by itself.
    private func origin(
        of fault: LinkError, of client: NodeID, wasOpen: Bool, attempt: EventID, peer tag: UInt64
    ) -> EventID {
        let other =
            wasOpen
            ? EventID(rawValue: tag) : fault == .refused && !isListening ? failureCauses.refusalCause(attempt) : attempt
        return isApplyingNetCommand || fault == .networkDown ? failureCauses.networkCause(client, else: other) : other
    }

    /// Reports why the server was not reached. For the machines, each of these reasons is the same: an unreachable
    /// server.
    private func report(_ end: ConnectionEnd) {
        switch end {
        case .unreachable, .unresolvedHost, .tls, .handshake, .invalidURL: break
        // Another server, not one of this world that is down by command.
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
            kept.append((input, node, cause))
            if kept.count == Self.keptCountMax { setReading(false) }
            return
        }
        catchUp()
        core.deliver(input, to: node, cause: cause)
        didDeliver()
    }

    /// Delivers the inputs that were kept while time stood still.
    func deliverKept() {
        let inputs = kept
        kept = []
        if inputs.count >= Self.keptCountMax { setReading(true) }
        for (input, node, cause) in inputs { core.deliver(input, to: node, cause: cause) }
    }

    private func setReading(_ isReading: Bool) {
        for link in clientLinks.values { link.setReading(isReading) }
        for accepted in accepted.values where !accepted.isChecking { accepted.link.setReading(isReading) }
    }

    /// Drops the inputs that were kept for one connection, and returns them.
    @discardableResult
    private func forget(_ connection: ConnectionID, of node: NodeID) -> [NodeInput] {
        let dropped = kept.filter { $0.node == node && $0.input.connection == connection }.map(\.input)
        kept.removeAll { $0.node == node && $0.input.connection == connection }
        return dropped
    }

    // MARK: Effects of both sides

    func send(_ frame: Frame, over connection: ConnectionID, from node: NodeID, cause: EventID) {
        if core.isServer(node) {
            accepted[connection]?.link.send(encoded(frame), tag: cause.rawValue)
        } else {
            var frame = frame
            if case .reference(let name)? = frame.body.credential {
                // The only point where a secret enters the network.
                let text = core.vault.wireText(
                    of: name, user: frame.body.credentialUser, wallMilliseconds: core.wallMilliseconds)
                frame = frame.replacingCredential(with: .secret(text))
            }
            clientLinks[ClientKey(client: node, connection: connection)]?
                .send(frame.bytes(), tag: cause.rawValue)
        }
    }

    /// A message to many receivers is the same frame many times. It is encoded once, and its bytes are shared.
    private func encoded(_ frame: Frame) -> ByteBuffer {
        if let lastSent, lastSent.frame == frame { return lastSent.bytes }
        let bytes = ByteBuffer(bytes: frame.bytes())
        lastSent = (frame, bytes)
        return bytes
    }

    func close(_ connection: ConnectionID, from node: NodeID, cause: EventID) {
        if !kept.isEmpty { forget(connection, of: node) }
        if core.isServer(node) {
            accepted.removeValue(forKey: connection)?.link.close(tag: cause.rawValue)
        } else {
            clientLinks.removeValue(forKey: ClientKey(client: node, connection: connection))?
                .close(tag: cause.rawValue)
        }
    }

    func processEnded(_ node: NodeID, cause: EventID) {
        kept.removeAll { $0.node == node }
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
        let entry = Accepted(link)
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
        // Only the loop calls this closure.
        let bound = NIOLoopBound((core.vault, then), eventLoop: loop)
        let (loop, pendingChecks) = (loop, NIOLoopBound(pendingChecks, eventLoop: loop))
        pendingChecks.value.begin()
        core.vault.checkCredential(credential, from: bearerKey, wallMilliseconds: core.wallMilliseconds) {
            credentialCheck in
            @Sendable func goOn() {
                pendingChecks.value.end()
                let (vault, then) = bound.value
                then(vault.verdict(of: credentialCheck))
            }
            if loop.inEventLoop { goOn() } else { loop.execute(goOn) }
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

    /// Closes every socket, and waits for pending work on other threads.
    ///
    /// - Returns: false if pending work will still return to the loop.
    func shutDown() -> EventLoopFuture<Bool> {
        accepted.removeAll()
        clientLinks.removeAll()
        let sockets = EventLoopFuture.andAllComplete(dialers.values.map { $0.faults.shutDown() }, on: loop)
        let underWay = [pendingChecks] + dialers.sorted { $0.key < $1.key }.map(\.value.faults.dialing)
        let rests = EventLoopFuture.whenAllSucceed(underWay.map { $0.none(within: Self.patience) }, on: loop)
        return sockets.flatMap { rests }.map { $0.allSatisfy(\.self) }
    }

    /// How long a name lookup or a password check may take when the world ends.
    private static let patience = TimeAmount.seconds(3)
}

extension LinkError {
    /// The fault that a core receives for the end of a socket; nil if this side ended it.
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
