import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

/// The nodes of a world and the order in which things happen to them, whatever carries their links.
///
/// It feeds inputs to machines one at a time, records each input and what the machine answered, hands the recording to
/// the operating system, and only then carries the answers out. Inputs that arise meanwhile wait in a queue, so that no
/// machine is ever called from inside another. It decides nothing.
///
/// Confined to one thread: the caller's in the simulated world, the event loop's in the live one. What each event needs
/// is `@exclusivity(unchecked)`, because the looks whether somebody else has hold of it were an eighth of a simulation;
/// no change of it calls what could come back here.
public final class WorldCore {
    /// The server's name in every world; no client may have it.
    public static let serverName = "server"
    /// So many events are kept in memory at least; older ones are only in the file.
    static let eventsKeptMin = 10_000
    /// Unless they hold more than this together.
    static let eventBytesMax = 32 << 20

    /// The moment that inputs happen at. Moved by the world, never backwards.
    @exclusivity(unchecked) public package(set) var now = Instant.zero
    /// What the world was made from.
    public let configuration: WorldConfiguration
    /// Who knows the secrets of clients and judges them for the server.
    public let vault: CredentialVault
    /// Where what happens is recorded; nil for nowhere, and after ``closeRecording()``.
    @exclusivity(unchecked) public internal(set) var recording: Recording?
    let store: any ClientStore
    package weak var fabric: (any Fabric)?

    /// In the order in which they were made, closed clients among them; a ``NodeID`` is a place here.
    @exclusivity(unchecked) public internal(set) var nodes: [Node] = []
    /// The names of ``nodes``, and which is the server's: to look through the nodes themselves copies each of them.
    @exclusivity(unchecked) private(set) var names: [String] = []
    private var serverPlace: Int?
    /// When each node wants to be told the time, or wakes; beside the nodes, because it is looked for after each event.
    @exclusivity(unchecked) var alarms: [NodeMachine.Deadline?] = []
    /// What happened, oldest first; older ones have been let go.
    @exclusivity(unchecked) public internal(set) var events: [SessionEvent] = []
    /// What led to each of ``events``.
    @exclusivity(unchecked) var causes: [EventID] = []
    /// The numbers of the events in ``recording``.
    @exclusivity(unchecked) var numbers = EventNumbers()
    @exclusivity(unchecked) var eventsForgotten = 0
    @exclusivity(unchecked) var eventBytes = 0
    /// Whether events are kept behind the moment at which ``onEvent`` was told of them; not where thousands of worlds are
    /// lived through, and none is asked.
    @exclusivity(unchecked) package var keepsEvents = true
    /// How many of ``events`` have been told to ``onEvent``.
    @exclusivity(unchecked) var eventsAnnounced = 0
    /// How many events there have been; what ``events(from:)`` counts on from.
    public var eventsSeen: Int { eventsForgotten + events.count }
    /// Is told of each event after it has been recorded and handed to the operating system.
    @exclusivity(unchecked) public var onEvent: ((SessionEvent) -> Void)?
    /// Whether somebody sees an event when ``onEvent`` is told of it; see ``RecordingFlush/beforeShown``.
    public var isShown: (SessionEvent) -> Bool = { _ in true }
    /// Is told, once, that what clients keep between two runs of their apps cannot be kept, and why.
    public var onStoreFailure: ((String) -> Void)? {
        didSet { if let storeFailure { onStoreFailure?(storeFailure) } }
    }
    private var storeFailure: String?
    /// Is told why something could not be done with local data, or with the folder of an export.
    public var onDataFailure: ((String) -> Void)?
    /// Why no client has reached the server, in words; nil as soon as one has, and before one has tried.
    public internal(set) var unreached: String?
    var wasReached = false
    /// Where the server keeps what outlives its process; nil where nothing does.
    var keeper: AccountKeeper?
    /// What the server answered to inputs whose accounts are not saved yet; nobody is told of it before.
    var unkept: [(node: NodeID, effects: [NodeEffect], input: EventID)] = []
    /// Does something when what has come in by now is handled; nil where nothing else can have come in.
    package var later: ((@escaping () -> Void) -> Void)?
    /// Is told that the server had to go down, and why.
    public var onServerFailure: ((String) -> Void)?
    /// What a process draws at its start that no other process draws, whatever the seed; nil where chance is the seed's.
    package var drawNonce: () -> UInt64? = { nil }
    /// Composes the one-line summary of an event, which becomes its comment in the file.
    public var summarize: (SessionEvent) -> String

