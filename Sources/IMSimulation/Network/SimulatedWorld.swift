import IMSession
import SansIO

/// A world in virtual time: no sockets, no threads, no waiting. Time jumps to whatever comes next, so that hours pass
/// in milliseconds, and the same script with the same seed gives the same session, byte for byte.
public final class SimulatedWorld: World {
    /// The nodes, the recording and the time of this world.
    public let core: WorldCore
    let fabric: SimulatedFabric
    /// Decides which of the things that are due together comes first, where that is drawn.
    var orderSeed: UInt64

    /// Always true.
    public let isSimulated = true

    /// A world with its server, at instant zero.
    ///
    /// - Parameters:
    ///   - recording: the session file; nil where nothing is to be recorded.
    ///   - store: what clients keep between two runs of their apps.
    ///   - summarize: composes the line of each event that stands in the recording.
    /// - Throws: what keeps the store or the recording from beginning.
    public convenience init(
        _ configuration: WorldConfiguration, recording: Recording? = nil,
        store: any ClientStore = MemoryClientStore(), summarize: @escaping (SessionEvent) -> String = { _ in "" }
    ) throws {
        self.init(empty: configuration, recording: recording, store: store, summarize: summarize)
        try core.startServer()
    }

    /// A world in which there is nobody yet, not even the server.
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
        fabric = SimulatedFabric(core: core)
        orderSeed = configuration.seed
        core.fabric = fabric
        core.isVirtual = true
    }

    private init(core: WorldCore, fabric: SimulatedFabric, orderSeed: UInt64) {
        self.core = core
        self.fabric = fabric
        self.orderSeed = orderSeed
        core.fabric = fabric
        core.isVirtual = true
    }

    /// A world that stands where this one stands, with its nodes, links, frames on their way and chance, and goes on by
    /// itself: nothing of it is recorded, and neither learns of the other. What the two share they share until one of
    /// them changes it, so that a copy costs next to nothing; a search makes thousands.
    ///
    /// - Throws: ``WorldError`` where clients or passwords are kept outside the world's memory, which both would share.
    public func copy() throws -> SimulatedWorld {
        guard let store = core.store as? MemoryClientStore, core.keeper == nil, let vault = core.vault.copy() else {
            throw WorldError("this world keeps something in a database, which a copy would share")
        }
        let copied = WorldCore(copying: core, vault: vault, store: store.copy())
        return SimulatedWorld(
            core: copied, fabric: SimulatedFabric(copying: fabric, core: copied), orderSeed: orderSeed)
    }

    /// Runs the body at once, on the caller's thread. Throws what the body throws, and ``RecordingFailure`` when the
    /// session has ended with its recording.
    public func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value {
        try core.requireRecorded()
        let value = try body(core)
        core.handOverRest()
        try core.requireRecorded()
        return value
    }

    /// Goes through what is due in the interval; virtual time is at its end afterwards, or where the condition held.
    public func advance(
        by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool
    ) throws -> Bool {
        let isSatisfied = run(until: core.now + interval, satisfied)
        core.handOverRest()
        try core.requireRecorded()
        try requireProgress()
        return isSatisfied
    }

    /// Lets everything happen that is due by `end`, or only until the condition holds.
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

    /// Nil also where time does not go on.
    var nextInstant: Instant? {
        guard !core.isStalled else { return nil }
        return switch (core.nextDeadline, fabric.nextArrival) {
        case (let deadline?, let arrival?): min(deadline, arrival)
        case (let deadline, let arrival): deadline ?? arrival
        }
    }

    /// One packet arrives, or else the nodes whose time has come learn of it; where the order is drawn, whichever is.
    func step() {
        if core.configuration.order == .drawn { return stepDrawn() }
        if fabric.deliverNext() { return }
        core.wakeNodes()
        core.fireDeadlines()
    }

    /// Writes the last states and the closing record. No socket or thread is there to be ended.
    public func shutDown() throws {
        try core.closeRecording()
    }
}
