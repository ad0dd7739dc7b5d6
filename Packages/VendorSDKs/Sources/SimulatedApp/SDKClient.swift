import AppStandIns
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import VirtualTime

/// A vendor's SDK in one process of an app, without the vendor's names. It takes commands, and delivers completions,
/// callbacks and state changes on the main thread of the process.
public final class SDKClient: @unchecked Sendable {
    /// A notification that the app receives without a request.
    public enum AppNotice {
        case notified(ClientNotification)
        case changed(StateChange)
    }

    /// The process that contains the SDK.
    public let process: ProcessID
    /// The simulation that contains the process.
    public unowned let simulation: Simulation
    let node: NodeID
    private weak var device: SimulatedDevice?
    private var completions: [CommandID: Waiting] = [:]
    /// Commands whose callers block until they end.
    private var waits: [CommandID: (Completion) -> Void] = [:]
    /// The completion of the command that `perform` is giving now: a command can end before its number has an entry in
    /// `completions`.
    private var early: [CommandID: Completion]?
    private var isQuerying = false
    /// Callers of commands that have ended and whose completion is queued.
    private var ending: [CommandID: (Completion) -> Void] = [:]
    private var observers: [(AppNotice) -> Void] = []
    private var changeObservers: [(ChangePage) -> Void] = []
    /// The queue for the app's callbacks; nil for the main thread.
    public var callbackQueue: SimulatedDispatchQueue?
    private var singletons: [ObjectIdentifier: AnyObject] = [:]
    private var isEnded = false
    /// Checks the app's logins (C-4, C-5).
    private(set) var watch: LoginWatch
    /// True after a logout that failed, up to the next login.
    var hasFailedLogout = false
    /// The delegates that the SDK notifies.
    var delegateLists: [any DelegateRegistry] = []
    /// The entries that waited in the process before its first login, with their counts.
    private var entriesBeforeLogin: [String: Int] = [:]
    /// When the app last made a call or received a callback, in nanoseconds.
    private var lastActivity: UInt64 = 0

    /// The completion of a command, and the number of its cause.
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

    /// The SDK of the process in which the calling code runs. Code of the test gets the SDK of the only running app.
    ///
    /// - Parameter what: the request, for the error message if there is no SDK.
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

    /// The SDK of the process in which the calling code runs. Nil outside of a process.
    static var running: SDKClient? {
        guard let time = Simulation.current?.time, let process = time.currentProcess else { return nil }
        return time.attachments[Key(process: process)] as? SDKClient
    }

    /// The only object of a class in this process.
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
    /// - Parameter completion: called once, later, on the main thread, with the command's completion.
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

    /// Checks the app's requests and the end of a logout.
    private func watched(
        _ command: ClientCommand, _ completion: ((Completion) -> Void)?
    ) -> ((Completion) -> Void)? {
        let time = simulation.time
        lastActivity = time.now
        switch command {
        case .login:
            hasFailedLogout = false
            if !watch.hasStarted { entriesBeforeLogin = counted(time.pending(of: process)) }
            let trigger = time.currentProcess == nil ? nil : time.currentTrigger
            for wrong in watch.begin(at: time.now, trigger: trigger) { violated(wrong.rule, wrong.text) }
            return completion
        case .logout:
            return { [weak self] outcome in
                if self?.state == .loggedOut { self?.noteEnd(.logout) }
                self?.hasFailedLogout = self?.isOnline == true
                completion?(outcome)
            }
        default: return completion
        }
    }

    private func noteEnd(_ how: LoginWatch.End) {
        watch.ended(how, action: simulation.lastTrigger, trigger: simulation.time.currentTrigger)
    }

