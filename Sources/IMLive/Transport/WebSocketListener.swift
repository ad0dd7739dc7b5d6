import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import SansIO

/// Why a listener could not be started.
public enum ListenError: Error, Hashable, Sendable {
    case portTaken(host: String, port: Int)
    case notPermitted(host: String, port: Int)
    /// The host is no address of this machine, or no address at all.
    case addressUnavailable(host: String)
    /// A file is missing, or certificate and key do not go together.
    case tls(String)
    case failed(String)
}

extension ListenError: CustomStringConvertible {
    /// One line for people.
    public var description: String {
        switch self {
        case .portTaken(let host, let port): "port \(port) on \(host) is already in use"
        case .notPermitted(let host, let port): "no permission to listen on port \(port) of \(host)"
        case .addressUnavailable(let host): "'\(host)' is not an address of this machine"
        case .tls(let text): "TLS cannot be set up: \(text)"
        case .failed(let text): "cannot listen: \(text)"
        }
    }
}

/// Listens for WebSocket connections, with or without TLS. All its connections live on one event loop.
public final class WebSocketListener: Sendable {
    /// How long a client may take to become a WebSocket, in real time, unless told otherwise.
    public static let handshakeTimeout = Interval.seconds(10)

    /// So much of one connection is read in its turn. Small messages without end would else hold up all the others: in
    /// 2 kB are some 200 heartbeats.
    private static let readBytesMax = 2048

    private let channel: any Channel
    private let children: NIOLoopBound<Children>
    /// The host it listens on, as an address.
    public let host: String
    /// The port it listens on, also when an ephemeral one was asked for.
    public let port: Int
    private let isSecure: Bool

    private init(channel: any Channel, children: NIOLoopBound<Children>, isSecure: Bool) {
        self.channel = channel
        self.children = children
        self.isSecure = isSecure
        host = channel.localAddress?.ipAddress ?? ""
        port = channel.localAddress?.port ?? 0
    }

    /// Where clients can connect to, without a path.
    public var url: String {
        "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Starts to listen. Must be called on the loop.
    ///
    /// - Parameters:
    ///   - port: 0 for an ephemeral one.
    ///   - tls: nil for plain `ws`.
    ///   - loop: where everything happens.
    ///   - messageBytesMax: the largest message that is taken from a client.
    ///   - handshakeTimeout: how long a client may take to become a WebSocket; real time.
    ///   - limits: how much of it its peers can take.
    ///   - sources: which hosts and origins a request may name besides the listener's own addresses.
    ///   - turns: the loop's, where others take turns on it too; nil for turns of its own.
    ///   - tags: shared with dialers of this process that may connect to it.
    ///   - isWaiting: whether clients wait in the system's queue until ``takeClients()``.
    ///   - onShortage: is told, in words, that the system lets no more connections in; they wait, and are tried again.
    ///   - refusal: what to tell a client that asks for a path where there is nothing, nil where there is; it is answered
    ///     with 404.
    ///   - accept: gets each new connection, and sets its closures before it returns.
    /// - Returns: fails with ``ListenError``.
    public static func start(
        host: String, port: Int, tls: TLSFiles? = nil, on loop: any EventLoop, messageBytesMax: Int = 1 << 20,
        handshakeTimeout: Interval = handshakeTimeout, limits: ListenLimits = ListenLimits(),
        sources: RequestSources = RequestSources(), turns: Turns? = nil,
        tags: LinkTags? = nil, isWaiting: Bool = false,
        onShortage: @escaping (String) -> Void = { _ in },
        refusal: @escaping (String) -> String? = { _ in nil },
        accept: @escaping (ServerLink) -> Void
    ) -> EventLoopFuture<WebSocketListener> {
        loop.preconditionInEventLoop()
        let context: TLSContext?
        do throws(TLSProblem) {
            context = try tls.map { files throws(TLSProblem) in try TLSContext(files) }
        } catch {
            return loop.makeFailedFuture(ListenError.tls(error.text))
        }
        guard (0...65535).contains(port) else {
            return loop.makeFailedFuture(ListenError.failed("\(port) is not a port"))
        }
        let children = Children(
            turns: turns ?? Turns(on: loop),
            messageBytesMax: min(max(messageBytesMax, 1), WebSocketDialer.messageBytesMaxMax),
            handshakeTimeout: .nanoseconds(max(handshakeTimeout.nanoseconds, 0)), limits: limits, tags: tags,
            host: host, sources: sources, refusal: refusal, accept: accept)
        // The bootstrap wants Sendable closures; with this one loop as both groups it calls them on it.
        let bound = NIOLoopBound(children, eventLoop: loop)
        let shortage = NIOLoopBound(onShortage, eventLoop: loop)
        return ServerBootstrap(group: loop, childGroup: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.autoRead, value: !isWaiting)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ShortageHandler(shortage.value))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // Who sends much waits for its next turn like the others.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // A connection keeps a buffer to read into; as large as a request for an upgrade, it grows with what comes.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: Self.readBytesMax)
            )
            // It is read when its handshake has its turn.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try bound.value.initialize(channel, context) }
            }
            .bind(host: host, port: port)
            .map { WebSocketListener(channel: $0, children: bound, isSecure: tls != nil) }
            .flatMapErrorThrowing { throw ListenError(binding: $0, host: host, port: port) }
    }

    /// Takes the clients that wait, and all that come. Can be called from anywhere.
    public func takeClients() -> EventLoopFuture<Void> { channel.setOption(.autoRead, value: true) }

    /// Stops listening; who has not finished the handshake is cut off. Can be called from anywhere.
    ///
    /// - Parameter abortingLinks: also resets the open links. Otherwise they live on.
    /// - Returns: is done when the sockets that end are closed.
    @discardableResult
    public func close(abortingLinks: Bool = false) -> EventLoopFuture<Void> {
        let (channel, children) = (channel, children)
        return channel.eventLoop.flatSubmit {
            channel.close(promise: nil)
            let closed = children.value.close(abortingLinks: abortingLinks)
            return EventLoopFuture.andAllComplete(closed + [channel.closeFuture], on: channel.eventLoop)
        }
    }
}
