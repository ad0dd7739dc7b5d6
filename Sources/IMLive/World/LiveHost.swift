import IMProtocol
import IMSimulation
import NIOCore
import NIOPosix
import SansIO

/// One address for the servers of several worlds. Each world serves one application. A client chooses the application
/// by the path of the URL, such as `ws://host:port/nim`. If there is only one application, the URL without a path also
/// leads to it.
///
/// All worlds use one event loop.
public final class LiveHost: Sendable {
    private let group: MultiThreadedEventLoopGroup
    let loop: any EventLoop
    private let applications: NIOLoopBound<HostedApplications>

    public init() throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop = group.next()
        self.group = group
        self.loop = loop
        applications = try loop.submit { NIOLoopBound(HostedApplications(on: loop), eventLoop: loop) }.wait()
    }

    /// The queue that the listener and all worlds share. Used on the loop only.
    var workQueue: FairWorkQueue { applications.value.workQueue }

    /// Adds a world. Must be called before ``acceptClients()``.
    func add(_ state: NIOLoopBound<LiveState>, named name: String) throws {
        let applications = applications
        try loop.submit { applications.value.add(state.value, named: name) }.wait()
    }

    /// Starts to listen on the address. Clients wait in the system's queue until ``acceptClients()``. So a port in use
    /// is reported before anything else starts.
    ///
    /// - Parameters:
    ///   - port: 0 for a port that the system chooses.
    ///   - tls: the certificate and the key; nil for plain `ws`.
    ///   - limits: the limits for the listener's peers.
    ///   - sources: the hosts and origins that a request may name besides the listener's own addresses.
    ///   - onFileLimit: called on the loop, with the resource that the system lacks for more connections.
    /// - Returns: the URL, without an application's path.
    /// - Throws: ``WorldError`` if the server cannot listen.
    public func listen(
        host: String, port: Int, tls: TLSFiles?, limits: ListenLimits = ListenLimits(),
        sources: RequestSources = RequestSources(),
        onFileLimit: @escaping @Sendable (String) -> Void = { _ in }
    ) throws -> String {
        let (loop, applications) = (loop, applications)
        do {
            return try loop.flatSubmit {
                WebSocketListener.start(
                    host: host, port: port, tls: tls, on: loop, messageBytesMax: ProtocolLimit.frameBytesMax,
                    limits: limits, sources: sources, workQueue: applications.value.workQueue, isWaiting: true,
                    onFileLimit: onFileLimit,
                    refusal: { applications.value.refusal(of: $0) }
                ) { applications.value.accept($0) }
                .map { listener in
                    applications.value.listener = listener
                    return listener.url
                }
            }.wait()
        } catch let error as ListenError {
            throw WorldError(error.description)
        }
    }

    /// Accepts clients, first those that already wait.
    public func acceptClients() throws {
        let (loop, applications) = (loop, applications)
        try loop.flatSubmit { applications.value.listener?.acceptClients() ?? loop.makeSucceededVoidFuture() }.wait()
    }

    /// Closes the listener and its connections. The worlds must have been shut down before.
    public func shutDown() throws {
        let (loop, applications) = (loop, applications)
        try loop.flatSubmit {
            applications.value.listener?.close(abortingLinks: true) ?? loop.makeSucceededVoidFuture()
        }.wait()
        if try loop.submit({ applications.value.haveNoPendingWork }).wait() { try group.syncShutdownGracefully() }
    }
}

/// The worlds of a host, on its loop.
private final class HostedApplications {
    private var states: [(name: String, state: LiveState)] = []
    var listener: WebSocketListener?
    let workQueue: FairWorkQueue

    init(on loop: any EventLoop) { workQueue = FairWorkQueue(on: loop) }

    var haveNoPendingWork: Bool { states.allSatisfy(\.state.hasNoPendingWork) }

    func add(_ state: LiveState, named name: String) { states.append((name, state)) }

    func accept(_ link: ServerConnection) {
        guard let state = state(for: link.target) else { return link.abort() }
        state.network.accept(link)
    }

    /// The text for a client that requests an unknown application; nil for a known one.
    func refusal(of target: String) -> String? {
        guard state(for: target) == nil else { return nil }
        let names = states.map { "/\($0.name)" }.joined(separator: ", ")
        return "There is no application at this path; use one of: \(names)."
    }

    private func state(for target: String) -> LiveState? {
        let path = target.prefix { $0 != "?" }
        let name = path.drop { $0 == "/" }
        if name.isEmpty { return states.count == 1 ? states.first?.state : nil }
        return states.first { $0.name == name }?.state
    }
}
