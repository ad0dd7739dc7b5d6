import IMSession
import SansIO

/// A world in virtual time: no sockets, no threads, no waiting. Time jumps to the next due event, so that hours pass
/// in milliseconds, and the same script with the same seed gives the same session, byte for byte.
public final class SimulatedWorld: World {
    /// The nodes, the recording and the time of this world.
    public let core: WorldCore
    let network: SimulatedNetwork
    /// Seeds the order of events that are due at the same time, if the order is random.
    var orderSeed: UInt64

    /// Always true.
    public let isSimulated = true

    /// A world with its server, at instant zero.
    ///
    /// - Parameters:
    ///   - recording: the session file; nil to record nothing.
    ///   - store: the data that clients keep between two runs of their apps.
    ///   - summarize: returns the summary line of each event in the recording.
    /// - Throws: the error that prevents the store or the recording from starting.
    public convenience init(
        _ configuration: WorldConfiguration, recording: Recording? = nil,
        store: any ClientStore = MemoryClientStore(), summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws {
        self.init(empty: configuration, recording: recording, store: store, summarize: summarize)
        try core.startServer()
    }

    /// A world without nodes, not even the server.
    init(
        empty configuration: WorldConfiguration, recording: Recording?, store: any ClientStore,
        summarize: @escaping (SessionEvent) -> String
    ) {
        let vault = CredentialVault(
            authority: PlainTokenAuthority(
                application: configuration.profile, lifetime: configuration.tokenLifetime),
            passwords: configuration.hasPasswords ? PlainPasswordBook() : nil,
            makesTokens: configuration.isOpen)
        core = WorldCore(
            configuration: configuration, vault: vault, store: store, recording: recording, summarize: summarize)
        network = SimulatedNetwork(core: core)
        orderSeed = configuration.seed
        core.network = network
        core.isVirtual = true
    }

    private init(core: WorldCore, network: SimulatedNetwork, orderSeed: UInt64) {
        self.core = core
        self.network = network
        self.orderSeed = orderSeed
        core.network = network
        core.isVirtual = true
    }

    /// An independent copy of the current state, with its nodes, connections, packets in flight and random state. The
    /// copy is not recorded. It shares its data with the original until one of them changes the data, so it is cheap: a
    /// search makes thousands of copies.
    ///
    /// - Throws: ``WorldError`` if data of clients or passwords are stored outside the world's memory, because the copy
    ///   would change the data of the original.
    public func copy() throws -> SimulatedWorld {
        guard let store = core.store as? MemoryClientStore, core.accountSaver == nil, let vault = core.vault.copy()
        else {
            throw WorldError("this world stores data in a database, which a copy would share")
        }
        let copied = WorldCore(copying: core, vault: vault, store: store.copy())
        return SimulatedWorld(
            core: copied, network: SimulatedNetwork(copying: network, core: copied), orderSeed: orderSeed)
    }

    /// Runs the body immediately, on the caller's thread. Throws the body's error, and ``RecordingFailure`` if the
    /// world has ended because its recording failed.
    public func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value {
        try core.requireRecording()
        let value = try body(core)
        core.flushRest()
        try core.requireRecording()
        return value
    }

    /// Runs the events that are due in the interval. Afterwards the time is the end of the interval, or earlier if the
    /// condition held. Throws ``RecordingFailure`` as ``perform(_:)`` does, and ``WorldError`` if virtual time does not
    /// advance.
    public func advance(
        by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool
    ) throws -> Bool {
        let isSatisfied = run(until: core.now + interval, satisfied)
        core.flushRest()
        try core.requireRecording()
        try requireProgress()
        return isSatisfied
    }

    /// Runs the events that are due by `end`, and stops earlier if the condition holds. Returns true if it held.
    public func run(until end: Instant, _ satisfied: (WorldCore) -> Bool) -> Bool {
        if satisfied(core) { return true }
        while !core.isOver, let next = nextInstant, next <= end {
            core.now = max(core.now, next)
            step()
            if satisfied(core) { return true }
        }
        if !core.isStalled { core.now = max(core.now, end) }
        return false
    }

    /// The time of the next due event; nil if there is none, and if virtual time does not advance
    /// (``WorldCore/isStalled``).
    var nextInstant: Instant? {
        guard !core.isStalled else { return nil }
        return switch (core.nextDeadline, network.nextArrival) {
        case (let deadline?, let arrival?): min(deadline, arrival)
        case (let deadline, let arrival): deadline ?? arrival
        }
    }

    /// Delivers one due packet. If none is due, it wakes the nodes whose sleep is over and fires the due deadlines.
    /// With a random order, it runs one random item of all that are due.
    func step() {
        if core.configuration.order == .drawn { return stepRandomly() }
        if network.deliverNext() { return }
        core.wakeNodes()
        core.fireDeadlines()
    }

    /// Writes the last states of the machines and the closing record. There is no socket or thread to end.
    public func shutDown() throws {
        try core.closeRecording()
    }
}
