import AppStandIns
import IMProtocol
import IMSession
import IMSimulation
import SansIO
import VirtualTime

/// A device on which the app under test runs. The app is launched, killed and launched again; the device's storage
/// outlives its processes.
public final class SimulatedDevice: @unchecked Sendable {
    /// Its name in the recording and in scripts.
    public let name: String
    /// The platform of the device.
    public let platform: Platform
    /// The app's defaults, keychain and files.
    public let storage = DeviceStorage()
    /// The SDK in the process that runs now. Nil while none runs.
    public private(set) var client: SDKClient?
    /// True if the app shows a user as logged in, for a check at quiescence. Nil for no check.
    public var shown: (() -> Bool)?
    /// Objects that the app has released and that must be gone when a test ends.
    var dropped: [Dropped] = []
    /// The app's calls, each of which must complete once.
    var calls: [Call] = []
    unowned let simulation: Simulation
    private var node: NodeID?

    init(name: String, platform: Platform, in simulation: Simulation) {
        self.name = name
        self.platform = platform
        self.simulation = simulation
    }

    /// An object that the app has released.
    struct Dropped {
        weak var object: AnyObject?
        let name: String
    }

    /// A call of the app, and the number of its completions.
    final class Call {
        let name: String
        var count = 0

        init(_ name: String) { self.name = name }
    }

    /// Checks that an object, which the app has released, is gone when the test ends. Otherwise something leaks, such
    /// as a timer, a closure, or the object itself (C-4).
    ///
    /// - Parameter name: the object's name, for the message.
    public func mustBeGone(_ object: AnyObject, _ name: String) {
        dropped.append(Dropped(object: object, name: name))
    }

    /// A completion for the app's own code, which has to call it exactly once by the end of the test (C-1).
    ///
    /// - Parameter name: the call's name, for the message.
    public func once(_ name: String) -> @Sendable () -> Void {
        let call = Call(name)
        calls.append(call)
        let box = CallBox(call)
        return { box.call.count += 1 }
    }

    /// True if the app runs.
    public var isRunning: Bool { client != nil }

    /// Starts the app's process and builds its objects there, as `main` and the app delegate would. If a script has
    /// made a client of this name (`client new phone --device phone-1`), the app uses that client.
    ///
    /// - Returns: the result of `build`, for the test's checks.
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
        // Calls of an ended process never complete.
        calls = []
        let process = simulation.time.makeProcess()
        storage.attach(to: process, in: simulation.time)
        let client = SDKClient(node: node, process: process, device: self, in: simulation)
        self.client = client
        simulation.time.attachments[SDKClient.Key(process: process)] = client
        simulation.time.atEnd(of: process) { [weak self] in self?.processEnded(process) }
        return try simulation.time.run(in: process, trigger: simulation.lastTrigger) { try build() }
    }

    /// Runs `body` as the app's own code on its main thread, like a tap on a button.
    @MainActor
    @discardableResult
    public func perform<T>(_ body: @MainActor () throws -> T) throws -> T {
        guard let client else { throw SimulationError("the app does not run on '\(name)'; launch { … } starts it") }
        simulation.lastTrigger += 1
        return try simulation.time.run(in: client.process, trigger: simulation.lastTrigger) { try body() }
    }

    /// Like `perform(_:)`, for an asynchronous body; waits for its end.
    @MainActor
    @discardableResult
    public func run<T: Sendable>(_ body: @escaping @MainActor @Sendable () async throws -> T) async throws -> T {
        guard let client else { throw SimulationError("the app does not run on '\(name)'; launch { … } starts it") }
        simulation.lastTrigger += 1
        return try await simulation.time.runTask(in: client.process, trigger: simulation.lastTrigger, body)
    }

    /// Ends the app's process without a notification. Nothing that it has enqueued runs.
    @MainActor
    public func kill() throws {
        guard let client else { throw SimulationError("the app does not run on '\(name)'") }
        simulation.time.discard(process: client.process)
    }

    /// The system notifies the app that it came to the front or left it.
    func handleEvent(_ event: SessionEvent) {
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
        client?.handleEvent(event)
    }

    private func processEnded(_ process: ProcessID) {
        guard client?.process == process, let node else { return }
        client?.end()
        client = nil
        // Its objects ended with it, even if something here still retains them.
        dropped = []
        simulation.synchronize()
        try? simulation.world.core.app(.kill, client: node)
    }

    // MARK: Actions of the user and the world

    /// Moves the app to the background.
    @MainActor
    public func background() throws { try app(.background) }

    /// Moves the app to the front again.
    @MainActor
    public func foreground() throws { try app(.foreground) }

    /// Takes the device's network down.
    @MainActor
    public func networkDown() throws { try net(.down, by: nil) }

    /// Brings the network up again.
    @MainActor
    public func networkUp() throws { try net(.up, by: .wifi) }

    /// Switches from one network to another.
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
