import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// The nodes of a world and the order of their inputs, independent of the network.
///
/// It passes inputs to machines one at a time, records each input and its effects, and writes the recording to the
/// operating system. After that it carries the effects out. Inputs that arise meanwhile wait in a queue, so that no
/// machine is called from inside another. The machines decide; this class does not.
///
/// Confined to one thread: the caller's thread in the simulated world, the event loop's in the live one. The properties
/// that each event needs are `@exclusivity(unchecked)`, because the checks for exclusive access took an eighth of a
/// simulation's time. This is safe because no change of such a property calls code that accesses the property again.
public final class WorldCore {
    /// The server's name in every world; no client may have it.
    public static let serverName = "server"
    /// The minimum number of events kept in memory; older ones are only in the file.
    static let eventsKeptMin = 10_000
    /// The maximum size of the kept events in bytes. If they are larger, fewer events are kept.
    static let eventBytesMax = 32 << 20

    /// The time of the current input. The world only advances it.
    @exclusivity(unchecked) public package(set) var now = Instant.zero
    /// The configuration from which the world was created.
    public let configuration: WorldConfiguration
    /// Stores the secrets of clients and checks them for the server.
    public let vault: CredentialVault
    /// The recording; nil if there is none, and after ``closeRecording()``.
    @exclusivity(unchecked) public internal(set) var recording: Recording?
    let store: any ClientStore
    package weak var network: (any WorldNetwork)?

    /// The nodes in order of creation, including closed clients; a ``NodeID`` is an index of this array.
    @exclusivity(unchecked) public internal(set) var nodes: [Node] = []
    /// The names of ``nodes``, kept apart because a search through the nodes copies each of them.
    @exclusivity(unchecked) private(set) var names: [String] = []
    private var serverIndex: Int?
    /// The next deadline or wake-up of each node; kept apart from the nodes because each event reads it.
    @exclusivity(unchecked) var alarms: [NodeMachine.Deadline?] = []
    /// The kept events, oldest first; older ones have been dropped.
    @exclusivity(unchecked) public internal(set) var events: [SessionEvent] = []
    /// The causes of ``events``.
    @exclusivity(unchecked) var causes: [EventID] = []
    /// The numbers of the events in ``recording``.
    @exclusivity(unchecked) var numbers = EventNumbers()
    @exclusivity(unchecked) var eventsDropped = 0
    @exclusivity(unchecked) var eventBytes = 0
    /// True if events are kept after ``onEvent`` received them. A search that runs thousands of worlds sets false,
    /// because nobody queries the events of these worlds.
    @exclusivity(unchecked) package var keepsEvents = true
    /// How many of ``events`` were passed to ``onEvent``.
    @exclusivity(unchecked) var eventsNotified = 0
    /// The number of events so far, from which ``events(from:)`` continues.
    public var eventsSeen: Int { eventsDropped + events.count }
    /// Called for each event after it was recorded and written to the operating system.
    @exclusivity(unchecked) public var onEvent: ((SessionEvent) -> Void)?
    /// True if an event becomes visible when ``onEvent`` is called with it; see ``RecordingFlush/beforeShown``.
    public var isShown: (SessionEvent) -> Bool = { _ in true }
    /// Called once with the reason if the data that clients keep between two runs of their apps cannot be stored.
    public var onStoreFailure: ((String) -> Void)? {
        didSet { if let storeFailure { onStoreFailure?(storeFailure) } }
    }
    private var storeFailure: String?
    /// Called with the reason if an operation on local data or on the folder of an export failed.
    public var onDataFailure: ((String) -> Void)?
    /// The reason why no client has reached the server; nil after a client has reached it, and before the first
    /// attempt.
    public internal(set) var unreachableReason: String?
    var hasBeenReached = false
    /// Stores the server state that outlives its process; nil if nothing does.
    var accountSaver: AccountSaver?
    /// The server's effects that are not carried out yet, because the accounts that their inputs changed are not saved.
    var unsavedEffects: [(node: NodeID, effects: [NodeEffect], input: EventID)] = []
    /// Runs a closure after all inputs that have arrived so far are handled; nil if inputs arrive one at a time, as in
    /// a simulated world.
    package var runAfterArrivedInputs: ((@escaping () -> Void) -> Void)?
    /// Called with the reason if the server had to go down.
    public var onServerFailure: ((String) -> Void)?
    /// Returns the random number of a process that starts. It does not depend on the seed, so that no two processes
    /// have the same. Nil if only the seed decides, as in a simulated world.
    package var drawNonce: () -> UInt64? = { nil }
    /// Returns the one-line summary of an event, which is written as the comment of the event in the file.
    public var summarize: (SessionEvent) -> String

