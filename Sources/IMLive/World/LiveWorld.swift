import IMProtocol
import IMSession
import IMSimulation
import NIOCore
import NIOPosix
import SansIO

/// A world over real sockets in real time. Everything runs on one event loop, so that events have one order.
///
/// The world's clock fires timers in the order of their due times, and the world's time is then the due time, even if
/// the computer is late. So on a slow computer a scenario takes longer, but has the same result.
public final class LiveWorld: World {
    /// The location of the server.
    public enum Server: Sendable {
        /// The server is in this world, on a port of the loopback address that only this world uses.
        case embedded
        /// The server is in this world, at the address that several worlds of a host share.
        case hosted(LiveHost)
        /// The server is in another process, on this or another computer.
        case remote(url: String)
    }

    public let isSimulated = false
    /// The thread of the loop; nil in a world that uses the loop of its host.
    private let group: MultiThreadedEventLoopGroup?
    private let loop: any EventLoop
    /// The store that this world closes at the end; nil in a hosted world, because the host closes its store.
    private let ownStore: SQLiteServerStore?
    /// Used on the loop only.
    private let state: NIOLoopBound<LiveState>
    /// The server's URL; empty in a hosted world.
    public let url: String

    /// - Parameters:
    ///   - timeScale: the speed of the world's time, relative to the wall clock.
    ///   - stopsBetweenCommands: true if time passes only inside ``advance(by:until:)``, as scripts require.
    ///   - key: the key that signs tokens, ``JWTAuthority/keyBytes`` bytes.
    ///   - kept: the store of the server's accounts; nil if they exist only as long as the world.
    /// - Throws: ``WorldError`` if the server cannot listen; an error of the store or of the recording.
    public init(
        _ configuration: WorldConfiguration, server: Server, timeScale: Double, stopsBetweenCommands: Bool,
        trust: TLSTrust, key: [UInt8], recording: Recording?, store: any ClientStore, kept: SQLiteServerStore? = nil,
        summarize: @escaping @Sendable (SessionEvent) -> String
    ) throws {
        if case .hosted(let host) = server {
            (group, loop, ownStore) = (nil, host.loop, nil)
        } else {
            let own = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            (group, loop, ownStore) = (own, own.next(), kept)
        }
        let loop = loop
        // These values are passed to the loop, and used only there from here on.
        let (recording, store) = (UncheckedSendableBox(recording), UncheckedSendableBox(store))
        do {
            let made = try loop.submit { () -> (NIOLoopBound<LiveState>) in
                let core = WorldCore(
                    configuration: configuration, vault: try LiveWorld.vault(configuration, key: key, kept: kept),
                    store: store.value, recording: recording.value, summarize: summarize)
                let workQueue = if case .hosted(let host) = server { host.workQueue } else { FairWorkQueue(on: loop) }
                let state = LiveState(
                    core: core, loop: loop, workQueue: workQueue, timeScale: timeScale, trust: trust,
                    stopsBetweenCommands: stopsBetweenCommands)
                // Another world with the same seed may use the same server, so its clients must have other nonces.
                core.drawNonce = { .random(in: .min ... .max) }
                core.keep(in: kept)
                try core.startServer()
                return NIOLoopBound(state, eventLoop: loop)
            }.wait()
            state = made
            url = try LiveWorld.open(server, made, configuration.profile, on: loop)
        } catch {
            try? group?.syncShutdownGracefully()
            ownStore?.close()
            throw error
        }
    }

    private static func vault(
        _ configuration: WorldConfiguration, key: [UInt8], kept: SQLiteServerStore?
    ) throws -> CredentialVault {
        var passwords: StretchedPasswordBook?
        if configuration.hasPasswords {
            do {
                let profile = configuration.profile
                passwords = StretchedPasswordBook(
                    cost: .live, records: try kept?.passwords(profile: profile) ?? [:]
                ) { try kept?.keep($0, of: $1, profile: profile) }
            } catch {
                throw WorldError("\(error)")
            }
        }
        return CredentialVault(
            authority: JWTAuthority(
                application: configuration.profile, key: key, lifetime: configuration.tokenLifetime),
            passwords: passwords,
            makesTokens: configuration.isOpen)
    }

