import IMProtocol
import VirtualTime

/// Looks for scenarios in which an app does something that it must not do, and makes them short.
///
/// A seed is a scenario: which taps, faults, other devices and waits, in which order what is due together happens, and all
/// chance of the network. The same seed is the same scenario, with the same session, on every machine.
@MainActor
public struct AppExplorer<App: AnyObject> {
    /// The vendor, such as `nim`.
    public var profile: String
    /// Builds the app's objects, as its `main` does; in the app's process.
    public var launch: @MainActor (_ token: String) throws -> App
    /// What its user can do, by names.
    public var taps: KeyValuePairs<String, @MainActor (App) -> Void>
    /// Whether the app shows a user as logged in.
    public var shown: @MainActor (App) -> Bool
    /// Whether the app shows that it is busy; at rest it must not (C-1).
    public var busy: @MainActor (App) -> Bool
    /// What else must hold at rest: nil, or what is wrong.
    public var check: @MainActor (App, Simulation) -> String?
    /// Who is logged in.
    public var user = "alice"

    /// - Parameters:
    ///   - profile: the vendor, such as `nim`.
    ///   - launch: builds the app's objects; gets a token that the server takes for ``user``.
    ///   - taps: what its user can do.
    ///   - shown: whether the app shows a user as logged in.
    ///   - busy: whether the app shows that it is busy.
    ///   - check: what else must hold at rest.
    public init(
        _ profile: String, launch: @escaping @MainActor (_ token: String) throws -> App,
        taps: KeyValuePairs<String, @MainActor (App) -> Void>, shown: @escaping @MainActor (App) -> Bool,
        busy: @escaping @MainActor (App) -> Bool = { _ in false },
        check: @escaping @MainActor (App, Simulation) -> String? = { _, _ in nil }
    ) {
        self.profile = profile
        self.launch = launch
        self.taps = taps
        self.shown = shown
        self.busy = busy
        self.check = check
    }

    /// How a scenario went.
    public struct Outcome: Sendable {
        /// What the app did that it must not do, oldest first.
        public var violations: [AppViolation]
        /// The session.
        public var session: [UInt8]
        /// The same for the same run.
        public var chain: UInt64
    }

    /// What was found for one kind of violation.
    public struct Failure: Sendable, CustomStringConvertible {
        public var violation: AppViolation
        /// The seed that first found it, and which draws the order and the network of the scenario.
        public var seed: UInt64
        /// As short as it gets.
        public var scenario: AppScenario
        /// The session of the short scenario.
        public var session: [UInt8]

        public var description: String { "\(violation)\nseed \(seed)\n\(scenario)" }
    }

    /// Plays a scenario, lets the network heal and all come to rest, and looks.
    public func play(_ scenario: AppScenario, seed: UInt64) async throws -> Outcome {
        var reported: SimulationReport?
        let app = Box<App>()
        let explorer = self
        try await withSimulation(profile, seed: seed, title: "scenario \(seed)", report: { reported = $0 }) { simulation in
            try await explorer.carryOut(scenario, app, simulation)
        }
        guard let reported else { throw SimulationError("the scenario left no session") }
        return Outcome(violations: reported.violations, session: reported.session, chain: reported.chain)
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
        for step in scenario.steps {
            switch step {
            case .tap(let name):
                guard let app = app.value, let tap = taps.first(where: { $0.key == name }), phone.isRunning else {
                    continue
                }
                try phone.perform { tap.value(app) }
            case .wait(let milliseconds): await simulation.run(for: .milliseconds(milliseconds))
            case .line(let line): try? simulation.script(line)
            case .relaunch:
                if phone.isRunning { try phone.kill() }
                try start()
            case .networkDown: try phone.networkDown()
            case .networkUp: try phone.networkUp()
            case .networkSwitched: try phone.networkSwitched()
            }
        }
        try simulation.script("@phone net clear")
        try phone.networkUp()
        await simulation.run(for: .seconds(200))
        guard phone.isRunning, let app = app.value else { return }
        if busy(app) { simulation.violated("C-1", "the app is busy, and nothing is under way", on: phone.name) }
        if let text = check(app, simulation) { simulation.violated("app", text, on: phone.name) }
    }

    // MARK: Searching

    /// Plays a scenario for each seed; the first of each kind of violation is made short.
    ///
    /// - Returns: a failure for each kind, in the order in which they were found.
    public func search(_ seeds: Range<UInt64>) async throws -> [Failure] {
        var failures: [Failure] = []
        var known: Set<String> = []
        for seed in seeds {
            var driver = AppScenarioDriver(seed: seed, taps: taps.map(\.key), user: user)
            let scenario = driver.scenario()
            let outcome = try await play(scenario, seed: seed)
            for violation in outcome.violations where known.insert(violation.kind).inserted {
                let short = try await shrink(scenario, seed: seed, keeping: violation.kind)
                let again = try await play(short, seed: seed)
                let kept = again.violations.first { $0.kind == violation.kind } ?? violation
                failures.append(Failure(violation: kept, seed: seed, scenario: short, session: again.session))
            }
        }
        return failures
    }

    /// Leaves out whatever is not needed for the violation, to a fixpoint.
    public func shrink(_ scenario: AppScenario, seed: UInt64, keeping kind: String) async throws -> AppScenario {
        var scenario = scenario
        var size = max(1, scenario.steps.count / 2)
        while true {
            var place = 0
            var hasChanged = false
            while place < scenario.steps.count {
                var shorter = scenario
                shorter.steps.removeSubrange(place..<min(place + size, scenario.steps.count))
                if try await isKept(shorter, seed, kind) {
                    scenario = shorter
                    hasChanged = true
                } else {
                    place += size
                }
            }
            if size > 1 { size /= 2 } else if !hasChanged { break }
        }
        for place in scenario.steps.indices {
            guard case .wait(let length) = scenario.steps[place] else { continue }
            for shorter in [100, 1000, 5000, 20_000] where shorter < length {
                var other = scenario
                other.steps[place] = .wait(shorter)
                guard try await isKept(other, seed, kind) else { continue }
                scenario = other
                break
            }
        }
        return scenario
    }

    private func isKept(_ scenario: AppScenario, _ seed: UInt64, _ kind: String) async throws -> Bool {
        try await play(scenario, seed: seed).violations.contains { $0.kind == kind }
    }
}

extension AppViolation {
    /// The same for what is the same mistake: without numbers.
    var kind: String { "\(rule) \(text.filter { !$0.isNumber })" }
}

/// Used on the job thread alone.
private final class Box<Value: AnyObject>: @unchecked Sendable {
    var value: Value?
}
