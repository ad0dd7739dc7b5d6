import Foundation
import IMDialects
import Recorder
import SansIO
import Testing

@testable import IMCommands
@testable import IMRepl
@testable import IMScript
@testable import IMSession
@testable import IMShell

/// Scenarios drawn by chance, for all profiles: whatever users, networks and servers do, the rules that all systems share
/// hold after every event. A scenario that breaks one is made as short as it gets and left as a script and a session.
@Suite struct RandomScenarioTests {
    /// Another first seed with IMREPL_SCENARIO_SEED, another number of scenarios with IMREPL_SCENARIOS.
    static let firstSeed = environment("IMREPL_SCENARIO_SEED") ?? 1
    static let count = environment("IMREPL_SCENARIOS") ?? 20

    @Test(arguments: Dialects.all.map(\.profile))
    func theRulesHoldInEveryScenario(_ profile: String) throws {
        for seed in Self.firstSeed..<(Self.firstSeed + Self.count) {
            let scenario = RandomScenario(seed: seed, profile: profile)
            let outcome = try scenario.play()
            guard let violation = outcome.violation else { continue }
            let shortest = try scenario.shortened(breaking: violation)
            let left = try shortest.leave()
            Issue.record(
                """
                seed \(seed), profile \(profile): \(violation)
                as a script: \(left)
                \(shortest.whole.joined(separator: "\n"))
                """)
            return
        }
    }

    @Test func aScenarioIsTheSameEachTime() throws {
        let scenario = RandomScenario(seed: 42, profile: "nim")
        #expect(try scenario.play().bytes == RandomScenario(seed: 42, profile: "nim").play().bytes)
    }

    private static func environment(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }
}

/// One drawn scenario.
struct RandomScenario {
    let seed: UInt64
    let profile: String
    var lines: [String]
    /// What heals the network, with the time that everything has then.
    let healing: [String]
    /// What happens afterwards on links that stay, where what is told without being asked gets lost.
    var later: [String]
    let ending: [String]

    init(seed: UInt64, profile: String) {
        var maker = ScenarioMaker(seed: seed, profile: profile)
        self.seed = seed
        self.profile = profile
        lines = maker.lines(length: 40)
        healing = maker.healing
        later = maker.later(length: 12)
        ending = maker.ending
    }

    struct Outcome {
        var bytes: [UInt8]
        /// The first rule that was broken, with where.
        var violation: String?
    }

    /// All of its lines.
    var whole: [String] { lines + healing + later + ending + ["wait 30s"] }

    /// Plays it in the simulated world.
    func play() throws -> Outcome {
        var settings = WorldSettings.forTests
        settings.profile = profile
        settings.seed = seed
        settings.world = .simulated
        let plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: "scenario \(seed)")
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false)
        let rules = ScenarioRules(dialect: plan.dialect)
        if lines.contains(where: { $0.contains("taken-place=") && !$0.hasSuffix("kick-current") }) {
            rules.returningMayKick = false
        }
        try shell.world.perform { core in
            let show = core.onEvent
            core.onEvent = { event in
                show?(event)
                rules.see(event, in: core)
            }
        }
        try run(lines + healing, in: shell, by: rules)
        if rules.violations.isEmpty { try shell.world.perform { rules.finish(in: $0) } }
        try run(later + ending, in: shell, by: rules)
        if rules.violations.isEmpty { try shell.world.perform { rules.compare(in: $0) } }
        // Calls that wait for a link that does not come have longer limits of their own.
        try run(["wait 30s"], in: shell, by: rules)
        if rules.violations.isEmpty { try shell.world.perform { rules.finish(in: $0) } }
        try shell.close()
        if rules.violations.isEmpty {
            let reader = try SessionReader(bytes: sink.bytes)
            let verdict = try Verifier.verify(reader, schema: IMSessionSchema())
            if verdict != .verified(events: reader.eventCount) {
                return Outcome(bytes: sink.bytes, violation: "replay: \(verdict)")
            }
        }
        return Outcome(bytes: sink.bytes, violation: rules.violations.first)
    }

    /// What a line refuses is part of the scenario.
    private func run(_ act: [String], in shell: Shell, by rules: ScenarioRules) throws {
        for line in act where rules.violations.isEmpty {
            guard let statement = try Statement.parse(line) else { continue }
            do {
                var command = try CommandParser.parse(statement)
                try command.execute(in: shell)
            } catch is CommandFailure {
                // Refused: that is an answer too.
            }
        }
    }

    /// The same scenario without every line that is not needed to break the same rule.
    func shortened(breaking violation: String) throws -> RandomScenario {
        let rule = Self.rule(of: violation)
        var shortest = self
        for part in [\RandomScenario.later, \.lines] {
            var index = shortest[keyPath: part].count - 1
            while index >= 0 {
                var shorter = shortest
                shorter[keyPath: part].remove(at: index)
                if let other = try shorter.play().violation, Self.rule(of: other) == rule { shortest = shorter }
                index -= 1
            }
        }
        return shortest
    }

    /// The id in a violation: `C-4`.
    private static func rule(of violation: String) -> String {
        violation.split(separator: " ").first { $0.hasSuffix(":") && $0.contains("-") }.map(String.init) ?? "replay"
    }

    /// Writes it where somebody finds it, as a script and as a session.
    ///
    /// - Returns: the script's path.
    func leave() throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "imrepl-scenarios")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let name = "scenario-\(profile)-\(seed)"
        let head =
            "#! imrepl script 1\n# profile: \(profile)\n# seed: \(seed)\n# world: simulated\n# because: drawn by chance\n"
        let script = folder.appending(path: name + ".imr")
        try (head + whole.joined(separator: "\n") + "\n").write(
            to: script, atomically: true, encoding: .utf8)
        try Data(try play().bytes).write(to: folder.appending(path: name + ".pcapng"))
        return script.path
    }
}
