import IMLive
import IMSession
import NIOCore
import NIOPosix
import SansIO
import TestSupport

/// An event that a connection has reported.
enum Event: Equatable, Sendable {
    case open
    case message([UInt8])
    case ended(ConnectionEnd)

    static func text(_ text: String) -> Event { .message(Array(text.utf8)) }
}

/// A server, any number of clients, and the network of one client on one event loop, with the events of each.
///
/// The server's ends of the connections are called `s1`, `s2` and so on, in the order in which they were accepted.
actor Harness {
    nonisolated let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    private(set) var port = 0
    private var listener: WebSocketListener?
    private var clients: [String: ClientConnection] = [:]
    private var serverLinks: [ServerConnection] = []
    private var faults: ConnectionFaults?
    private var events: [String: [Event]] = [:]
    private var waiters: [String: CheckedContinuation<Event, any Error>] = [:]
    private(set) var verdicts: [String] = []
    private(set) var raw: [String: RawPeer] = [:]

    // MARK: Building

    /// Starts the server. With `echoes`, it sends each message back.
    ///
    /// The time limit for a handshake is long, because raw peers act from a test's task, which may be delayed on a busy
    /// computer.
    @discardableResult
    func serve(
        port: Int = 0, tls: TLSFiles? = nil, messageBytesMax: Int = 1 << 20,
        handshakeTimeout: Interval = .seconds(1 << 30), limits: ListenLimits = ListenLimits(),
        sources: RequestSources = RequestSources(), echoes: Bool = false,
        greeting: String? = nil
    ) async throws -> Int {
        let started = WebSocketListener.start(
            host: "127.0.0.1", port: port, tls: tls, on: loop, messageBytesMax: messageBytesMax,
            handshakeTimeout: handshakeTimeout, limits: limits, sources: sources
        ) { link in
            self.serverLinks.append(link)
            let name = "s\(self.serverLinks.count)"
            link.onMessage = { [weak link] bytes, _ in
                self.record(name, .message(bytes))
                if echoes { link?.send(bytes) }
            }
            link.onClose = { end, _ in self.record(name, .ended(end)) }
            self.record(name, .open)
            if let greeting { link.send(Array(greeting.utf8)) }
        }
        let listener = try await started.get()
        self.listener = listener
        self.port = listener.port
        return listener.port
    }

    /// Puts the connections of the clients under a simulated network. The first word of a message is the name of its
    /// frame.
    func addFaults(seed: UInt64 = 1, latency: Interval = .zero, timeScale: Double = 1) {
        let faults = ConnectionFaults(
            conditions: LinkConditions(seed: seed, latency: latency), on: loop, timeScale: timeScale
        ) { String(decoding: $0.prefix { $0 != 0x20 }, as: UTF8.self) }
        faults.onVerdict = { bytes, name, direction, verdict in
            self.verdicts.append("\(direction.rawValue) \(name) \(verdict)")
        }
        self.faults = faults
    }

    /// Connects a client. The time limit is long, because the time scale shortens it and a busy computer is slow in
    /// real time.
    func connect(
        _ name: String, url: String? = nil, trust: TLSTrust = .system, timeout: Interval = .seconds(1 << 30),
        messageBytesMax: Int = 1 << 20
    ) {
        let dialer = WebSocketDialer(
            on: loop, trust: trust, faults: faults, timeout: timeout, messageBytesMax: messageBytesMax)
        let link = dialer.connect(to: url ?? "ws://127.0.0.1:\(port)/im")
        clients[name] = link
        link.onOpen = { self.record(name, .open) }
        link.onMessage = { bytes, _ in self.record(name, .message(bytes)) }
        link.onClose = { end, _ in self.record(name, .ended(end)) }
    }

    /// Connects a client, and waits until both ends are open.
    func connectAndOpen(_ name: String, as serverName: String) async throws {
        connect(name)
        guard try await next(name) == .open, try await next(serverName) == .open else {
            throw Missing("opening \(name)")
        }
    }

    // MARK: Acting

    func send(_ name: String, _ bytes: [UInt8]) {
        if let client = clients[name] { client.send(bytes) } else { serverLink(name)?.send(bytes) }
    }

    func send(_ name: String, _ text: String) { send(name, Array(text.utf8)) }

    func close(_ name: String, code: UInt16 = 1000, reason: String = "") {
        if let client = clients[name] {
            client.close(code: code, reason: reason)
        } else {
            serverLink(name)?.close(code: code, reason: reason)
        }
    }

    /// Sends a message and keeps the loop busy until it has arrived. Each turn of the work queue adds more work than
    /// fits into the pause between turns.
    ///
    /// - Returns: the number of turns; `most` if the message did not arrive.
    func send(_ name: String, _ text: String, arrivingAt receiver: String, withinTurns most: Int) async -> Int {
        let workQueue = FairWorkQueue(on: loop)
        let loop = loop
        send(name, text)
        return await withCheckedContinuation { continuation in
            var count = 0
            func addWork() {
                guard count < most, events[receiver, default: []].isEmpty else {
                    return continuation.resume(returning: count)
                }
                count += 1
                loop.assumeIsolated().execute {
                    let end = NIODeadline.now() + .microseconds(200)
                    while NIODeadline.now() < end {}
                }
                workQueue.take(costing: .milliseconds(1)) { addWork() }
            }
            addWork()
        }
    }

    func setReading(_ name: String, _ isReading: Bool) { serverLink(name)?.setReading(isReading) }

    func abort(_ name: String) {
        if let client = clients[name] { client.abort() } else { serverLink(name)?.abort() }
    }

    @discardableResult
    func net<Result: Sendable>(_ verb: @Sendable (ConnectionFaults) -> Result) throws -> Result {
        guard let faults else { throw Missing("a network") }
        return verb(faults)
    }

    /// Runs `net switch`. While the client is notified of the switch, it sends over its old connection and opens a new
    /// one.
    func switchNetwork(connecting name: String, sending text: String, over old: String) throws {
        guard let faults else { throw Missing("a network") }
        faults.switchNetwork {
            send(old, text)
            connect(name)
        }
    }

    func closeListener(abortingLinks: Bool = false) async throws {
        try await listener?.close(abortingLinks: abortingLinks).get()
        listener = nil
    }

    func remoteAddress(_ name: String) -> String? { serverLink(name)?.remoteAddress }

    func target(_ name: String) -> String? { serverLink(name)?.target }

    private func serverLink(_ name: String) -> ServerConnection? {
        guard let number = Int(name.dropFirst()), serverLinks.indices.contains(number - 1) else { return nil }
        return serverLinks[number - 1]
    }

    /// Ends the test and closes all connections.
    func closeAll() async {
        for link in clients.values { link.abort() }
        for peer in raw.values { peer.channel.close(promise: nil) }
        try? await faults?.shutDown().get()
        try? await listener?.close(abortingLinks: true).get()
    }

    // MARK: Events

    /// The reported events that the test has not read yet.
    func unread(_ name: String) -> [Event] { events[name] ?? [] }

    /// The next event of a connection or a raw peer.
    func next(_ name: String) async throws -> Event {
        if let first = events[name]?.first {
            events[name]?.removeFirst()
            return first
        }
        let watchdog = loop.scheduleTask(in: .seconds(watchdogSeconds)) {
            Task { await self.timeUp(name) }
        }
        defer { watchdog.cancel() }
        return try await withCheckedThrowingContinuation { waiters[name] = $0 }
    }

    func next(_ count: Int, _ name: String) async throws -> [Event] {
        var list: [Event] = []
        for _ in 0..<count { list.append(try await next(name)) }
        return list
    }

    func record(_ name: String, _ event: Event) {
        if let waiter = waiters.removeValue(forKey: name) {
            waiter.resume(returning: event)
        } else {
            events[name, default: []].append(event)
        }
    }

    private func timeUp(_ name: String) {
        waiters.removeValue(forKey: name)?.resume(throwing: Missing("the next event of \(name)"))
    }

    // MARK: Raw peers

    /// Connects a raw peer to the server.
    func connectRaw(_ name: String) async throws {
        let bound = NIOLoopBound(self, eventLoop: loop)
        _ = try await ClientBootstrap(group: loop)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try bound.value.assumeIsolated { try $0.adopt(channel, as: name) }
                }
            }
            .connect(host: "127.0.0.1", port: port).get()
    }

    /// Starts a listener. Its first connection becomes the raw peer of this name.
    func serveRaw(_ name: String) async throws -> Int {
        let bound = NIOLoopBound(self, eventLoop: loop)
        let channel = try await ServerBootstrap(group: loop)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try bound.value.assumeIsolated { try $0.adopt(channel, as: name) }
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        raw[name + " listener"] = RawPeer(channel: channel) { _ in }
        return channel.localAddress?.port ?? 0
    }

    private func adopt(_ channel: any Channel, as name: String) throws {
        let peer = RawPeer(channel: channel) { self.record(name, $0) }
        raw[name] = peer
        try channel.pipeline.syncOperations.addHandler(peer)
    }

    func sendRaw(_ name: String, _ bytes: [UInt8]) {
        guard let peer = raw[name] else { return }
        peer.channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil)
    }

    func stopReadingRaw(_ name: String) {
        raw[name]?.channel.setOption(.autoRead, value: false).whenComplete { _ in }
    }

    func closeRaw(_ name: String) {
        raw[name]?.channel.close(promise: nil)
    }

    /// The bytes that a raw peer receives: at least `count` of them, or all until the connection ends.
    func readRaw(_ name: String, atLeast count: Int = .max) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count, case .message(let more) = try await next(name) { bytes += more }
        return bytes
    }

    /// The bytes that a raw peer receives, up to the end of an HTTP head.
    func readHead(_ name: String) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while !bytes.contains(Array("\r\n\r\n".utf8)) {
            guard case .message(let more) = try await next(name) else { throw Missing("an HTTP head") }
            bytes += more
        }
        return bytes
    }

    /// Passes an HTTP head from one raw peer to another one.
    func passHead(from source: String, to destination: String) async throws {
        sendRaw(destination, try await readHead(source))
    }

    /// Waits until all bytes that were sent have arrived. A new connection is only accepted after them.
    func settleSockets() async throws {
        try await connectRaw("settling")
        try await upgradeRaw("settling")
        closeRaw("settling")
    }

    /// Connects a client through two raw peers. After the handshake, the test can send bytes to the client with
    /// `toClient`.
    func connectThroughTheMiddle(_ name: String) async throws {
        let middle = try await serveRaw("toClient")
        connect(name, url: "ws://127.0.0.1:\(middle)/")
        try await connectRaw("toServer")
        try await passHead(from: "toClient", to: "toServer")
        try await passHead(from: "toServer", to: "toClient")
        guard try await next(name) == .open else { throw Missing("opening \(name)") }
    }

    /// Upgrades a raw peer's connection to a WebSocket.
    func upgradeRaw(_ name: String) async throws {
        sendRaw(name, RawPeer.upgradeRequest)
        var answer: [UInt8] = []
        while !answer.ends(with: Array("\r\n\r\n".utf8)) {
            guard case .message(let more) = try await next(name) else { throw Missing("an upgrade") }
            answer += more
        }
    }
}

extension Array where Element == UInt8 {
    func ends(with suffix: [UInt8]) -> Bool { Array(self.suffix(suffix.count)) == suffix }
}

/// Calls the test with a harness, and closes the harness afterwards, also after a failure.
func withHarness(_ body: (Harness) async throws -> Void) async throws {
    let harness = Harness()
    do {
        try await body(harness)
    } catch {
        await harness.closeAll()
        throw error
    }
    await harness.closeAll()
}
