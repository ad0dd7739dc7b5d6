import IMCheckers
import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import SansIO

/// Metamorphic checks: a change of a scenario must not affect the states of its clients. The changes are an additional
/// client that does nothing, other names of users or devices, a wrong clock of a device after it has the server's time
/// (C-10), and a server that is stored for the next run of the program.
enum MetamorphicChecks {
    private enum Kind: UInt64, CaseIterable {
        case idle, users, devices, clock, kept
    }

    /// - Parameter number: selects the change; any number.
    /// - Returns: a violation if the change affected a client; nil otherwise.
    static func violation(of scenario: Scenario, number: UInt64) throws -> Violation? {
        let kinds = Kind.allCases
        return try violation(of: scenario, kinds[Int(number % UInt64(kinds.count))])
    }

    private static func violation(of scenario: Scenario, _ kind: Kind) throws -> Violation? {
        func originalStates() throws -> [String: [Change]] { try states(of: scenario) }
        switch kind {
        case .kept: return try StoredServerCheck.violation(of: scenario)
        case .idle:
            // Every start of an app draws from the same random numbers as every new client, so an additional client
            // would change them.
            guard !scenario.steps.contains(where: { $0.action == .app(.start) }) else { return nil }
            return try difference(originalStates(), idle(scenario), "one more client that does nothing")
        case .users:
            guard !scenario.hasGeneratedData else { return nil }
            return try difference(originalStates(), renamed(scenario), "users with other names")
        case .devices:
            return try difference(originalStates(), withOtherDevices(scenario), "devices with other names") {
                otherName(of: $0)
            }
        case .clock:
            let originalStates = try originalStates()
            guard let other = withWrongClock(scenario, originalStates) else { return nil }
            return try difference(
                originalStates, other, "a clock set wrong while the server's time is known", rule: "C-10")
        }
    }

    /// - Parameter name: returns the name of a client in the changed scenario.
    private static func difference(
        _ states: [String: [Change]], _ other: Scenario, _ what: String, rule: String = "C-16",
        name: (String) -> String = { $0 }
    ) throws -> Violation? {
        let others = try Self.states(of: other)
        for client in states.keys.sorted() where states[client] != others[name(client)] {
            return Violation(.pairs, rule, "\(what) changes what happens", client)
        }
        return nil
    }

    /// True if the scenario also has this violation.
    static func isBroken(_ scenario: Scenario, as violation: Violation) -> Bool {
        Kind.allCases.contains { (try? Self.violation(of: scenario, $0))??.group == violation.group }
    }

    // MARK: The other scenario

    /// Adds a client after the other clients, so that their random numbers do not change.
    private static func idle(_ scenario: Scenario) -> Scenario {
        var other = scenario
        let last = other.steps.lastIndex { if case .addClient = $0.action { true } else { false } }
        other.steps.insert(ScenarioStep("idle", .addClient(.linux, device: nil)), at: last.map { $0 + 1 } ?? 0)
        return other
    }

    private static func renamed(_ scenario: Scenario) -> Scenario {
        var other = scenario
        let names = ["alice": "xenia", "bob": "yusuf", "carol": "zoran"]
        other.steps = scenario.steps.map { step in
            names.reduce(step) { $0.renamingAll($1.key, to: $1.value) }
        }
        return other
    }

    private static func otherName(of client: String) -> String { "z-\(client)" }

    /// Renames devices and their clients, and keeps the order of their creation.
    private static func withOtherDevices(_ scenario: Scenario) -> Scenario {
        var other = scenario
        let clients = Set(scenario.clients)
        other.steps = scenario.steps.map { step in
            var step = step
            if clients.contains(step.node) { step.node = otherName(of: step.node) }
            switch step.action {
            case .addClient(let platform, var device?):
                device.id = otherName(of: device.id)
                step.action = .addClient(platform, device: device)
            case .accountCall(let user, .kick(let device)):
                step.action = .accountCall(user: user, .kick(device: otherName(of: device)))
            case .server(.kick(let user, let device?)):
                step.action = .server(.kick(user: user, device: otherName(of: device)))
            case .kickClient(let client) where clients.contains(client):
                step.action = .kickClient(otherName(of: client))
            case .command(.send(let to, let text, false)):
                guard let slash = to.lastIndex(of: "/") else { break }
                let device = otherName(of: String(to[to.index(after: slash)...]))
                step.action = .command(.send(to: to[...slash] + device, text: text))
            default: break
            }
            return step
        }
        return other
    }

    /// Changes the clock of a client that has been online and undisturbed for long, if no later step disturbs the
    /// client's network or process, or the server. The last condition is needed because a clock change makes the SDK
    /// probe its connection, and the probe would detect a dead connection earlier.
    private static func withWrongClock(_ scenario: Scenario, _ states: [String: [Change]]) -> Scenario? {
        guard let policy = Dialects.named(scenario.profile)?.clientPolicy else { return nil }
        for client in scenario.clients {
            guard let stepIndex = undisturbedIndex(in: scenario, of: client, for: RecoveryTimes.quiescenceTime(policy))
            else { continue }
            let now = scenario.steps[..<stepIndex].reduce(Instant.zero) { $0 + ($1.waiting ?? .zero) }
            guard states[client]?.last(where: { $0.time <= now })?.state == .online else { continue }
            var other = scenario
            other.steps.insert(ScenarioStep(client, .skew(.minutes(60))), at: stepIndex)
            return other
        }
        return nil
    }

    /// The index of a step before which the client's working network was undisturbed for `quiescenceTime`, and after
    /// which nothing disturbs the client's network or process, or the server; nil if there is none.
    private static func undisturbedIndex(in scenario: Scenario, of client: String, for quiescenceTime: Interval) -> Int?
    {
        var isWhole = true
        var stepIndex: Int?
        var undisturbed = Interval.zero
        for (index, step) in scenario.steps.enumerated() {
            switch step.action {
            case .net(let action) where step.node == client:
                isWhole = action == .clear
                (stepIndex, undisturbed) = (nil, .zero)
            case .app where step.node == client, .skew where step.node == client, .serverProcess:
                (stepIndex, undisturbed) = (nil, .zero)
            default:
                undisturbed = undisturbed + (step.waiting ?? .zero)
                if stepIndex == nil, isWhole, undisturbed >= quiescenceTime { stepIndex = index + 1 }
            }
        }
        return stepIndex
    }

    private struct Change: Equatable {
        var time: Instant
        var state: ClientState
    }

    /// The changes of state of each client, with their times.
    private static func states(of scenario: Scenario) throws -> [String: [Change]] {
        let world = try SimulatedWorld(scenario.configuration())
        final class Observer { var states: [String: [Change]] = [:] }
        let observer = Observer()
        world.core.onEvent = { event in
            guard case .effect(.transition(let change)) = event.content else { return }
            observer.states[event.node, default: []].append(Change(time: event.time, state: change.to))
        }
        world.play(scenario.steps)
        return observer.states
    }
}

extension ScenarioStep {
    fileprivate func renamingAll(_ old: String, to new: String) -> ScenarioStep {
        var step = renaming(old, to: new)
        switch step.action {
        case .command(.ask(.attributes(old))): step.action = .command(.ask(.attributes(user: new)))
        default: break
        }
        return step
    }
}
