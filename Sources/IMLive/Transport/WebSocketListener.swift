import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import NIOWebSocket
import SansIO

/// The reason why a listener could not be started.
public enum ListenError: Error, Hashable, Sendable {
    case portTaken(host: String, port: Int)
    case notPermitted(host: String, port: Int)
    /// The host is not an address of this computer, or not an address at all.
    case addressUnavailable(host: String)
    /// A file is missing, or the certificate and the key do not match.
    case tls(String)
    case failed(String)
}

extension ListenError: CustomStringConvertible {
    /// The message for people, in one line.
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

/// Listens for WebSocket connections, with or without TLS. All its connections use one event loop.
public final class WebSocketListener: Sendable {
    /// The default time limit of a handshake, in real time.
    public static let handshakeTimeout = Interval.seconds(10)

    /// The maximum number of bytes that are read from one connection before the next connection is served. Without a
    /// limit, an endless stream of small messages would delay all other connections. 2 kB are about 200 heartbeats.
    private static let readBytesMax = 2048

    private let channel: any Channel
    private let children: NIOLoopBound<Children>
    /// The address that the listener listens on.
    public let host: String
    /// The port that the listener listens on. If port 0 was requested, the system has chosen it.
    public let port: Int
    private let isSecure: Bool

    private init(channel: any Channel, children: NIOLoopBound<Children>, isSecure: Bool) {
        self.channel = channel
        self.children = children
        self.isSecure = isSecure
        host = channel.localAddress?.ipAddress ?? ""
        port = channel.localAddress?.port ?? 0
    }

    /// The URL for clients, without a path.
    public var url: String {
        "\(isSecure ? "wss" : "ws")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
    }

    /// Starts to listen. Must be called on the loop.
    ///
    /// - Parameters:
    ///   - port: the port; 0 for one that the system chooses.
    ///   - tls: the certificate and the key; nil for plain `ws`.
    ///   - loop: the event loop of the listener and its connections.
    ///   - messageBytesMax: the largest message that is accepted from a client.
    ///   - handshakeTimeout: the time limit of a handshake, in real time.
    ///   - limits: the limits for the listener's peers.
    ///   - sources: the hosts and origins that a request may name besides the listener's own addresses.
    ///   - workQueue: the loop's queue, if other objects use one; nil to create one.
    ///   - tags: the tags that dialers of this process also use.
    ///   - isWaiting: true if clients wait in the system's queue until ``acceptClients()`` is called.
    ///   - onFileLimit: called with a description if the system cannot admit more connections. These wait, and are
    ///     admitted later.
    ///   - refusal: returns the text for a client that requests an unknown path, which is answered with 404. It returns
    ///     nil for a known path.
    ///   - accept: receives each new connection. It must set the connection's closures before it returns.
    /// - Returns: the listener. The future fails with ``ListenError`` if the listener cannot start.
    public static func start(
        host: String, port: Int, tls: TLSFiles? = nil, on loop: any EventLoop, messageBytesMax: Int = 1 << 20,
        handshakeTimeout: Interval = handshakeTimeout, limits: ListenLimits = ListenLimits(),
        sources: RequestSources = RequestSources(), workQueue: FairWorkQueue? = nil,
        tags: MessageTags? = nil, isWaiting: Bool = false,
        onFileLimit: @escaping (String) -> Void = { _ in },
        refusal: @escaping (String) -> String? = { _ in nil },
        accept: @escaping (ServerConnection) -> Void
    ) -> EventLoopFuture<WebSocketListener> {
        loop.preconditionInEventLoop()
        let context: NIOSSLContext?
        do throws(TLSProblem) {
            context = try tls.map { files throws(TLSProblem) in try .server(files) }
        } catch {
            return loop.makeFailedFuture(ListenError.tls(error.text))
        }
        guard (0...65535).contains(port) else {
            return loop.makeFailedFuture(ListenError.failed("\(port) is not a port"))
        }
        let children = Children(
            workQueue: workQueue ?? FairWorkQueue(on: loop),
            messageBytesMax: min(max(messageBytesMax, 1), WebSocketDialer.messageBytesLimit),
            handshakeTimeout: .nanoseconds(max(handshakeTimeout.nanoseconds, 0)), limits: limits, tags: tags,
            host: host, sources: sources, refusal: refusal, accept: accept)
        // The bootstrap requires Sendable closures. Both of its groups are this loop, so that it calls them on this
        // loop.
        let bound = NIOLoopBound(children, eventLoop: loop)
        let reportLimit = NIOLoopBound(onFileLimit, eventLoop: loop)
        return ServerBootstrap(group: loop, childGroup: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.autoRead, value: !isWaiting)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptFailureHandler(reportLimit.value))
                }
            }
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            // After one read, a connection waits until the other connections were served.
            .childChannelOption(.maxMessagesPerRead, value: 1)
            // Each connection has a read buffer. Its initial size is that of an upgrade request, and it grows with the
            // data.
            .childChannelOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: Self.readBytesMax)
            )
            // Reading starts when the queue has reached the connection's handshake.
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try bound.value.initialize(channel, context) }
            }
            .bind(host: host, port: port)
            .map { WebSocketListener(channel: $0, children: bound, isSecure: tls != nil) }
            .flatMapErrorThrowing { throw ListenError(binding: $0, host: host, port: port) }
    }

    /// Accepts the waiting clients, and all later ones. Can be called from any thread.
    public func acceptClients() -> EventLoopFuture<Void> { channel.setOption(.autoRead, value: true) }

    /// Stops listening and resets connections that are still in the handshake. Can be called from any thread.
    ///
    /// - Parameter abortingLinks: true to also reset the open connections. Otherwise they continue.
    /// - Returns: a future that completes when the reset connections and the listener's socket are closed.
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
