import AppStandIns
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import VirtualTime

/// A device on which the app under test runs: launched, killed, launched again; what it keeps outlives its processes.
public final class SimulatedDevice: @unchecked Sendable {
    /// Its name in the recording and in scripts.
    public let name: String
    /// What kind of device it is.
    public let platform: Platform
    /// Defaults, keychain and files of the app.
    public let storage = DeviceStorage()
    /// The SDK in the process that runs now; nil while none does.
    public private(set) var client: SDKClient?
    /// Whether the app shows a user as logged in, for a check at the end; nil where the test does not say.
    public var shown: (() -> Bool)?
    /// What must be gone when a test ends, as it is not the app's any more.
    var dropped: [Dropped] = []
    /// Calls of the app whose end is to be told once.
    var calls: [Call] = []
    unowned let simulation: Simulation
    private var node: NodeID?

    init(name: String, platform: Platform, in simulation: Simulation) {
        self.name = name
        self.platform = platform
        self.simulation = simulation
    }

    /// An object of which the app has let go.
    struct Dropped {
        weak var object: AnyObject?
        let name: String
    }

    /// A call of the app, and how often its end was told.
    final class Call {
        let name: String
        var count = 0

        init(_ name: String) { self.name = name }
    }

    /// Says that the app has let go of an object: what keeps it alive until the test ends is a leak, such as a timer, a
    /// closure, or the object itself (C-4).
    ///
    /// - Parameter name: what it is, for the message.
    public func mustBeGone(_ object: AnyObject, _ name: String) {
        dropped.append(Dropped(object: object, name: name))
    }

    /// A completion to be given to the app's own code, which has to call it exactly once by the end of the test (C-1).
    ///
    /// - Parameter name: the call, for the message.
    public func once(_ name: String) -> @Sendable () -> Void {
        let call = Call(name)
        calls.append(call)
        let box = CallBox(call)
        return { box.call.count += 1 }
    }

    /// Whether the app runs.
    public var isRunning: Bool { client != nil }

    /// Starts the app's process and builds its objects there, as `main` and the app delegate would. Where a script has
    /// made a client of this name (`client new phone --device phone-1`), it is the app of that one.
    ///
    /// - Returns: what was built, for the test to look at.
    @MainActor
    @discardableResult
    public func launch<App>(_ build: @MainActor () throws -> App) throws -> App {
        guard client == nil else { throw SimulationError("the app runs on '\(name)' already; kill() ends it") }
        simulation.synchronize()
        let core = simulation.world.core
        let node: NodeID
        if let known = self.node ?? core.node(named: name) {
            node = known
            if core[node].machine == nil { try core.app(.start, client: node) }
        } else {
            node = try core.addClient(name, platform: platform)
        }
        self.node = node
        simulation.lastTrigger += 1
        // Nobody hears of what was asked by a process that is no more.
        calls = []
        let process = simulation.time.makeProcess()
        storage.attach(to: process, in: simulation.time)
        let client = SDKClient(node: node, process: process, device: self, in: simulation)
        self.client = client
        simulation.time.attachments[SDKClient.Key(process: process)] = client
        simulation.time.atEnd(of: process) { [weak self] in self?.processEnded(process) }
        return try simulation.time.run(in: process, trigger: simulation.lastTrigger) { try build() }
    }

    /// Does something as the app's own code on its main thread, as a tap on a button would.
    @MainActor
    @discardableResult
    public func perform<T>(_ body: @MainActor () throws -> T) throws -> T {
        guard let client else { throw SimulationError("the app does not run on '\(name)'; launch { … } starts it") }
        simulation.lastTrigger += 1
        return try simulation.time.run(in: client.process, trigger: simulation.lastTrigger) { try body() }
    }

    /// The same for what is asynchronous; waits for its end.
    @MainActor
    @discardableResult
    public func run<T: Sendable>(_ body: @escaping @MainActor @Sendable () async throws -> T) async throws -> T {
        guard let client else { throw SimulationError("the app does not run on '\(name)'; launch { … } starts it") }
        simulation.lastTrigger += 1
        return try await simulation.time.runTask(in: client.process, trigger: simulation.lastTrigger, body)
    }

    /// Ends the app's process without a word to it. What it has enqueued never runs.
    @MainActor
    public func kill() throws {
        guard let client else { throw SimulationError("the app does not run on '\(name)'") }
        simulation.time.discard(process: client.process)
    }

    /// The app learns from the system that it is in front, or no longer.
    func took(_ event: SessionEvent) {
        if case .input(.app(let change)) = event.content, let client {
            let isInFront: Bool
            switch change {
            case .foreground: isInFront = true
            case .background: isInFront = false
            default: return
            }
            simulation.time.enqueue(in: client.process, label: EntryLabel("a notification of the system")) {
                DeviceApplication.current.moved(toFront: isInFront)
            }
        }
        client?.took(event)
    }

    private func processEnded(_ process: ProcessID) {
        guard client?.process == process, let node else { return }
        client?.end()
        client = nil
        // Its objects ended with it, whatever still holds them here.
        dropped = []
        simulation.synchronize()
        try? simulation.world.core.app(.kill, client: node)
    }

    // MARK: What the user and the world do to it

    /// The app is no longer in front.
    @MainActor
    public func background() throws { try app(.background) }

    /// The app is in front again.
    @MainActor
    public func foreground() throws { try app(.foreground) }

    /// The device has no network.
    @MainActor
    public func networkDown() throws { try net(.down, by: nil) }

    /// It has one again.
    @MainActor
    public func networkUp() throws { try net(.up, by: .wifi) }

    /// From one network to another.
    @MainActor
    public func networkSwitched() throws { try net(.switchNetwork, by: .cellular) }

    private func app(_ action: AppAction) throws {
        guard let node else { throw SimulationError("the app was never launched on '\(name)'") }
        simulation.synchronize()
        try simulation.world.core.app(action, client: node)
    }

    private func net(_ action: NetAction, by interface: DeviceNetwork.Interface?) throws {
        guard let node else { throw SimulationError("the app was never launched on '\(name)'") }
        simulation.synchronize()
        simulation.world.core.net(action, client: node)
        storage.network.connect(by: interface)
    }
}

/// Used on the job thread alone.
private final class CallBox: @unchecked Sendable {
    let call: SimulatedDevice.Call

    init(_ call: SimulatedDevice.Call) { self.call = call }
}
