import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession
import IMTree
import Recorder
import SansIO

/// Follows a recording from its beginning to an index, so that a simulated world gets the state at that index:
/// machines, connections, packets in flight, faults, sleeping devices, local data.
struct StateReconstructor {
    let decoded: DecodedSession
    let world: SimulatedWorld
    private let store: MemoryClientStore
    private var machines: [NodeMachine?] = []
    /// By node: the inputs that queued while its device slept. The node receives them right after its device woke.
    private var queuedInputs: [[(input: NodeInput, cause: EventID)]] = []
    /// By node: the store's answers that the client has not received yet.
    private var pendingAnswers: [[(answer: DataAnswer, cause: EventID)]] = []
    /// The id in the new world of each restored event, by its number in the recording; empty if no events are restored.
    private var events: [UInt64: EventID] = [:]
    private var lastCommandID = CommandID(0)
    private let restoresPast: Bool
    /// The time of the user's last action.
    private(set) var lastActionTime: Instant?

    private var core: WorldCore { world.core }

    /// - Parameter restoresPast: true if the recording of the new world begins with the earlier events.
    init(
        _ decoded: DecodedSession, configuration: WorldConfiguration, recording: Recording?, restoresPast: Bool,
        summarize: @escaping (SessionEvent) -> String
    ) throws {
        if let rejectionReason = decoded.rejectionReason { throw WorldError(rejectionReason) }
        self.decoded = decoded
        self.restoresPast = restoresPast
        store = MemoryClientStore()
        world = SimulatedWorld(empty: configuration, recording: recording, store: store, summarize: summarize)
        ForkCredentials(decoded, configuration).transfer(to: world.core.vault)
    }

    /// Follows the recording up to an index, but does not install the machines yet.
    mutating func follow(upTo index: Int) throws {
        for event in decoded.events[..<index] {
            passTime(to: event)
            try follow(event)
        }
        core.endRestoring()
    }

    /// Lets time pass up to an event, and delivers the unrecorded packets before it.
    mutating func passTime(to event: SessionEvent) {
        world.network.deliverUnrecorded(before: event.time, isIncluded: followsArrivals(event))
        core.now = max(core.now, event.time)
    }

    /// True if all packets that were due at the event's instant arrived before the event. A user's action comes after
    /// all packets of its instant, unless it directly follows another action of that instant. With a fixed order, a
    /// timer comes after all packets of its instant.
    private mutating func followsArrivals(_ event: SessionEvent) -> Bool {
        switch event.content {
        case .input(.deadlineReached), .input(.app(.woke)): return core.configuration.order == .fixed
        case .start, .stop, .environment, .mark, .input(.clientCommand), .input(.serverCommand), .input(.app):
            defer { lastActionTime = event.time }
            return lastActionTime != event.time
        default: return false
        }
    }

    /// Installs the machines; the world continues from here.
    ///
    /// - Parameters:
    ///   - omitting: the queued input that a waking device does not receive; nil for none.
    ///   - name: the node of that device.
    mutating func finish(omitting: NodeInput? = nil, of name: String? = nil) {
        core.numberCommands(after: lastCommandID)
        for index in machines.indices { core.install(machines[index], as: NodeID(rawValue: index)) }
        for index in queuedInputs.indices {
            var inputs = queuedInputs[index]
            if core[NodeID(rawValue: index)].name == name, inputs.first?.input == omitting, !inputs.isEmpty {
                inputs.removeFirst()
            }
            // The store answers immediately, so the client receives the answers before the next queued input.
            for (answer, cause) in pendingAnswers[index] {
                core.deliver(.data(answer), to: NodeID(rawValue: index), cause: cause)
            }
            for (input, cause) in inputs { core.deliver(input, to: NodeID(rawValue: index), cause: cause) }
        }
    }

    /// True if the input is one that queued while the device slept.
    func wasQueued(_ input: NodeInput, by id: NodeID) -> Bool { queuedInputs[id.rawValue].first?.input == input }

    private mutating func follow(_ event: SessionEvent) throws {
        switch event.content {
        case .header, .clock, .keyframe, .closing: return
        case .unreadable(let why): throw WorldError("event \(event.number) cannot be read: \(why)")
        case .mark:
            return try restore(event, of: nil)
        case .start(let start):
            let id = core.node(named: event.node) ?? add(start)
            try restore(event, of: id)
            return try begin(start, id)
        case .stop, .input, .effect, .environment: break
        }
        guard let id = core.node(named: event.node) else {
            throw WorldError("event \(event.number) belongs to a node that has not started")
        }
        try restore(event, of: id)
        let eventID = ownID(of: event.number)
        switch event.content {
        case .stop: end(id, eventID)
        case .input(let input): take(input, id, eventID, at: event.time)
        case .effect(let effect): try carryOut(effect, id, eventID)
        case .environment(let action): applyToWorld(action, id, eventID)
        case .header, .clock, .start, .mark, .keyframe, .closing, .unreadable: break
        }
    }