    @exclusivity(unchecked) private var queue: [(node: NodeID, input: NodeInput, cause: EventID)] = []
    @exclusivity(unchecked) private var queueHead = 0
    @exclusivity(unchecked) private var isDraining = false
    @exclusivity(unchecked) private var effects: [NodeEffect] = []
    /// True if the time is virtual: it advances only if nothing more is due at the current instant.
    var isVirtual = false
    /// The number of inputs at the last instant that had one.
    @exclusivity(unchecked) var inputCount = InputCount()
    private var nextCommand: UInt32 = 1
    private var nodeSeeds: SeededRandom
    /// The reason why the recording ended early; nil while it works.
    @exclusivity(unchecked) public internal(set) var recordingFailure: String?
    /// The disk-full state, in which the world waits for space; nil otherwise.
    package var diskFullState: DiskFullState?
    /// Called once with the consequence if writing fails, and again if it works again.
    public var onDiskFull: ((String) -> Void)?

    package init(
        configuration: WorldConfiguration, vault: CredentialVault, store: any ClientStore, recording: Recording?,
        summarize: @escaping (SessionEvent) -> String
    ) {
        self.configuration = configuration
        self.vault = vault
        self.store = store
        self.recording = recording
        self.summarize = summarize
        recording?.writer.log.retainsUnwritten = configuration.recordingFailurePolicy != .ends
        nodeSeeds = SeededRandom(seed: configuration.seed)
    }

    /// An independent copy of the current state. It records nothing, notifies nobody and keeps no earlier events. Make
    /// the copy between two events: during an event, some of the machine's effects are not carried out yet.
    init(copying other: WorldCore, vault: CredentialVault, store: any ClientStore) {
        configuration = other.configuration
        self.vault = vault
        self.store = store
        now = other.now
        nodes = other.nodes
        names = other.names
        serverIndex = other.serverIndex
        alarms = other.alarms
        eventsDropped = other.eventsSeen
        unreachableReason = other.unreachableReason
        hasBeenReached = other.hasBeenReached
        nextCommand = other.nextCommand
        nodeSeeds = other.nodeSeeds
        summarize = other.summarize
    }

    /// The wall clock of the server, milliseconds since 1970.
    public var wallMilliseconds: Int64 {
        configuration.epochNanoseconds / 1_000_000 + now.nanoseconds / 1_000_000
    }

    // MARK: Nodes

    /// The node of that name, including closed ones; nil if no node has it.
    public func node(named name: String) -> NodeID? {
        names.firstIndex(of: name).map(NodeID.init(rawValue:))
    }

    /// The current state of the node; a copy.
    public subscript(id: NodeID) -> Node { nodes[id.rawValue] }

    /// True if the node is the server. Unlike ``Node/isServer``, this does not copy the node.
    package func isServer(_ id: NodeID) -> Bool { id.rawValue == serverIndex }

    /// The server; nil in a world whose server is another process.
    public var serverID: NodeID? { serverIndex.map(NodeID.init(rawValue:)) }

    /// The clients, in order of creation.
    public var clients: [NodeID] {
        nodes.withUnsafeBufferPointer { nodes in
            nodes.indices.filter { !nodes[$0].isServer && !nodes[$0].isClosed }.map(NodeID.init(rawValue:))
        }
    }

    func addNode(_ node: Node) -> NodeID {
        if node.isServer, serverIndex == nil { serverIndex = nodes.count }
        nodes.append(node)
        names.append(node.name)
        alarms.append(nil)
        return NodeID(rawValue: nodes.count - 1)
    }

    func makeSeed() -> UInt64 { nodeSeeds.next() }

    /// Changes the random numbers from now on, in the running machines and in later ones.
    func reseed(_ random: inout SeededRandom) {
        nodeSeeds = random.fork()
        for position in nodes.indices { nodes[position].machine?.reseed(seed: random.next()) }
    }