    @exclusivity(unchecked) private var queue: [(node: NodeID, input: NodeInput, cause: EventID)] = []
    @exclusivity(unchecked) private var queueHead = 0
    @exclusivity(unchecked) private var isDraining = false
    @exclusivity(unchecked) private var effects: [NodeEffect] = []
    /// Whether time goes on only when nothing more is due at an instant.
    var isVirtual = false
    /// How many inputs there were at the last instant that had one.
    @exclusivity(unchecked) var inputCount = InputCount()
    private var nextCommand: UInt32 = 1
    private var nodeSeeds: SeededRandom
    /// Why the recording ended before its time; nil while it goes well.
    @exclusivity(unchecked) public internal(set) var recordingFailure: String?
    /// What the world waits for to get room again.
    package var shortage: Shortage?
    /// Is told, once each time, what cannot be written and what comes of it; and when it can be again.
    public var onShortage: ((String) -> Void)?

    package init(
        configuration: WorldConfiguration, vault: CredentialVault, store: any ClientStore, recording: Recording?,
        summarize: @escaping (SessionEvent) -> String
    ) {
        self.configuration = configuration
        self.vault = vault
        self.store = store
        self.recording = recording
        self.summarize = summarize
        recording?.writer.log.holdsUntaken = configuration.whenUnrecorded != .ends
        nodeSeeds = SeededRandom(seed: configuration.seed)
    }

    /// The same moment once more, to go on by itself: nothing of it is recorded, nobody is told of it, and what happened
    /// before is behind it. To be made between two events.
    init(copying other: WorldCore, vault: CredentialVault, store: any ClientStore) {
        configuration = other.configuration
        self.vault = vault
        self.store = store
        now = other.now
        nodes = other.nodes
        names = other.names
        serverPlace = other.serverPlace
        alarms = other.alarms
        eventsForgotten = other.eventsSeen
        unreached = other.unreached
        wasReached = other.wasReached
        nextCommand = other.nextCommand
        nodeSeeds = other.nodeSeeds
        summarize = other.summarize
    }

    /// The wall clock of the server, milliseconds since 1970.
    public var wallMilliseconds: Int64 {
        configuration.epochNanoseconds / 1_000_000 + now.nanoseconds / 1_000_000
    }

    // MARK: Nodes

    /// The node of that name, also one that was closed; nil for a name that none has.
    public func node(named name: String) -> NodeID? {
        names.firstIndex(of: name).map(NodeID.init(rawValue:))
    }

    /// The node as it is now; a copy.
    public subscript(id: NodeID) -> Node { nodes[id.rawValue] }

    /// Whether a node is the server; the same as asking the node, without a copy of it.
    package func isServer(_ id: NodeID) -> Bool { id.rawValue == serverPlace }

    /// The server; nil in a world whose server is elsewhere.
    public var serverID: NodeID? { serverPlace.map(NodeID.init(rawValue:)) }

    /// The clients, in the order in which they were made.
    public var clients: [NodeID] {
        nodes.withUnsafeBufferPointer { nodes in
            nodes.indices.filter { !nodes[$0].isServer && !nodes[$0].isClosed }.map(NodeID.init(rawValue:))
        }
    }

    func addNode(_ node: Node) -> NodeID {
        if node.isServer, serverPlace == nil { serverPlace = nodes.count }
        nodes.append(node)
        names.append(node.name)
        alarms.append(nil)
        return NodeID(rawValue: nodes.count - 1)
    }

    func makeSeed() -> UInt64 { nodeSeeds.next() }

    /// Other chance from here on, in the machines that run and in those to come.
    func drawAnew(_ random: inout SeededRandom) {
        nodeSeeds = random.fork()
        for place in nodes.indices { nodes[place].machine?.drawAnew(seed: random.next()) }
    }

    /// Starts a node's machine and records what it was made from.
    func start(_ id: NodeID, _ record: StartRecord) throws {
        let machine = record.makeMachine()
        nodes[id.rawValue].machine = machine
        alarms[id.rawValue] = machine.deadline
        nodes[id.rawValue].profile = record.profile
        let event = SessionEvent(number: 0, time: now, node: record.name, content: .start(record))
        try append(event, of: id) { recording, index, _, comment in
            try recording.writer.start(index, payload: record.payload(), at: now, comment: comment)
        }
        handOver()
    }

    /// Ends a node's machine without a word to it.
    func stop(_ id: NodeID) {
        keepUnkept()
        guard isRunning(id) else { return }
        nodes[id.rawValue].machine = nil
        alarms[id.rawValue] = nil
        nodes[id.rawValue].frozen = nil
        closeData(of: id)
        let event = SessionEvent(number: 0, time: now, node: nodes[id.rawValue].name, content: .stop)
        let stopped = append(event, of: id) { recording, index, _, comment in
            recording.writer.stop(index, at: now, comment: comment)
        }
        fabric?.processEnded(id, cause: stopped)
        handOver()
    }

    // MARK: Inputs

    func makeCommandID() -> CommandID {
        defer { nextCommand = nextCommand == .max ? 1 : nextCommand + 1 }
        return CommandID(nextCommand)
    }