    private static func open(
        _ server: Server, _ state: NIOLoopBound<LiveState>, _ profile: String, on loop: any EventLoop
    ) throws -> String {
        switch server {
        case .remote(let url):
            try loop.submit { state.value.network.url = url }.wait()
            return url
        case .hosted(let host):
            try host.add(state, named: profile)
            return ""
        case .embedded: return try listen(state, on: loop)
        }
    }

    /// Listens on the loopback address, on a port that the system chooses.
    private static func listen(_ state: NIOLoopBound<LiveState>, on loop: any EventLoop) throws -> String {
        do {
            return try loop.flatSubmit {
                WebSocketListener.start(
                    host: "127.0.0.1", port: 0, on: loop, messageBytesMax: ProtocolLimit.frameBytesMax,
                    workQueue: state.value.network.workQueue, tags: state.value.network.tags
                ) { state.value.network.accept($0) }
                .map { listener in
                    state.value.listener = listener
                    let url = listener.url
                    state.value.network.url = url
                    return url
                }
            }.wait()
        } catch let error as ListenError {
            throw WorldError(error.description)
        }
    }

    public func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value {
        let state = state
        return try loop.submit {
            state.value.catchUp()
            try state.value.core.requireRecording()
            let value = try body(state.value.core)
            state.value.core.saveAndCarryOut()
            state.value.updateWaitAndTimer()
            try state.value.core.requireRecording()
            return value
        }.wait()
    }

    public func advance(
        by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool
    ) throws -> Bool {
        let state = state
        let isSatisfied = try loop.flatSubmit { state.value.wait(for: interval, until: satisfied) }.wait()
        try loop.submit { try state.value.core.requireRecording() }.wait()
        return isSatisfied
    }

    /// Sets the handler that receives a description of each problem with the clients' URL, and of each connection that
    /// the server had to end.
    public func onLinkProblem(_ handler: @escaping @Sendable (String) -> Void) throws {
        let state = state
        try loop.submit {
            state.value.network.onLinkProblem = handler
            state.value.network.onCut = handler
        }.wait()
    }

    public func shutDown() throws {
        let state = state
        let (failure, hasNoPendingWork) = try loop.flatSubmit { () -> EventLoopFuture<(String?, Bool)> in
            var failure: String?
            do {
                try state.value.core.closeRecording()
            } catch {
                failure = "\(error)"
            }
            let result = failure
            return state.value.shutDown().map { (result, $0) }
        }.wait()
        // A pending lookup or credential check returns to the loop. Then the loop cannot be stopped here, and runs
        // until the process ends.
        if hasNoPendingWork { try group?.syncShutdownGracefully() }
        ownStore?.close()
        if let failure { throw WorldError("the recording could not be completed: \(failure)") }
    }
}

/// The state of a live world on its loop.
final class LiveState {
    let core: WorldCore
    let network: SocketNetwork
    var listener: WebSocketListener?
    private let loop: any EventLoop
    private var clock: PacedClock
    private let stopsBetweenCommands: Bool
    private var timer: Scheduled<Void>?
    private var timerInstant: Instant?
    private var isClosed = false
    /// True if no work on another thread will return to the loop after the end.
    private(set) var hasNoPendingWork = true
    private var isCheckingSpace = false
    /// The pending ``advance(by:until:)``: its end and its condition.
    private var pendingWait: PendingWait?

    private struct PendingWait {
        var end: Instant
        var satisfied: (WorldCore) -> Bool
        var promise: EventLoopPromise<Bool>
    }

    init(
        core: WorldCore, loop: any EventLoop, workQueue: FairWorkQueue, timeScale: Double, trust: TLSTrust,
        stopsBetweenCommands: Bool
    ) {
        self.core = core
        self.loop = loop
        self.stopsBetweenCommands = stopsBetweenCommands
        clock = PacedClock(scale: timeScale)
        network = SocketNetwork(
            core: core, loop: loop, workQueue: workQueue, timeScale: timeScale, trust: trust)
        core.network = network
        core.runAfterArrivedInputs = { [weak self] body in
            loop.assumeIsolated().execute {
                body()
                // A failed save suspends the server. Only `updateWaitAndTimer()` schedules the next attempt.
                self?.updateWaitAndTimer()
            }
        }
        if !stopsBetweenCommands { clock.run(at: .now) }
        network.catchUp = { [unowned self] in catchUp() }
        network.didDeliver = { [unowned self] in updateWaitAndTimer() }
        network.isTimeStopped = { [unowned self] in !clock.isRunning }
    }

