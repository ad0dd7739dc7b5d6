import IMProtocol
import VirtualTime

extension AppExplorer {
    /// Plays a scenario, restores the network, waits for quiescence, and checks.
    ///
    /// - Parameter path: the file for its session; nil for none.
    public func play(
        _ scenario: AppScenario, seed: UInt64, recordedTo path: String? = nil
    ) async throws -> Outcome {
        var reported: SimulationReport?
        let app = Box<App>()
        let reached = Reached()
        let explorer = self
        try await withSimulation(
            profile, seed: seed, order: scenario.order, title: "scenario \(seed)", recordedTo: path,
            report: { reported = $0 }
        ) { simulation in
            defer { reached.all = simulation.reached }
            try await explorer.carryOut(scenario, app, simulation)
        }
        guard let reported else { throw SimulationError("the scenario left no session") }
        return Outcome(
            violations: reported.violations, session: reported.session, chain: reported.chain,
            reached: reached.all)
    }

    private func carryOut(_ scenario: AppScenario, _ app: Box<App>, _ simulation: Simulation) async throws {
        let phone = simulation.device("phone")
        let token = simulation.token(for: user)
        func start() throws {
            let launched = try phone.launch { try launch(token) }
            app.value = launched
            phone.shown = { MainActor.assumeIsolated { shown(launched) } }
        }
        try start()
        var trackedParts: [WeakPart] = []
        for step in scenario.steps {
            switch step {
            case .tap(let name):
                guard let app = app.value, phone.isRunning else { break }
                simulation.note("[\(phone.name)] tap \(name)")
                simulation.noteReached("tap \(name)", on: phone)
                try tap(name, app, phone)
            case .wait(let milliseconds):
                await simulation.run(for: .milliseconds(milliseconds))
                if milliseconds >= Self.idleTime, let app = app.value {
                    simulation.checkFailedLogout(on: phone, isBusy: busy(app))
                }
            case .line(let line):
                simulation.noteReached(line.split(separator: " ").prefix(3).joined(separator: " "), on: phone)
                try? simulation.script(line)
            case .relaunch:
                if phone.isRunning { try phone.kill() }
                // Its objects ended with it, even if something here still retains them.
                trackedParts = []
                try start()
            case .networkDown: try phone.networkDown()
            case .networkUp: try phone.networkUp()
            case .networkSwitched: try phone.networkSwitched()
            }
            note(&trackedParts, app)
        }
        try simulation.script("@phone net clear")
        try phone.networkUp()
        await simulation.run(for: .seconds(200))
        guard phone.isRunning, let app = app.value else { return }
        if busy(app), let client = phone.client {
            let end = client.isOnline ? "" : ": nobody is logged in"
            simulation.violated("C-1", "the app is busy, and nothing is under way\(end)", on: phone.name)
        }
        checkKick(app, phone, simulation)
        if let text = check(app, simulation) { simulation.violated("app", text, on: phone.name) }
        try await comeBack(app, phone, simulation)
        let kept = parts(app).map(ObjectIdentifier.init)
        for object in trackedParts.compactMap(\.object) where !kept.contains(ObjectIdentifier(object)) {
            phone.mustBeGone(object, "\(type(of: object))")
        }
    }

    /// An app that has shown a result for this time, in milliseconds, keeps it.
    private static var idleTime: Int { 100 }

    /// The user must see why the login ended.
    private func checkKick(_ app: App, _ phone: SimulatedDevice, _ simulation: Simulation) {
        guard let kicked, let action = phone.client?.watch.actionAtKick, action == simulation.lastTrigger, !kicked(app)
        else { return }
        simulation.violated("C-5", "the app does not show that it was kicked", on: phone.name)
    }

    /// A user who is not logged in must be able to log in, whatever happened before.
    private func comeBack(_ app: App, _ phone: SimulatedDevice, _ simulation: Simulation) async throws {
        guard let loginTap, !shown(app) else { return }
        try tap(loginTap, app, phone)
        await simulation.run(for: .seconds(100))
        // A login of the SDK that the app does not show is another violation (C-15).
        if let client = phone.client, !shown(app), !client.isOnline {
            simulation.violated("C-1", "'\(loginTap)' does not log in: the SDK is \(client.state.name)", on: phone.name)
        }
    }

    private func tap(_ name: String, _ app: App, _ phone: SimulatedDevice) throws {
        if let tap = taps.first(where: { $0.key == name }) { try phone.perform { tap.value(app) } }
        if let call = calls.first(where: { $0.key == name }) { try phone.perform { call.value(app, phone.once(name)) } }
    }

    /// Stores references to the app's current parts.
    private func note(_ trackedParts: inout [WeakPart], _ app: Box<App>) {
        guard let app = app.value else { return }
        for part in parts(app) where !trackedParts.contains(where: { $0.object === part }) {
            trackedParts.append(WeakPart(part))
        }
    }
}

private struct WeakPart {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}

/// Used on the job thread alone.
private final class Reached: @unchecked Sendable {
    var all: Set<String> = []
}

/// Used on the job thread alone.
private final class Box<Value: AnyObject>: @unchecked Sendable {
    var value: Value?
}
