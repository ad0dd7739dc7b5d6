import NIOCore
import NIOHTTP1
import NIOSSL
import NIOWebSocket

/// The connections of a listener, from the first byte on. Confined to the listener's loop.
final class Children {
    private let messageBytesMax: Int
    private let handshakeTimeout: TimeAmount
    private let refusal: (String) -> String?
    private let accept: (ServerLink) -> Void
    /// Connections that are no WebSocket yet, and open ones, which have a link; oldest first.
    private var entries: [(channel: any Channel, socket: SocketHandler, core: LinkCore?)] = []
    private var isClosed = false

    init(
        messageBytesMax: Int, handshakeTimeout: TimeAmount, refusal: @escaping (String) -> String?,
        accept: @escaping (ServerLink) -> Void
    ) {
        self.messageBytesMax = messageBytesMax
        self.handshakeTimeout = handshakeTimeout
        self.refusal = refusal
        self.accept = accept
    }

    func initialize(_ channel: any Channel, _ tls: NIOSSLContext?) throws {
        let socket = SocketHandler()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(socket)
        if isClosed { return socket.abort() }
        if let tls { try pipeline.addHandler(NIOSSLServerHandler(context: tls)) }
        let limit = channel.eventLoop.assumeIsolated().scheduleTask(in: handshakeTimeout) { socket.abort() }
        let refusal = NotUpgraded(refusal)
        // The upgrader wants Sendable closures; it calls them on the channel's loop, which is this one.
        let bound = NIOLoopBound((self, socket, refusal, limit), eventLoop: channel.eventLoop)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: messageBytesMax, automaticErrorHandling: false,
            shouldUpgrade: { channel, head in
                let isKnown = bound.value.0.refusal(head.uri) == nil
                return channel.eventLoop.makeSucceededFuture(isKnown ? [:] : nil)
            },
            upgradePipelineHandler: { channel, head in
                let (children, socket, refusal, limit) = bound.value
                limit.cancel()
                return channel.eventLoop.makeCompletedFuture {
                    _ = channel.pipeline.syncOperations.removeHandler(refusal)
                    try children.open(channel, socket, target: head.uri)
                }
            })
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in }))
        try pipeline.addHandler(refusal)
        entries.append((channel, socket, nil))
        channel.closeFuture.assumeIsolated().whenComplete { _ in
            limit.cancel()
            self.entries.removeAll { $0.socket === socket }
        }
    }

    private func open(_ channel: any Channel, _ socket: SocketHandler, target: String) throws {
        let core = LinkCore(loop: channel.eventLoop)
        if let index = entries.firstIndex(where: { $0.socket === socket }) { entries[index].core = core }
        let tail = PlainTail(core: core, socket: socket)
        core.tail = tail
        let messages = WebSocketMessages(role: .server, messageBytesMax: messageBytesMax)
        try channel.pipeline.syncOperations.addHandlers([messages, tail])
        let address = channel.remoteAddress.map { "\($0.ipAddress ?? "?"):\($0.port ?? 0)" } ?? "?"
        core.receive(.opened)
        accept(ServerLink(core: core, remoteAddress: address, target: target))
    }

    func close(abortingLinks: Bool) -> [EventLoopFuture<Void>] {
        isClosed = true
        let ending = entries.filter { abortingLinks || $0.core == nil }
        for entry in ending {
            entry.core?.abort()
            entry.socket.abort()
        }
        return ending.map { $0.channel.closeFuture }
    }
}

/// Answers requests that ask for no WebSocket, or for one where there is none, and ends the connection.
final class NotUpgraded: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let refusal: (String) -> String?
    private var target = "/"

    init(_ refusal: @escaping (String) -> String?) {
        self.refusal = refusal
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): target = head.uri
        case .body: break
        case .end:
            if let text = refusal(target) {
                answer(.notFound, "\(text)\n", [:], context: context)
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
        // That the upgrader declines comes here first; the request follows, and is answered.
        if error as? NIOWebSocketUpgradeError == .unsupportedWebSocketTarget { return }
        context.close(promise: nil)
    }
}
