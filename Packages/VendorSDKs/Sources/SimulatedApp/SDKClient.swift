import AppStandIns
import IMClient
import IMData
import IMDialects
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import VirtualTime

/// A vendor's SDK within one process of an app, below the names that the vendor gives: commands go in; how they end, what
/// the app is told and how the state changes come out, on the main thread of the process.
public final class SDKClient: @unchecked Sendable {
    /// Something that the app is told without having asked.
    public enum News {
        case told(ClientNotification)
        case changed(StateChange)
    }

    /// The process whose SDK it is.
    public let process: ProcessID
    /// What surrounds it.
    public unowned let simulation: Simulation
    let node: NodeID
    private weak var device: SimulatedDevice?
    private var completions: [CommandID: (Completion) -> Void] = [:]
    /// Commands whose callers stand still until they have ended.
    private var waits: [CommandID: (Completion) -> Void] = [:]
    /// The command that is being given: what ends it at once finds nobody waiting for its number yet.
    private var early: [CommandID: Completion]?
    private var observers: [(News) -> Void] = []
    private var singletons: [ObjectIdentifier: AnyObject] = [:]
    private var isEnded = false

    struct Key: Hashable {
        let process: ProcessID
    }

    init(node: NodeID, process: ProcessID, device: SimulatedDevice, in simulation: Simulation) {
        self.node = node
        self.process = process
        self.device = device
        self.simulation = simulation
    }

    /// The SDK of the process in which the calling code runs. The test's own code sees that of the only app that runs.
    ///
    /// - Parameter what: what was asked for, for the message where there is none.
    public static func current(for what: @autoclosure () -> String) -> SDKClient {
        guard let simulation = Simulation.current else {
            preconditionFailure("\(what()) is simulated: it is there within withSimulation only")
        }
        if let process = simulation.time.currentProcess {
            if let client = simulation.time.attachments[Key(process: process)] as? SDKClient { return client }
        }
        let running = simulation.devices.compactMap(\.client)
        guard let client = running.first, running.count == 1 else {
            preconditionFailure(
                "\(what()) belongs to an app's process, and \(running.count) run: use device.perform { … }")
        }
        return client
    }

    /// The one object of a class in this process.
    public func singleton<Object: AnyObject>(_ make: (SDKClient) -> Object) -> Object {
        let key = ObjectIdentifier(Object.self)
        if let known = singletons[key] as? Object { return known }
        let made = make(self)
        singletons[key] = made
        return made
    }

    // MARK: Commands

    /// Gives the SDK a command.
    ///
    /// - Parameter completion: is called once, later, on the main thread, with how it ended.
    public func perform(_ command: ClientCommand, completion: ((Completion) -> Void)? = nil) {
        guard !isEnded else { return }
        simulation.synchronize()
        early = [:]
        let id = try? simulation.world.core.command(command, client: node)
        let ended = early ?? [:]
        early = nil
        guard let id, let completion else { return }
        if let outcome = ended[id] {
            enqueue("a completion") { completion(outcome) }
        } else {
            completions[id] = completion
        }
    }

    /// Gives the SDK a command and stands still until it has ended, as calls without a block do. Everything goes on
    /// meanwhile but the calling thread; one that waits for what cannot come is reported.
    ///
    /// - Parameter name: what is waited for, for the report.
    public func wait(for command: ClientCommand, _ name: String) -> Completion {
        guard !isEnded else { return Completion(.cancelled) }
        simulation.synchronize()
        early = [:]
        let id = try? simulation.world.core.command(command, client: node)
        let ended = early ?? [:]
        early = nil
        guard let id else { return Completion(.cancelled) }
        var outcome = ended[id]
        guard outcome == nil else { return outcome ?? Completion(.cancelled) }
        waits[id] = { outcome = $0 }
        _ = simulation.time.block(
            until: { outcome != nil }, wait: VirtualScheduler.Wait(for: name, ender: "end it"))
        waits[id] = nil
        simulation.synchronize()
        return outcome ?? Completion(.cancelled)
    }

