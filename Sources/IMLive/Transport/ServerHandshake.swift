import NIOCore
import NIOHTTP1
import NIOSSL
import NIOWebSocket

/// A connection of a listener, from its first byte to its last one.
final class Child {
    let channel: any Channel
    let socket = SocketHandler()
    /// The number of the connection in the order of arrival.
    let number: Int
    /// The core of the connection; nil until it is a WebSocket.
    var core: ConnectionCore?
    /// The peer's network, for which connections are counted; empty until the connection is active.
    var network = ""
    /// Why the connection exceeds a limit of the listener; nil if it does not.
    var refusal: Refusal?

    init(_ channel: any Channel, number: Int) {
        self.channel = channel
        self.number = number
    }
}

/// The answer to a request that gets no WebSocket.
struct Refusal {
    var status: HTTPResponseStatus
    var text: String
    var headers: HTTPHeaders = [:]
}

/// All connections of a listener, from the first byte on. NIO calls such a connection a child channel. Confined to the
/// listener's loop.
final class Children {
    private let messageBytesMax: Int
    private let handshakeTimeout: TimeAmount
    private let limits: ListenLimits
    private let unsent: UnsentBytes
    /// The host that the listener was started with.
    private let host: String
    /// The other hosts, and the origins, that a request may name.
    private let sources: RequestSources
    private let refusal: (String) -> String?
    private let accept: (ServerConnection) -> Void
    /// The connections, by number. They are open or in the handshake. An operation on one takes the same time for any
    /// number of connections.
    private var children: [Int: Child] = [:]
    /// The deadline of each connection's handshake, in the order of arrival. One timer serves all of them.
    private var handshakes = CircularBuffer<(due: NIODeadline, number: Int)>()
    private var isTimerScheduled = false
    private var countByNetwork: [String: Int] = [:]
    private var admittedCount = 0
    private var refusedCount = 0
    private var arrivalCount = 0
    private var isClosed = false
    private let tags: MessageTags?
    /// A queue for starts and ends of connections, of which thousands may happen at once.
    private let workQueue: FairWorkQueue
    /// A queue for connections that were paused after a long read. The queued work only lets such a connection read
    /// again.
    private let readQueue: FairWorkQueue

    /// The approximate time that a handshake takes on the loop. The queue uses it to divide a turn among connections.
    private static let handshakeCost = TimeAmount.microseconds(100)
    private static let secureHandshakeCost = TimeAmount.milliseconds(1)

    init(
        workQueue: FairWorkQueue, messageBytesMax: Int, handshakeTimeout: TimeAmount, limits: ListenLimits,
        tags: MessageTags?,
        host: String, sources: RequestSources, refusal: @escaping (String) -> String?,
        accept: @escaping (ServerConnection) -> Void
    ) {
        self.workQueue = workQueue
        readQueue = workQueue.onSameLoop()
        self.tags = tags
        self.messageBytesMax = messageBytesMax
        self.handshakeTimeout = handshakeTimeout
        self.limits = limits
        unsent = UnsentBytes(limits)
        self.host = host.lowercased()
        self.sources = sources
        self.refusal = refusal
        self.accept = accept
    }

    /// The answer to a request that gets no WebSocket; nil if it gets one.
    private func refusal(of head: HTTPRequestHead, _ child: Child, isSecure: Bool) -> Refusal? {
        let addresses = [host, child.channel.localAddress?.ipAddress ?? host]
        // A request without an upgrade is answered in any case, so its host and origin are not checked.
        let isHandshake = head.headers[canonicalForm: "Upgrade"].contains { $0.lowercased() == "websocket" }
        let problem =
            isHandshake
            ? sources.refusal(of: head, at: addresses, isSecure: isSecure) ?? Refusal(handshake: head) : nil
        return child.refusal ?? problem ?? refusal(head.uri).map { Refusal(status: .notFound, text: $0) }
    }

    func initialize(_ channel: any Channel, _ tls: NIOSSLContext?) throws {
        arrivalCount += 1
        let child = Child(channel, number: arrivalCount)
        let socket = child.socket
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        if isClosed { return socket.abort() }
        let cost = tls == nil ? Self.handshakeCost : Self.secureHandshakeCost
        socket.onActive = { [unowned self, unowned child] in
            admit(child)
            workQueue.take(costing: cost) { [weak child] in child?.socket.setReading(true) }
        }
        socket.onLongRead = { [readQueue] cost, resume in readQueue.wait(costing: cost, resume) }
        if let tls {
            try pipeline.addTLS(server: tls)
        } else {
            // The end of a stream is reported before the socket is closed. So the queue can close thousands of
            // connections one after the other.
            try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
            socket.onInputClosed = { [workQueue] close in workQueue.take(close) }
        }
        let isSecure = tls != nil
        let refusal = RefusalHandler(lingers: tls == nil) { [unowned self, unowned child] head in
            self.refusal(of: head, child, isSecure: isSecure)
        }
        // The upgrader requires Sendable closures. It calls them on the channel's loop, which is also the loop of this
        // object.
        let bound = NIOLoopBound((self, child, refusal), eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: messageBytesMax, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let (children, child, _) = bound.value
                let isAccepted = children.refusal(of: head, child, isSecure: isSecure) == nil
                return channel.eventLoop.makeSucceededFuture(isAccepted ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                let (children, child, refusal) = bound.value
                return channel.eventLoop.makeCompletedFuture {
                    _ = channel.pipeline.syncOperations.removeHandler(refusal)
                    try children.open(child, target: head.uri)
                }
            })
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
        try pipeline.addHandler(refusal)
        children[child.number] = child
        handshakes.append((.now() + handshakeTimeout, child.number))
        scheduleHandshakeTimer(on: channel.eventLoop)
        channel.closeFuture.assumeIsolated().whenComplete { _ in self.ended(child) }
    }

