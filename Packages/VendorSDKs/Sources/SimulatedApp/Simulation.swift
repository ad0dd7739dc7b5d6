import AppStandIns
import IMProfiles
import IMProtocol
import IMSession
import IMShell
import IMSimulation
import Recorder
import SansIO
import VirtualTime

/// The surroundings of an app in a test: the vendor's server, devices, the network between them, and time.
///
/// It lives on the job thread of virtual time alone, so it is Sendable.
public final class Simulation: @unchecked Sendable {
    /// The vendor whose rules apply, such as `nim`.
    public let profile: String
    /// The machines of server and clients, the network and the recording.
    public let world: SimulatedWorld
    /// Virtual time, for the app's code.
    public let time: VirtualScheduler
    /// The vendor's names and codes.
    public let dialect: any Dialect
    /// The devices on which the app runs, in the order in which they were made.
    public private(set) var devices: [SimulatedDevice] = []
    /// The app's violations, oldest first.
    public internal(set) var violations: [AppViolation] = []
    /// The number of the user's last action on a device: a launch, a tap.
    var lastTrigger = 0
    /// What the devices reached, for a search: state changes, callbacks, results of calls, and actions in each state.
    private(set) var reached: Set<String> = []
    /// The number of the last event of the session.
    private(set) var lastEvent: UInt64 = 0
    let sink: MemorySink
    private let script: WorldScript
    fileprivate let timeline: WorldTimeline

    init(profile: String, seed: UInt64, order: DueOrder, title: String, time: VirtualScheduler) throws {
        guard let dialect = Dialects.named(profile) else { throw SimulationError("there is no vendor '\(profile)'") }
        self.profile = profile
        self.dialect = dialect
        self.time = time
        let script = try WorldScript(profile: profile, seed: seed, order: order, title: title)
        self.script = script
        sink = MemorySink()
        var configuration = script.configuration
        configuration.epochNanoseconds = Int64(clamping: time.wallStart)
        let recording = Recording(
            sink: sink, path: nil, header: script.header, epochNanoseconds: configuration.epochNanoseconds)
        world = try SimulatedWorld(configuration, recording: recording, summarize: { script.text(for: $0) })
        timeline = WorldTimeline(world)
        for event in world.core.events(from: 0) { script.take(event) }
        world.core.onEvent = { [unowned self] in self.handleEvent($0) }
        time.timeline = timeline
        time.attachments[Self.key] = Weak(self)
    }

    private static let key = "simulation"

    private struct Weak {
        weak var simulation: Simulation?
        init(_ simulation: Simulation) { self.simulation = simulation }
    }

    /// The simulation in which the calling code runs. Nil outside of a simulation.
    public static var current: Simulation? {
        (VirtualScheduler.current?.attachments[key] as? Weak)?.simulation
    }

    // MARK: Devices

    /// A device on which the app can be launched. The world contains it from its first launch.
    @MainActor
    public func device(_ name: String, _ platform: Platform = .ios) -> SimulatedDevice {
        let device = SimulatedDevice(name: name, platform: platform, in: self)
        devices.append(device)
        return device
    }

    /// A token that the vendor's server accepts, as an app's own server would make it.
    ///
    /// - Parameter lifetime: the time for which it is valid; nil for the vendor's default.
    public func token(for user: String, lifetime: Duration? = nil) -> String {
        synchronize()
        let length = lifetime.map { Interval(nanoseconds: Int64(clamping: $0.wholeNanoseconds)) }
        let token = try? world.core.vault.mint(
            user: user, lifetime: length, wallMilliseconds: world.core.wallMilliseconds)
        return token ?? ""
    }

    /// Makes an account at the vendor's server, like an admin call: no client and no connection takes part.
    ///
    /// - Returns: true if no account of that name existed.
    /// - Throws: the reason why the password is invalid.
    public func makeAccount(_ user: String, password: String) throws -> Bool {
        synchronize()
        let server = world.core.serverID.flatMap { world.core[$0].machine?.server }
        guard server?.users.contains(user) != true else { return false }
        try world.core.vault.setPassword(password, of: user)
        try world.core.command(.addAccount(user))
        return true
    }