    /// Gives a node an input, now or, while another is being handled, right after.
    ///
    /// - Parameter cause: what led to it.
    package func deliver(_ input: NodeInput, to id: NodeID, cause: EventID = .none) {
        // A world whose recording has ended is over.
        guard !isOver, !isStalled else { return }
        guard !isDraining else { return queue.append((id, input, cause)) }
        isDraining = true
        defer { isDraining = false }
        handle(input, by: id, cause: cause)
        // What arose meanwhile.
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

    /// Tells every node whose deadline has come, in the order of the nodes.
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

    /// Wakes one node, or tells it that its deadline has come.
    func reachDeadline(of node: NodeID) {
        wake(node.rawValue)
        fireDeadline(node.rawValue)
    }

    /// The next moment at which a node wants to be told the time, or wakes.
    package var nextDeadline: Instant? {
        var next: Instant?
        for case let alarm? in alarms { next = min(next ?? alarm.at, alarm.at) }
        return next
    }

    /// Puts a node to sleep; one that sleeps already sleeps until then, and what has come meanwhile still waits for it.
    func freeze(_ id: NodeID, until end: Instant, cause: EventID) {
        var frozen = nodes[id.rawValue].frozen ?? Node.Frozen(since: now, until: end)
        frozen.until = end
        frozen.cause = cause
        nodes[id.rawValue].frozen = frozen
        alarms[id.rawValue] = NodeMachine.Deadline(at: end)
    }

    /// Ends the sleep of the nodes whose time has come: first they learn how long they slept, then what came meanwhile.
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
        // What was set later than a command was given is not what it reads.
        var ahead = frozen.inputs.reduce(Interval.zero) { $0 + $1.input.clockJump }
        for (input, cause) in frozen.inputs {
            ahead = ahead - input.clockJump
            deliver(readingClock(input, of: id, setBack: ahead), to: id, cause: cause)
        }
    }

    private func handle(_ input: NodeInput, by id: NodeID, cause: EventID) {
        // A node that sleeps has a machine; one without a machine hears nothing.
        if isAsleep(id) {
            nodes[id.rawValue].frozen?.inputs.append((input, cause))
            return
        }
        inputCount.note(at: now)
        if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
        let own = nextEvent
        guard
            nodes[id.rawValue].machine?.take(
                input, at: now, number: own.rawValue, into: &effects, deadline: &alarms[id.rawValue]) != nil
        else { return }
        let name = names[id.rawValue]
        append(SessionEvent(number: 0, time: now, node: name, content: .input(input)), of: id, cause: cause) {
            recording, index, cause, comment in
            recording.writer.input(input, node: index, at: now, cause: cause, comment: comment)
        }
        let answered = effects
        for effect in answered {
            append(SessionEvent(number: 0, time: now, node: name, content: .effect(effect)), of: id, cause: own) {
                recording, index, _, comment in
                recording.writer.effect(effect, node: index, at: now, comment: comment)
            }
        }
        guard handOver() || goesOn(unrecorded: id), !holdsUntilKept(answered, to: own, of: id) else { return }
        keepItems(of: answered, of: id)
        carryOut(answered, to: own, of: id)
    }

    /// Does what a machine asked for.
    ///
    /// - Parameter input: what it was the answer to.
    func carryOut(_ effects: [NodeEffect], to input: EventID, of id: NodeID) {
        guard !effects.isEmpty else { return }
        let fabric = fabric
        for (place, effect) in effects.enumerated() {
            // They stand right behind the input.
            carryOut(effect, of: id, cause: input.advanced(by: place + 1), over: fabric)
        }
    }

    private func carryOut(_ effect: NodeEffect, of id: NodeID, cause: EventID, over fabric: (any Fabric)?) {
        switch effect {
        case .send(let connection, let frame): fabric?.send(frame, over: connection, from: id, cause: cause)
        case .connect(let connection): fabric?.connect(connection, from: id, cause: cause)
        case .closeLink(let connection): fabric?.close(connection, from: id, cause: cause)
        case .persist(let data):
            store { try $0.save(data, profile: nodes[id.rawValue].profile, client: nodes[id.rawValue].name) }
        case .data(let request):
            if let answer = answer(request, of: id) { deliver(.data(answer), to: id, cause: cause) }
        case .keep, .complete, .notify, .transition, .presence: break
        }
    }

    /// All that an input brought goes to the store at once: waiting for the disk for each thing would take longer than a
    /// heartbeat.
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

    // MARK: Going on from a moment of a recording

    func numberCommands(after last: CommandID) { nextCommand = max(nextCommand, last.rawValue &+ 1) }

    /// Gives a command the number that it had: one that was given to a sleeping device and stands in no recording has used
    /// up another.
    func numbering(_ command: CommandID?, _ give: () throws -> Void) rethrows {
        guard let command else { return try give() }
        let next = nextCommand
        nextCommand = command.rawValue
        defer { nextCommand = max(next, nextCommand) }
        try give()
    }

    /// What was taken over is no news.
    func endRestoring() { eventsAnnounced = events.count }
}