    /// What the user's local data says at this moment, where the SDK itself wants to know it: no call that the app made.
    public func look(at request: LocalRequest) -> Completion? {
        guard !isEnded else { return nil }
        simulation.synchronize()
        return simulation.world.core.look(at: request, client: node).map {
            Completion($0.status, rows: $0.rowsAndNext)
        }
    }

    /// Asks for what the SDK knows without a server; nil where the answer does not come at once.
    public func ask(_ query: ClientQuery) -> Completion? {
        guard !isEnded else { return nil }
        simulation.synchronize()
        early = [:]
        let id = try? simulation.world.core.command(.query(query), client: node)
        defer { early = nil }
        return id.flatMap { early?[$0] }
    }

    /// Tells the SDK that the app is in front now, or no longer, where the vendor leaves that to the app.
    public func moved(toFront isInFront: Bool) {
        guard !isEnded else { return }
        simulation.synchronize()
        try? simulation.world.core.app(isInFront ? .foreground : .background, client: node)
    }

    /// Says what the app's settings make of the device, where nobody is logged in and no call is under way: the SDK
    /// begins anew with it (CHAT-5).
    ///
    /// - Returns: whether the SDK knows the device by that now.
    @discardableResult
    public func describe(deviceName: String, osType: UInt32, ext: String) -> Bool {
        guard !isEnded, let known = described else { return false }
        if (known.name, known.osType, known.ext) == (deviceName, osType, ext) { return true }
        guard user == nil, openCalls == 0, waits.isEmpty else { return false }
        simulation.synchronize()
        return (try? simulation.world.core.describe(node, deviceName: deviceName, osType: osType, ext: ext)) != nil
    }

    /// Notes that the app did something that it must not do.
    public func violated(_ rule: String, _ text: String) {
        simulation.violated(rule, text, on: device?.name ?? "")
    }

    /// Takes a token in, and returns the name under which machines and recordings know it: no file holds a secret.
    public func keep(token: String) -> String { simulation.world.core.vault.keep(token) }

    /// The same for a password.
    public func keep(password: String) throws -> String { try simulation.world.core.vault.keep(password: password) }

    /// Is told of all that comes, in order, on the main thread.
    public func observe(_ observer: @escaping (News) -> Void) { observers.append(observer) }

    // MARK: What is known

    /// The state that all vendors share.
    public var state: ClientState { machine?.state ?? .loggedOut }
    /// Who is logged in.
    public var user: String? { machine?.user }
    /// Whether the user's local data may be read (C-13).
    public var isDataOpen: Bool { machine?.isDataOpen ?? false }
    /// What survives the process, as it stands now: looking at it is no question that a session would have.
    public var kept: LocalData { machine?.local ?? LocalData() }
    /// The device as the SDK knows it.
    public var described: Device? { simulation.world.core[node].device }
    /// What the device keeps beside the machine's data, and the state of its network.
    public var storage: DeviceStorage? { device?.storage }
    /// The calls whose end has not come.
    public var openCalls: Int { completions.count }

    private var machine: ClientMachine? { simulation.world.core[node].client }

    // MARK: What comes

    func took(_ event: SessionEvent) {
        guard case .effect(let effect) = event.content else { return }
        switch effect {
        case .complete(let id, let completion):
            if let waiting = waits.removeValue(forKey: id) {
                waiting(completion)
            } else if let waiting = completions.removeValue(forKey: id) {
                enqueue("a completion") { waiting(completion) }
            } else {
                early?[id] = completion
            }
        case .notify(let notification): enqueue("a callback") { [weak self] in self?.tell(.told(notification)) }
        case .transition(let change): enqueue("a callback") { [weak self] in self?.tell(.changed(change)) }
        default: break
        }
    }

    private func tell(_ news: News) {
        for observer in observers { observer(news) }
    }

    /// On the main thread of the process, behind what is queued there: where SDKs call back.
    public func enqueue(_ what: String, _ body: @escaping () -> Void) {
        simulation.time.enqueue(in: process, label: EntryLabel("\(what) of the SDK"), block: body)
    }

    func end() {
        isEnded = true
        completions = [:]
        waits = [:]
        observers = []
        singletons = [:]
    }
}