    private func scheduleHandshakeTimer(on loop: any EventLoop) {
        guard !isTimerScheduled, let next = handshakes.first else { return }
        isTimerScheduled = true
        loop.assumeIsolated().scheduleTask(deadline: next.due) { [weak self] in
            guard let self else { return }
            isTimerScheduled = false
            let now = NIODeadline.now()
            while let handshake = handshakes.first, handshake.due <= now {
                handshakes.removeFirst()
                let child = children[handshake.number]
                if child?.core == nil { child?.socket.abort() }
            }
            scheduleHandshakeTimer(on: loop)
        }
    }

    /// Counts a connection that is active, so that its network is known. A connection that exceeds a limit is refused
    /// when it requests a WebSocket.
    private func admit(_ child: Child) {
        let network = child.channel.remoteAddress?.peerNetwork ?? "?"
        child.network = network
        let networkCount = countByNetwork[network, default: 0]
        if admittedCount >= limits.connectionsMax {
            child.refusal = Refusal(
                status: .serviceUnavailable, text: "The server is full: it has \(limits.connectionsMax) connections.")
        } else if networkCount >= limits.connectionsPerAddressMax {
            child.refusal = Refusal(
                status: .tooManyRequests,
                text: "Too many connections from \(network): at most \(limits.connectionsPerAddressMax).")
        } else {
            admittedCount += 1
            countByNetwork[network] = networkCount + 1
            return
        }
        refusedCount += 1
        if refusedCount > ListenLimits.refusedMax { child.socket.abort() }
    }

    private func ended(_ child: Child) {
        guard children.removeValue(forKey: child.number) != nil, !child.network.isEmpty else { return }
        guard child.refusal == nil else {
            refusedCount -= 1
            return
        }
        admittedCount -= 1
        let left = countByNetwork[child.network, default: 0] - 1
        countByNetwork[child.network] = left > 0 ? left : nil
    }

    private func open(_ child: Child, target: String) throws {
        let channel = child.channel
        let core = ConnectionCore(loop: channel.eventLoop)
        child.core = core
        let tail = PlainTail(core: core, socket: child.socket)
        core.tail = tail
        let port = channel.remoteAddress?.port ?? 0
        core.tagged = tags?.accept(port: port)
        let messages = WebSocketMessages(
            role: .server, messageBytesMax: messageBytesMax, unsent: unsent, tagged: core.tagged)
        try channel.pipeline.syncOperations.addHandlers([messages, tail])
        core.receive(.opened)
        let address = channel.remoteAddress?.ipAddress ?? "?"
        accept(
            ServerConnection(
                core: core, remoteAddress: "\(address):\(port)", remoteNetwork: child.network, target: target))
    }

    func close(abortingLinks: Bool) -> [EventLoopFuture<Void>] {
        isClosed = true
        let ending = children.values.filter { abortingLinks || $0.core == nil }.sorted { $0.number < $1.number }
        for child in ending {
            child.core?.abort()
            child.socket.abort()
        }
        return ending.map { $0.channel.closeFuture }
    }
}

/// Answers requests that get no WebSocket, and ends the connection.
final class RefusalHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let refusal: (HTTPRequestHead) -> Refusal?
    private let lingers: Bool
    private var isLingering = false
    private var head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")

    /// - Parameter lingers: true if a connection that does not use HTTP stays open until the peer has closed it.
    init(lingers: Bool, _ refusal: @escaping (HTTPRequestHead) -> Refusal?) {
        self.lingers = lingers
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            if let refusal = refusal(head) {
                answer(refusal.status, "\(refusal.text)\n", refusal.headers, context: context)
            } else {
                answer(.upgradeRequired, "This is a WebSocket server.\n", ["Upgrade": "websocket"], context: context)
            }
        }
    }

    private func answer(
        _ status: HTTPResponseStatus, _ text: String, _ headers: HTTPHeaders, context: ChannelHandlerContext
    ) {
        let text = ByteBuffer(string: text)
        var headers = headers
        headers.add(contentsOf: [
            "Connection": "close", "Content-Type": "text/plain", "Content-Length": "\(text.readableBytes)",
        ])
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(text))), promise: nil)
        let answered = context.eventLoop.makePromise(of: Void.self)
        answered.futureResult.assumeIsolated().whenComplete { _ in context.close(promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: answered)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // The upgrader reports its refusal as an error before the request arrives here. The request is then answered.
        if error is NIOWebSocketUpgradeError { return }
        // After bytes that are not HTTP, everything is ignored.
        if isLingering { return }
        // The parser has answered the request. If some of the peer's bytes were unread, closing would reset the
        // connection, and the peer might never receive the answer. The answer shows a client that starts TLS that this
        // server does not use TLS.
        isLingering = lingers && error is HTTPParserError
        context.close(mode: isLingering ? .output : .all, promise: nil)
    }
}