    private mutating func restore(_ event: SessionEvent, of id: NodeID?) throws {
        guard restoresPast else { return }
        events[event.number] = try core.restore(event, of: id, cause: ownID(of: event.cause))
    }

    /// The id that an event of the recording has in the new world.
    private func ownID(of number: UInt64) -> EventID { events[number] ?? .none }

    // MARK: Nodes

    private mutating func add(_ start: StartRecord) -> NodeID {
        machines.append(nil)
        queuedInputs.append([])
        pendingAnswers.append([])
        switch start.body {
        case .server:
            return core.addNode(Node(name: start.name, isServer: true, profile: start.profile, device: nil))
        case .client(let policy, let device, let local, let seed, _, _):
            let id = core.addNode(Node(name: start.name, isServer: false, profile: start.profile, device: device))
            core.nodes[id.rawValue].clientPolicy = policy
            world.network.clientAdded(id, seed: seed &+ 1)
            store.save(local, profile: start.profile, client: start.name)
            store.keep(local.items, profile: start.profile, client: start.name)
            return id
        }
    }

    private mutating func begin(_ start: StartRecord, _ id: NodeID) throws {
        machines[id.rawValue] = start.makeMachine()
        switch start.body {
        case .server: world.network.setListening(true)
        // The recorded world drew a seed for the client. Drawing one here too gives each later client the seed that it
        // has in the recording.
        case .client: _ = core.makeSeed()
        }
    }

    private mutating func end(_ id: NodeID, _ eventID: EventID) {
        if let machine = machines[id.rawValue]?.client {
            core.nodes[id.rawValue].nextConnection = machine.nextConnection
        }
        if let machine = machines[id.rawValue]?.server {
            world.network.setListening(false)
            core.nodes[id.rawValue].stoppedServer = machine.withoutConnections(at: core.now)
        }
        machines[id.rawValue] = nil
        queuedInputs[id.rawValue] = []
        pendingAnswers[id.rawValue] = []
        core.closeData(of: id)
        core.nodes[id.rawValue].frozen = nil
        world.network.processEnded(id, cause: eventID)
    }

    // MARK: Events

    private mutating func take(_ input: NodeInput, _ id: NodeID, _ eventID: EventID, at now: Instant) {
        if case .clientCommand(let command, _) = input { lastCommandID = max(lastCommandID, command) }
        if case .serverCommand(let command, _) = input { lastCommandID = max(lastCommandID, command) }
        if case .app(.woke) = input {
            queuedInputs[id.rawValue] = core[id].frozen?.inputs ?? []
            core.nodes[id.rawValue].frozen = nil
        } else if case .data(let answer) = input, !pendingAnswers[id.rawValue].isEmpty {
            pendingAnswers[id.rawValue].removeFirst()
            restoreTreeData(from: answer, id)
        } else if queuedInputs[id.rawValue].first?.input == input {
            queuedInputs[id.rawValue].removeFirst()
        } else {
            world.network.follow(input, at: id)
        }
        var effects: [NodeEffect] = []
        var deadline: NodeMachine.Deadline?
        machines[id.rawValue]?.take(
            input, at: now, number: eventID.rawValue, into: &effects, deadline: &deadline)
    }

    /// Restores the tree data that a device stored before the recording began, as far as the recorded answers contain
    /// it.
    private func restoreTreeData(from answer: DataAnswer, _ id: NodeID) {
        guard case .tree(let answer) = answer.outcome else { return }
        let tree = store.memoryTree(profile: core[id].profile, client: core[id].name)
        switch answer {
        case .opened(let contents) where contents != tree.storage.contents: tree.storage = TreeStorage(contents)
        case .read(_, let held): tree.storage.set(held)
        case .opened, .failed: break
        }
    }

    private mutating func carryOut(_ effect: NodeEffect, _ id: NodeID, _ eventID: EventID) throws {
        switch effect {
        case .send(let connection, let frame): world.network.send(frame, over: connection, from: id, cause: eventID)
        case .connect(let connection): world.network.connect(connection, from: id, cause: eventID)
        case .closeLink(let connection): world.network.close(connection, from: id, cause: eventID)
        case .persist(let data): store.save(data, profile: core[id].profile, client: core[id].name)
        case .data(let request):
            if let answer = core.answer(request, of: id) { pendingAnswers[id.rawValue].append((answer, eventID)) }
        case .keep(let item): store.keep([item], profile: core[id].profile, client: core[id].name)
        case .complete, .notify, .transition, .presence: break
        }
    }

    private mutating func applyToWorld(_ action: EnvironmentAction, _ id: NodeID, _ eventID: EventID) {
        switch action {
        case .net(let action): core.carryOut(action, client: id, cause: eventID)
        case .sleep(let length): core.freeze(id, until: core.now + length, cause: eventID)
        case .clockSkew(let interval):
            let jump = interval - core[id].clockSkew
            core.nodes[id.rawValue].clockSkew = interval
            core.deliver(.app(.clockSet(by: jump)), to: id, cause: eventID)
        case .other, .observed: break
        }
    }
}