    // MARK: Time

    /// Lets time pass, and runs everything that is due in it.
    @MainActor
    public func run(for length: Duration) async { await time.run(for: length) }

    /// Runs everything that is due now.
    @MainActor
    public func runDueEntries() async { await time.runDueEntries() }

    /// Lines of the script language: other devices (`client new pad --platform ios`, `@pad login alice`), the network
    /// (`@phone net down`), the server (`server kick alice`), time (`wait 10s`) and expectations.
    ///
    /// - Throws: the line that failed, and why.
    @MainActor
    public func script(_ lines: String) throws {
        synchronize()
        try script.run(lines, in: AppWorld(self))
    }

    /// Writes a note into the session.
    public func note(_ text: String) {
        synchronize()
        world.core.mark(text)
    }

    /// Moves the world's clock to virtual time. This alone runs nothing that is due at this instant.
    func synchronize() { world.passTime(until: Instant(nanoseconds: Int64(clamping: time.now))) }

    // MARK: Events

    private func handleEvent(_ event: SessionEvent) {
        if event.number > 0 { lastEvent = event.number }
        script.take(event)
        guard let device = devices.first(where: { $0.name == event.node }) else { return }
        noteReached(event)
        device.handleEvent(event)
    }

    private func noteReached(_ event: SessionEvent) {
        guard case .effect(let effect) = event.content else { return }
        switch effect {
        case .transition(let change): reached.insert("\(change.from) to \(change.to): \(change.reason)")
        case .complete(_, let completion): reached.insert("a call ends with \(completion.status)")
        case .notify(let notification):
            if let callback = dialect.callback(for: .notify(notification)) { reached.insert(callback.name) }
        default: break
        }
    }

    /// Notes an action in the state in which a device is.
    func noteReached(_ action: String, on device: SimulatedDevice) {
        reached.insert("\(action) in \(device.client.map { "\($0.state)" } ?? "no process")")
    }

    /// The session so far, in the file format. Ends the recording.
    func endRecording() throws -> [UInt8] {
        synchronize()
        try world.shutDown()
        return sink.bytes
    }
}

/// The reason why a simulation cannot execute a request.
public struct SimulationError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error, and its remedy.
    public let description: String

    init(_ description: String) { self.description = description }
}

extension UInt64 {
    /// This time as an instant of a world.
    var instant: Instant { Instant(nanoseconds: Int64(clamping: self)) }
}

/// Runs the world's events between the app's.
private final class WorldTimeline: VirtualTime.Timeline {
    private let world: SimulatedWorld
    /// True if the wait of a script line has ended. The next line runs directly after it, before anything else that is
    /// due at the same instant.
    var isReached: () -> Bool = { false }

    init(_ world: SimulatedWorld) { self.world = world }

    /// Nothing runs in a world whose recording has ended.
    var nextDue: UInt64? {
        world.core.isOver ? nil : world.nextEventTime.map { UInt64(clamping: $0.nanoseconds) }
    }

    func advance(to time: UInt64) {
        while world.stepOnce(until: time.instant), !isReached() {}
    }
}

/// The world for scripts: its time passes with the time of the app.
private final class AppWorld: World {
    private let simulation: Simulation

    init(_ simulation: Simulation) { self.simulation = simulation }

    let isSimulated = true

    func perform<Value: Sendable>(_ body: @escaping @Sendable (WorldCore) throws -> Value) throws -> Value {
        simulation.synchronize()
        return try simulation.world.perform(body)
    }

    func advance(by interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool) throws -> Bool {
        let core = simulation.world.core
        simulation.timeline.isReached = { satisfied(core) }
        let outcome = simulation.time.block(
            until: { satisfied(core) }, timeout: UInt64(clamping: interval.nanoseconds),
            wait: VirtualScheduler.Wait(for: "a line of a script", ender: "satisfy it"))
        simulation.timeline.isReached = { false }
        simulation.synchronize()
        return outcome == .done
    }

    func shutDown() throws {}
}