    /// Advances the world's time to the present. Everything that is due happens in order, each at its due time.
    func catchUp() {
        let target = clock.reading(at: .now)
        while clock.isRunning {
            let deadline = core.nextDeadline
            if let pendingWait, pendingWait.end <= target, pendingWait.end < deadline ?? .distantFuture {
                core.now = max(core.now, pendingWait.end)
                endWait(false)
                continue
            }
            guard let deadline, deadline <= target else { break }
            core.now = max(core.now, deadline)
            core.wakeNodes()
            core.fireDeadlines()
            endWaitIfSatisfied()
        }
        if clock.isRunning { core.now = max(core.now, target) }
    }

    /// Called after every event. It checks if a wait has ended, and sets the timer again.
    func updateWaitAndTimer() {
        endWaitIfSatisfied()
        setTimer()
    }

    func wait(for interval: Interval, until satisfied: @escaping (WorldCore) -> Bool) -> EventLoopFuture<Bool> {
        catchUp()
        network.deliverHeldInputs()
        if satisfied(core) {
            setTimer()
            return loop.makeSucceededFuture(true)
        }
        let promise = loop.makePromise(of: Bool.self)
        pendingWait = PendingWait(end: core.now + interval, satisfied: satisfied, promise: promise)
        clock.run(at: .now)
        setTimer()
        return promise.futureResult
    }

    /// Ends the pending wait if its condition holds, or if the world has ended.
    private func endWaitIfSatisfied() {
        // After the end of a world, no event can satisfy the condition of a wait.
        if core.isOver { return endWait(false) }
        checkForSpace()
        if let pendingWait, pendingWait.satisfied(core) { endWait(true) }
    }

    /// In the disk-full state, checks every second if there is space again.
    private func checkForSpace() {
        guard core.diskFullState != nil, !isCheckingSpace, !isClosed else { return }
        isCheckingSpace = true
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in
            guard let self else { return }
            isCheckingSpace = false
            guard !isClosed else { return }
            catchUp()
            core.retryWriting()
            updateWaitAndTimer()
        }
    }

    private func endWait(_ result: Bool) {
        guard let pendingWait else { return }
        self.pendingWait = nil
        if stopsBetweenCommands { clock.stop(at: core.now) }
        pendingWait.promise.succeed(result)
    }

    private func setTimer() {
        guard !isClosed, clock.isRunning else { return cancelTimer() }
        var next = core.nextDeadline
        if let pendingWait { next = min(next ?? pendingWait.end, pendingWait.end) }
        guard let next else { return cancelTimer() }
        if next == timerInstant { return }
        cancelTimer()
        timerInstant = next
        let now = clock.reading(at: .now)
        let wait = clock.realInterval(from: now, to: next)
        timer = loop.assumeIsolated().scheduleTask(in: .nanoseconds(wait.nanoseconds)) { [unowned self] in
            timerInstant = nil
            catchUp()
            updateWaitAndTimer()
        }
    }

    private func cancelTimer() {
        timer?.cancel()
        timer = nil
        timerInstant = nil
    }

    /// - Returns: true if no work on another thread will return to the loop.
    func shutDown() -> EventLoopFuture<Bool> {
        isClosed = true
        cancelTimer()
        endWait(false)
        let sockets = network.shutDown()
        let listening = listener?.close(abortingLinks: true) ?? loop.makeSucceededVoidFuture()
        let bound = NIOLoopBound(self, eventLoop: loop)
        return EventLoopFuture.andAllComplete([listening], on: loop).flatMap { sockets }.map { hasNoPendingWork in
            bound.value.hasNoPendingWork = hasNoPendingWork
            return hasNoPendingWork
        }
    }
}
