import AppStandIns
import IMClient
import IMLocalData
import IMProfiles
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
    private var completions: [CommandID: Waiting] = [:]
    /// Commands whose callers stand still until they have ended.
    private var waits: [CommandID: (Completion) -> Void] = [:]
    /// The command that is being given: what ends it at once finds nobody waiting for its number yet.
    private var early: [CommandID: Completion]?
    private var isAsking = false
    /// Those who wait for what has ended already, and is on its way to them.
    private var ending: [CommandID: (Completion) -> Void] = [:]
    private var observers: [(News) -> Void] = []
    private var changeObservers: [(ChangePage) -> Void] = []
    /// Where the app wants to be called back; nil for the main thread.
    public var callbackQueue: SimulatedDispatchQueue?
    private var singletons: [ObjectIdentifier: AnyObject] = [:]
    private var isEnded = false
    /// What the app's logins come from and leave behind.
    private(set) var watch: LoginWatch
    /// Whom the SDK tells.
    var delegateLists: [any DelegateCensus] = []
    /// What waited in the process before its first login, and how often each.
    private var waitedBefore: [String: Int] = [:]
    /// When the app last called or was told something, in nanoseconds.
    private var lastActivity: UInt64 = 0

    /// What waits for the end of a command, and what led to the command.
    private struct Waiting {
        let trigger: Int
        let end: (Completion) -> Void
    }

    struct Key: Hashable {
        let process: ProcessID
    }

    init(node: NodeID, process: ProcessID, device: SimulatedDevice, in simulation: Simulation) {
        self.node = node
        self.process = process
        self.device = device
        self.simulation = simulation
        watch = LoginWatch(launch: simulation.lastTrigger)
    }

    /// The SDK of the process in which the calling code runs. The test's own code sees that of the only app that runs.
    ///
    /// - Parameter what: what was asked for, for the message where there is none.
    public static func current(for what: @autoclosure () -> String) -> SDKClient {
        guard let simulation = Simulation.current else {
            preconditionFailure("\(what()) is simulated: it is there within withSimulation only")
        }
        if let client = running { return client }
        let running = simulation.devices.compactMap(\.client)
        guard let client = running.first, running.count == 1 else {
            preconditionFailure(
                "\(what()) belongs to an app's process, and \(running.count) run: use device.perform { … }")
        }
        return client
    }

    /// That of the process in which the calling code runs; nil outside of one.
    static var running: SDKClient? {
        guard let time = Simulation.current?.time, let process = time.currentProcess else { return nil }
        return time.attachments[Key(process: process)] as? SDKClient
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
        let completion = watched(command, completion)
        early = [:]
        let id = try? simulation.world.core.command(command, client: node)
        let ended = early ?? [:]
        early = nil
        guard let id, let completion else { return }
        let waiting = Waiting(trigger: simulation.time.currentTrigger, end: completion)
        if ended[id] == nil { completions[id] = waiting } else { ending[id] = waiting.end }
    }

    /// Looks at what the app asks for, and at the end of a logout.
    private func watched(
        _ command: ClientCommand, _ completion: ((Completion) -> Void)?
    ) -> ((Completion) -> Void)? {
        let time = simulation.time
        lastActivity = time.now
        switch command {
        case .login:
            if !watch.hasBegun { waitedBefore = counted(time.pending(of: process)) }
            let trigger = time.currentProcess == nil ? nil : time.currentTrigger
            for wrong in watch.begin(at: time.now, trigger: trigger) { violated(wrong.rule, wrong.text) }
            return completion
        case .logout:
            return { [weak self] outcome in
                if self?.state == .loggedOut { self?.noteEnd(.logout) }
                completion?(outcome)
            }
        default: return completion
        }
    }

    private func noteEnd(_ how: LoginWatch.End) {
        watch.ended(how, action: simulation.lastTrigger, trigger: simulation.time.currentTrigger)
    }

    /// Gives the SDK a command and stands still until it has ended, as calls without a block do. Everything goes on
    /// meanwhile but the calling thread; one that waits for what cannot come is reported.
    ///
    /// - Parameter name: what is waited for, for the report.
    public func wait(for command: ClientCommand, _ name: String) -> Completion {
        guard !isEnded else { return Completion(.cancelled) }
        simulation.synchronize()
        let noted = watched(command, nil)
        (early, isAsking) = ([:], true)
        let id = try? simulation.world.core.command(command, client: node)
        var outcome = id.flatMap { early?[$0] }
        (early, isAsking) = (nil, false)
        guard let id else { return Completion(.cancelled) }
        if outcome == nil {
            waits[id] = { outcome = $0 }
            _ = simulation.time.block(
                until: { outcome != nil }, wait: VirtualScheduler.Wait(for: name, ender: "end it"))
            waits[id] = nil
            simulation.synchronize()
        }
        let ended = outcome ?? Completion(.cancelled)
        noted?(ended)
        return ended
    }

    /// Asks for what the SDK knows without a server; nil where the answer does not come at once.
    public func ask(_ query: ClientQuery) -> Completion? {
        guard !isEnded else { return nil }
        simulation.synchronize()
        early = [:]
        isAsking = true
        defer {
            early = nil
            isAsking = false
        }
        let id = try? simulation.world.core.command(.query(query), client: node)
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

    /// Writes a note into the session, with the device's name.
    public func note(_ text: String) { simulation.note("[\(device?.name ?? "")] \(text)") }

    /// Takes a token in, and returns the name under which machines and recordings know it: no file holds a secret.
    public func keep(token: String) -> String { simulation.world.core.vault.keep(token) }

    /// The same for a password.
    public func keep(password: String) throws -> String { try simulation.world.core.vault.keep(password: password) }

    /// Is told of all that comes, in order, on the main thread.
    public func observe(_ observer: @escaping (News) -> Void) { observers.append(observer) }

    /// Is told what local data takes in, each time before the news of it.
    public func observeChanges(_ observer: @escaping (ChangePage) -> Void) { changeObservers.append(observer) }

    // MARK: What is known

    /// What a question to local data is answered with, without a call of the app: nothing of it is recorded. Nil while
    /// none is open.
    public func look(_ request: LocalRequest) -> LocalAnswer? {
        guard !isEnded else { return nil }
        return simulation.world.core.look(request, client: node)
    }

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

    /// What the SDK is inside, for what its commands do not say.
    public var machine: ClientMachine? { simulation.world.core[node].client }

    // MARK: What comes

    func took(_ event: SessionEvent) {
        guard case .effect(let effect) = event.content else { return }
        switch effect {
        case .complete(let id, let completion):
            if let waiting = waits.removeValue(forKey: id) {
                waiting(completion)
            } else if let waiting = completions.removeValue(forKey: id) {
                enqueue("a completion", trigger: waiting.trigger) { waiting.end(completion) }
            } else if early != nil {
                early?[id] = completion
                guard !isAsking else { return }
                // In its place among what else the command has led to.
                enqueue("a completion") { [weak self] in self?.ending.removeValue(forKey: id)?(completion) }
            }
        case .notify(let notification):
            enqueue("a callback", trigger: newsTrigger) { [weak self] in self?.tell(.told(notification)) }
        case .transition(let change):
            enqueue("a callback", trigger: newsTrigger) { [weak self] in self?.tell(.changed(change)) }
        case .data(let request):
            guard case .apply(let page) = request.action, !changeObservers.isEmpty else { return }
            enqueue("a callback", trigger: newsTrigger) { [weak self] in self?.changeObservers.forEach { $0(page) } }
        default: break
        }
    }

    /// What the app is told while one of its calls is under way counts as that call's.
    private var newsTrigger: Int {
        early != nil ? simulation.time.currentTrigger : completions.max { $0.key < $1.key }?.value.trigger ?? 0
    }

    private func tell(_ news: News) {
        lastActivity = simulation.time.now
        switch news {
        case .told(.kicked): noteEnd(.kick)
        case .changed(let change) where change.to == .kicked: noteEnd(.kick)
        case .told where watch.end?.how == .logout:
            violated("C-4", "the app is told something after its logout has completed")
        default: break
        }
        for observer in observers { observer(news) }
    }

    /// Where the SDK calls back, behind what is queued there: on the main thread of the process, or on the app's queue.
    public func enqueue(_ what: String, _ body: @escaping () -> Void) {
        enqueue(what, trigger: simulation.time.currentTrigger, body)
    }

    private func enqueue(_ what: String, trigger: Int, _ body: @escaping () -> Void) {
        guard let callbackQueue else {
            simulation.time.enqueue(in: process, trigger: trigger, label: EntryLabel("\(what) of the SDK"), block: body)
            return
        }
        // All of it runs on the job thread.
        nonisolated(unsafe) let body = body
        simulation.time.run(in: process, trigger: trigger) { callbackQueue.async { body() } }
    }

    // MARK: What is left behind

    /// Half a minute, in nanoseconds: what is on its way is done by then.
    private static let rest: UInt64 = 30_000_000_000
    /// So many of one place in the source are too many.
    private static let waitingMax = 2

    /// What waits in the process and must not: after the end of the login all that was not there before the first
    /// (C-4), and at any rest the same thing several times.
    var leftWaiting: [String] {
        let now = simulation.time.now
        guard now - lastActivity >= Self.rest else { return [] }
        let isOver = watch.hasBegun && watch.login == nil
        let waiting = counted(simulation.time.pending(of: process))
        return waiting.sorted { $0.key < $1.key }.compactMap { what, count in
            let more = count - (waitedBefore[what] ?? 0)
            if isOver, more > 0 { return "\(what) waits still, and the login is over" }
            return more > Self.waitingMax ? "\(what) waits \(count) times at once" : nil
        }
    }

    private func counted(_ words: [String]) -> [String: Int] {
        words.reduce(into: [:]) { $0[$1, default: 0] += 1 }
    }

    func end() {
        isEnded = true
        completions = [:]
        ending = [:]
        waits = [:]
        observers = []
        changeObservers = []
        callbackQueue = nil
        singletons = [:]
        delegateLists = []
    }
}
