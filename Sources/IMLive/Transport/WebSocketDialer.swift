import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SansIO

/// Opens connections to servers.
///
/// Confined to one event loop, where it is created and used. Its connections are also confined to this loop.
public final class WebSocketDialer {
    /// The largest possible limit for a message, in bytes.
    public static let messageBytesLimit = Int(UInt32.max)

    let loop: any EventLoop
    let trust: TLSTrust
    let faults: ConnectionFaults?
    let timeout: Interval
    let messageBytesMax: Int
    let tags: MessageTags?

    /// - Parameters:
    ///   - loop: the event loop of the dialer and its connections.
    ///   - trust: the certificates that a client accepts from the server of a `wss` URL.
    ///   - faults: the faults to apply to the connections; nil for none.
    ///   - timeout: the time limit of an attempt, from the name lookup to the WebSocket. It is in the world's time, so
    ///     the real time is shorter by the faults' time scale.
    ///   - messageBytesMax: the largest message that is accepted from a server.
    ///   - tags: the tags that a listener of this process also uses.
    public init(
        on loop: any EventLoop, trust: TLSTrust = .system, faults: ConnectionFaults? = nil,
        timeout: Interval = .seconds(30), messageBytesMax: Int = 1 << 20, tags: MessageTags? = nil
    ) {
        self.tags = tags
        self.loop = loop
        self.trust = trust
        self.faults = faults
        self.timeout = timeout
        self.messageBytesMax = min(max(messageBytesMax, 1), Self.messageBytesLimit)
    }

    /// Starts an attempt to connect. The returned connection reports the result. Its closures must be set before
    /// control returns to the loop.
    ///
    /// - Parameter tag: the tag of the event that requests the connection; see ``MessageTags``.
    public func connect(to url: String, tag: UInt64 = 0) -> ClientConnection {
        loop.preconditionInEventLoop()
        let core = ConnectionCore(loop: loop)
        let attempt = ConnectAttempt(core: core, dialer: self, tag: tag)
        core.tail = attempt
        attempt.start(url)
        return ClientConnection(core: core)
    }
}

/// One attempt to connect. It ends when the connection is open, or when the attempt has failed.
final class ConnectAttempt: PipelineTail {
    private let core: ConnectionCore
    private let dialer: WebSocketDialer
    private let handler: FaultHandler?
    private let socket = SocketHandler()
    private var timer: Scheduled<Void>?
    private var isUpgraded = false
    /// The socket while it connects, so that the attempt can be stopped.
    private var connectingChannel: (any Channel)?

    private let tag: UInt64

    init(core: ConnectionCore, dialer: WebSocketDialer, tag: UInt64) {
        self.core = core
        self.tag = tag
        self.dialer = dialer
        handler = dialer.faults.map { FaultHandler(faults: $0, core: core) }
    }

    private var loop: any EventLoop { dialer.loop }

    func start(_ url: String) {
        if let handler { dialer.faults?.register(handler) }
        let allowed = dialer.faults?.real(dialer.timeout) ?? .nanoseconds(max(dialer.timeout.nanoseconds, 0))
        timer = loop.assumeIsolated().scheduleTask(in: allowed) { self.fail(.timedOut) }
        let parsed: WebSocketURL
        do throws(ConnectionEnd) {
            parsed = try WebSocketURL(url)
        } catch {
            return failSoon(error)
        }
        switch dialer.faults?.connectVerdict() {
        case .fail:
            failSoon(.networkDown)
        case .hang:
            break
        case .proceed(let forwardDelay, let returnDelay):
            after(forwardDelay) { self.dial(parsed, returnDelay: returnDelay, allowed: allowed) }
        case nil:
            dial(parsed, returnDelay: .zero, allowed: allowed)
        }
    }

    private func after(_ delay: Interval, _ body: @escaping () -> Void) {
        guard delay > .zero, let faults = dialer.faults else { return body() }
        loop.assumeIsolated().scheduleTask(in: faults.real(delay), body)
    }