    /// Starts a node's machine and records its start state.
    func start(_ id: NodeID, _ record: StartRecord) throws {
        let machine = record.makeMachine()
        nodes[id.rawValue].machine = machine
        alarms[id.rawValue] = machine.deadline
        nodes[id.rawValue].profile = record.profile
        let event = SessionEvent(number: 0, time: now, node: record.name, content: .start(record))
        try append(event, of: id) { recording, index, _, comment in
            try recording.writer.start(index, payload: record.payload(), at: now, comment: comment)
        }
        flushAndNotify()
    }

    /// Ends a node's machine without an input to it.
    func stop(_ id: NodeID) {
        saveAndCarryOut()
        guard isRunning(id) else { return }
        nodes[id.rawValue].machine = nil
        alarms[id.rawValue] = nil
        nodes[id.rawValue].frozen = nil
        closeData(of: id)
        let event = SessionEvent(number: 0, time: now, node: nodes[id.rawValue].name, content: .stop)
        let stopped = append(event, of: id) { recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        network?.processEnded(id, cause: stopped)
        flushAndNotify()
    }

    // MARK: Inputs

    func makeCommandID() -> CommandID {
        defer { nextCommand = nextCommand == .max ? 1 : nextCommand + 1 }
        return CommandID(nextCommand)
    }

    /// Passes an input to a node, at once or after the inputs that are being handled.
    ///
    /// - Parameter cause: the event that led to the input.
    package func deliver(_ input: NodeInput, to id: NodeID, cause: EventID = .none) {
        // A world that has ended handles no more inputs.
        guard !isOver, !isStalled else { return }
        guard !isDraining else { return queue.append((id, input, cause)) }
        isDraining = true
        defer { isDraining = false }
        handle(input, by: id, cause: cause)
        // Handles the inputs that arose from this input.
        while queueHead < queue.count, !isStalled {
            let (id, input, cause) = queue[queueHead]
            queueHead += 1
            handle(input, by: id, cause: cause)
        }
        if queueHead > 0 {
            queue.removeAll(keepingCapacity: true)
            queueHead = 0
        }
        writeKeyframesIfDue()
    }

    /// Sends a deadline input to every node whose deadline has come, in the order of the nodes.
    package func fireDeadlines() {
        for index in alarms.indices { fireDeadline(index) }
    }

    private func fireDeadline(_ index: Int) {
        guard let alarm = alarms[index], alarm.at <= now, nodes[index].frozen == nil else { return }
        deliver(.deadlineReached, to: NodeID(rawValue: index), cause: EventID(rawValue: alarm.setter))
    }

    /// The nodes whose deadline has come, or whose sleep is over.
    func forEachDueNode(_ body: (NodeID) -> Void) {
        for index in alarms.indices {
            if let alarm = alarms[index], alarm.at <= now { body(NodeID(rawValue: index)) }
        }
    }

    /// Wakes one node, or sends it the deadline input.
    func reachDeadline(of node: NodeID) {
        wake(node.rawValue)
        fireDeadline(node.rawValue)
    }

    /// The earliest deadline or wake-up of the nodes.
    package var nextDeadline: Instant? {
        var next: Instant?
        for case let alarm? in alarms { next = min(next ?? alarm.at, alarm.at) }
        return next
    }

    /// Puts a node's device to sleep until `end`. If the device already sleeps, only the end of its sleep changes.
    func freeze(_ id: NodeID, until end: Instant, cause: EventID) {
        var frozen = nodes[id.rawValue].frozen ?? Node.Frozen(since: now, until: end)
        frozen.until = end
        frozen.cause = cause
        nodes[id.rawValue].frozen = frozen
        alarms[id.rawValue] = NodeMachine.Deadline(at: end)
    }

    /// Wakes the nodes whose sleep is over: each first receives the length of its sleep, then the queued inputs.
    package func wakeNodes() {
        for index in alarms.indices { wake(index) }
    }

    private func wake(_ index: Int) {
        guard let alarm = alarms[index], alarm.at <= now, let frozen = nodes[index].frozen, frozen.until <= now else {
            return
        }
        nodes[index].frozen = nil
        let id = NodeID(rawValue: index)
        deliver(.app(.woke(slept: now - frozen.since)), to: id, cause: frozen.cause)
        // A command gets the clock as it was before the clock changes that came after the command.
        var ahead = frozen.inputs.reduce(Interval.zero) { $0 + $1.input.clockJump }
        for (input, cause) in frozen.inputs {
            ahead = ahead - input.clockJump
            deliver(readingClock(input, of: id, setBack: ahead), to: id, cause: cause)
        }
    }

    private func handle(_ input: NodeInput, by id: NodeID, cause: EventID) {
        // A sleeping node has a machine; a node without a machine receives nothing.
        if isAsleep(id) {
            nodes[id.rawValue].frozen?.inputs.append((input, cause))
            return
        }
        inputCount.note(at: now)
        if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
        let inputID = nextEventID
        guard
            nodes[id.rawValue].machine?.take(
                input, at: now, number: inputID.rawValue, into: &effects, deadline: &alarms[id.rawValue]) != nil
        else { return }
        let name = names[id.rawValue]
        append(SessionEvent(number: 0, time: now, node: name, content: .input(input)), of: id, cause: cause) {
            recording, index, cause, comment in
            recording.writer.input(input, node: index, at: now, cause: cause, comment: comment)
        }
        let caused = effects
        for effect in caused {
            append(SessionEvent(number: 0, time: now, node: name, content: .effect(effect)), of: id, cause: inputID) {
                recording, index, _, comment in
                recording.writer.effect(effect, node: index, at: now, comment: comment)
            }
        }
        guard flushAndNotify() || continues(unrecorded: id), !holdsUntilSaved(caused, to: inputID, of: id) else {
            return
        }
        keepItems(of: caused, of: id)
        carryOut(caused, to: inputID, of: id)
    }

    /// Carries out the effects of a machine.
    ///
    /// - Parameter input: the input that caused the effects.
    func carryOut(_ effects: [NodeEffect], to input: EventID, of id: NodeID) {
        guard !effects.isEmpty else { return }
        let network = network
        for (position, effect) in effects.enumerated() {
            // The events of the effects directly follow the event of the input, so their ids do too.
            carryOut(effect, of: id, cause: input.advanced(by: position + 1), over: network)
        }
    }

    private func carryOut(_ effect: NodeEffect, of id: NodeID, cause: EventID, over network: (any WorldNetwork)?) {
        switch effect {
        case .send(let connection, let frame): network?.send(frame, over: connection, from: id, cause: cause)
        case .connect(let connection): network?.connect(connection, from: id, cause: cause)
        case .closeLink(let connection): network?.close(connection, from: id, cause: cause)
        case .persist(let data):
            store { try $0.save(data, profile: nodes[id.rawValue].profile, client: nodes[id.rawValue].name) }
        case .data(let request):
            if let answer = answer(request, of: id) { deliver(.data(answer), to: id, cause: cause) }
        case .keep, .complete, .notify, .transition, .presence: break
        }
    }

    /// Stores all items of one input in one disk write. One write for each item would take longer than the heartbeat
    /// interval.
    private func keepItems(of effects: [NodeEffect], of id: NodeID) {
        let items = effects.compactMap { if case .keep(let item) = $0 { item } else { nil } }
        guard !items.isEmpty else { return }
        store { try $0.keep(items, profile: nodes[id.rawValue].profile, client: nodes[id.rawValue].name) }
    }

    private func store(_ body: (any ClientStore) throws -> Void) {
        do {
            try body(store)
        } catch {
            guard storeFailure == nil else { return }
            let failure = "\(error)"
            storeFailure = failure
            onStoreFailure?(failure)
        }
    }

    // MARK: Continuing a recording

    func numberCommands(after last: CommandID) { nextCommand = max(nextCommand, last.rawValue &+ 1) }

    /// Runs `give`, in which the next command gets its recorded number. The numbers in a recording have gaps: a command
    /// that was queued on a sleeping device and never received has used up a number.
    func numbering(_ command: CommandID?, _ give: () throws -> Void) rethrows {
        guard let command else { return try give() }
        let next = nextCommand
        nextCommand = command.rawValue
        defer { nextCommand = max(next, nextCommand) }
        try give()
    }

    /// Marks the restored events as already passed to ``onEvent``.
    func endRestoring() { eventsNotified = events.count }
}