    /// Gives the SDK a command and blocks until it ends, as a call without a block does. Only the calling thread waits.
    /// A wait that can never end is reported.
    ///
    /// - Parameter name: the name of the call, for the report.
    public func wait(for command: ClientCommand, _ name: String) -> Completion {
        guard !isEnded else { return Completion(.cancelled) }
        simulation.synchronize()
        let noted = watched(command, nil)
        (early, isQuerying) = ([:], true)
        let id = try? simulation.world.core.command(command, client: node)
        var outcome = id.flatMap { early?[$0] }
        (early, isQuerying) = (nil, false)
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

    /// Runs a query that needs no server. Nil if the answer does not come at once.
    public func ask(_ query: ClientQuery) -> Completion? {
        guard !isEnded else { return nil }
        simulation.synchronize()
        early = [:]
        isQuerying = true
        defer {
            early = nil
            isQuerying = false
        }
        let id = try? simulation.world.core.command(.query(query), client: node)
        return id.flatMap { early?[$0] }
    }

    /// Notifies the SDK that the app came to the front or left it, for vendors that leave this to the app.
    public func moved(toFront isInFront: Bool) {
        guard !isEnded else { return }
        simulation.synchronize()
        try? simulation.world.core.app(isInFront ? .foreground : .background, client: node)
    }

    /// Sets the device's description from the app's settings if nobody is logged in and no call is in progress. The SDK
    /// restarts with it (CHAT-5).
    ///
    /// - Returns: true if the SDK uses the description now.
    @discardableResult
    public func describe(deviceName: String, osType: UInt32, ext: String) -> Bool {
        guard !isEnded, let known = described else { return false }
        if (known.name, known.osType, known.ext) == (deviceName, osType, ext) { return true }
        guard user == nil, openCalls == 0, waits.isEmpty else { return false }
        simulation.synchronize()
        return (try? simulation.world.core.describe(node, deviceName: deviceName, osType: osType, ext: ext)) != nil
    }

    /// Reports that the app broke a rule.
    public func violated(_ rule: String, _ text: String) {
        simulation.violated(rule, text, on: device?.name ?? "")
    }

    /// Writes a note into the session, with the device's name.
    public func note(_ text: String) { simulation.note("[\(device?.name ?? "")] \(text)") }

    /// Stores a token and returns its name in machines and recordings: no file contains a secret.
    public func keep(token: String) -> String { simulation.world.core.vault.keep(token) }

    /// Stores a password and returns its name in machines and recordings.
    public func keep(password: String) throws -> String { try simulation.world.core.vault.keep(password: password) }

    /// Registers an observer for all notifications, in order, on the main thread.
    public func observe(_ observer: @escaping (AppNotice) -> Void) { observers.append(observer) }

    /// Registers an observer for changes of local data. It is called before the notification of the change.
    public func observeChanges(_ observer: @escaping (ChangePage) -> Void) { changeObservers.append(observer) }

    // MARK: State

    /// The answer to a query of local data that the app did not request; nothing of it is recorded. Nil if no local
    /// data is open.
    public func look(_ request: LocalRequest) -> LocalAnswer? {
        guard !isEnded else { return nil }
        return simulation.world.core.queryLocalData(request, client: node)
    }

    /// The state that all vendors share.
    public var state: ClientState { machine?.state ?? .loggedOut }
    /// True if a login has succeeded and not ended, with a connection or without one.
    var isOnline: Bool { [.online, .reconnecting, .syncing].contains(state) }
    /// The logged-in user. Nil if nobody is logged in.
    public var user: String? { machine?.user }
    /// True if the app may read the user's local data (C-13).
    public var isDataOpen: Bool { machine?.isDataOpen ?? false }
    /// The current value of the data that survives the process. Reading it records no query in the session.
    public var kept: LocalData { machine?.local ?? LocalData() }
    /// The device's description in the SDK.
    public var described: Device? { simulation.world.core[node].device }
    /// The device's storage besides the machine's data, and the state of its network.
    public var storage: DeviceStorage? { device?.storage }
    /// The number of calls that have not ended.
    public var openCalls: Int { completions.count }

    /// The SDK's machine, for state that no command returns.
    public var machine: ClientMachine? { simulation.world.core[node].client }

    // MARK: Events

    func handleEvent(_ event: SessionEvent) {
        guard case .effect(let effect) = event.content else { return }
        switch effect {
        case .complete(let id, let completion):
            if let waiting = waits.removeValue(forKey: id) {
                waiting(completion)
            } else if let waiting = completions.removeValue(forKey: id) {
                enqueue("a completion", trigger: waiting.trigger) { waiting.end(completion) }
            } else if early != nil {
                early?[id] = completion
                guard !isQuerying else { return }
                // Queued, to keep its order among the other effects of the command.
                enqueue("a completion") { [weak self] in self?.ending.removeValue(forKey: id)?(completion) }
            }
        case .notify(let notification):
            enqueue("a callback", trigger: noticeTrigger) { [weak self] in self?.notify(.notified(notification)) }
        case .transition(let change):
            enqueue("a callback", trigger: noticeTrigger) { [weak self] in self?.notify(.changed(change)) }
        case .data(let request):
            guard case .apply(let page) = request.action, !changeObservers.isEmpty else { return }
            enqueue("a callback", trigger: noticeTrigger) { [weak self] in self?.changeObservers.forEach { $0(page) } }
        default: break
        }
    }

    /// The cause of a notification. A notification during one of the app's calls counts as that call's effect.
    private var noticeTrigger: Int {
        early != nil ? simulation.time.currentTrigger : completions.max { $0.key < $1.key }?.value.trigger ?? 0
    }

    private func notify(_ appNotice: AppNotice) {
        lastActivity = simulation.time.now
        switch appNotice {
        case .notified(.kicked): noteEnd(.kick)
        case .changed(let change) where change.to == .kicked: noteEnd(.kick)
        case .notified where watch.end?.how == .logout:
            violated("C-4", "the app is told something after its logout has completed")
        default: break
        }
        for observer in observers { observer(appNotice) }
    }

    /// Queues a callback after those that are queued already: on the main thread of the process, or on the app's queue.
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

    // MARK: Leaks

    /// Half a minute, in nanoseconds. All that is in progress ends within this time.
    private static let rest: UInt64 = 30_000_000_000
    /// The maximum number of entries from one position in the source; more are reported.
    private static let waitingMax = 2

    /// Entries that must not wait in the process: after the end of the login, anything that did not exist before the
    /// first login (C-4); at any quiescence, several copies of the same entry.
    var leakedEntries: [String] {
        let now = simulation.time.now
        guard now - lastActivity >= Self.rest else { return [] }
        let isOver = watch.hasStarted && watch.login == nil
        let waiting = counted(simulation.time.pending(of: process))
        return waiting.sorted { $0.key < $1.key }.compactMap { what, count in
            let more = count - (entriesBeforeLogin[what] ?? 0)
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