    private func dial(_ url: WebSocketURL, returnDelay: Interval, allowed: TimeAmount) {
        guard core.isConnecting else { return }
        let dialing = dialer.faults?.dialing
        dialing?.begin()
        let bound = NIOLoopBound(self, eventLoop: loop)
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(allowed)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                bound.value.connectingChannel = channel
                return channel.eventLoop.makeSucceededVoidFuture()
            }
        // A name is looked up on another thread. An address needs no lookup.
        let connecting =
            (try? SocketAddress(ipAddress: url.host, port: url.port)).map { bootstrap.connect(to: $0) }
            ?? bootstrap.connect(host: url.host, port: url.port)
        connecting
            .assumeIsolated()
            .whenComplete { result in
                dialing?.end()
                self.connectingChannel = nil
                switch result {
                case .success(let channel): self.connected(channel, url, returnDelay: returnDelay)
                case .failure(let error): self.fail(ConnectionEnd(connecting: error, host: url.host))
                }
            }
    }

    private func connected(_ channel: any Channel, _ url: WebSocketURL, returnDelay: Interval) {
        // If the attempt was stopped in the meantime, the socket is closed without a handshake.
        guard core.isConnecting else { return channel.close(promise: nil) }
        if let tags = dialer.tags, let port = channel.localAddress?.port {
            core.tagged = tags.begin(port: port, tag: tag)
        }
        handler?.attach(channel, socket)
        do {
            try channel.pipeline.syncOperations.addHandler(socket)
            if url.isSecure {
                // A failed write closes the channel at once. TLS writes an alert before it reports its error, so that
                // the error would be lost if the alert were written at once.
                socket.joinsWrites = true
                try channel.pipeline.syncOperations.addTLS(client: .client(trusting: dialer.trust), host: url.host)
            }
            try addHandshake(to: channel, url, returnDelay: returnDelay)
        } catch let problem as TLSProblem {
            fail(.tls(problem.text))
        } catch {
            fail(.handshake("\(error)"))
        }
    }

    private func addHandshake(to channel: any Channel, _ url: WebSocketURL, returnDelay: Interval) throws {
        let handshake = ClientHandshake(url) { [weak self] end in self?.handshakeFailed(end) }
        // The upgrader requires Sendable closures. It calls them on the channel's loop, which is also the loop of this
        // object.
        let bound = NIOLoopBound((self, handshake), eventLoop: loop)
        let upgrader = NIOWebSocketClientUpgrader(
            maxFrameSize: dialer.messageBytesMax, automaticErrorHandling: false
        ) { channel, _ in
            let (attempt, handshake) = bound.value
            return channel.eventLoop.makeCompletedFuture {
                _ = channel.pipeline.syncOperations.removeHandler(handshake)
                try attempt.upgraded(channel, returnDelay: returnDelay)
            }
        }
        // A server may send data directly after its answer. Those bytes are forwarded, so that they are not lost.
        try channel.pipeline.syncOperations.addHTTPClientHandlers(
            leftOverBytesStrategy: .forwardBytes,
            withClientUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
        try channel.pipeline.syncOperations.addHandler(handshake)
    }

    private func upgraded(_ channel: any Channel, returnDelay: Interval) throws {
        isUpgraded = true
        timer?.cancel()
        let isReachable: () -> Bool = handler.map { handler in { handler.isReachable } } ?? { true }
        let messages = WebSocketMessages(
            role: .client, messageBytesMax: dialer.messageBytesMax, tagged: core.tagged, isReachable: isReachable)
        try channel.pipeline.syncOperations.addHandler(messages)
        guard let handler else {
            let tail = PlainTail(core: core, socket: socket)
            core.tail = tail
            try channel.pipeline.syncOperations.addHandler(tail)
            return core.receive(.opened)
        }
        if core.isConnecting { core.tail = handler }
        try channel.pipeline.syncOperations.addHandler(handler)
        handler.opened(after: returnDelay)
    }

    private func handshakeFailed(_ end: ConnectionEnd) {
        guard !isUpgraded else { return }
        handler?.detach()
        fail(end)
    }

    private func fail(_ end: ConnectionEnd) {
        guard !isUpgraded, core.isConnecting else { return }
        core.receive(.ended(end))
        socket.abort()
    }

    /// Fails in the next turn of the loop, when the caller has set the connection's closures.
    private func failSoon(_ end: ConnectionEnd) {
        loop.assumeIsolated().execute { self.fail(end) }
    }

    // MARK: While the connection core has no other tail

    func write(_ item: OutboundItem) {}

    func setReading(_ isReading: Bool) {}

    func abort() {
        connectingChannel?.close(promise: nil)
        socket.abort()
    }

    func linkEnded() {
        timer?.cancel()
        connectingChannel?.close(promise: nil)
        handler?.linkEnded()
    }
}
