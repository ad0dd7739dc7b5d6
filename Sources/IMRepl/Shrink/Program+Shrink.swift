import Foundation
import IMDebugger
import IMExport
import IMSession
import IMShell
import IMSimulation
import IMText
import Recorder
import SansIO

// `imrepl shrink`: the shortest scenario for a condition, as a script that fails for it.

extension Program {
    func shrink(_ request: ShrinkRequest) async throws -> Outcome {
        try await onOwnThread {
            try ShrinkRun.perform(request) { run in try run.goal(keeping: request.condition) }
        }
    }
}

/// A scenario to shrink, and the condition that the shorter scenarios must meet too.
package struct ShrinkGoal {
    var scenario: Scenario
    /// The name of the script's file if the request names no other one.
    var name: String
    /// The condition as text.
    var what: String
    /// The line that checks the condition at the end of the script; nil for none.
    var check: String?
    var isKept: (Scenario) -> Bool

    package init(
        _ scenario: Scenario, name: String, what: String, check: String?, isKept: @escaping (Scenario) -> Bool
    ) {
        (self.scenario, self.name, self.what, self.check, self.isKept) = (scenario, name, what, check, isKept)
    }
}

/// One run of `imrepl shrink`.
package struct ShrinkRun {
    package let request: ShrinkRequest
    let output: TerminalOutput

    /// - Parameter goal: returns the scenario and its condition.
    package static func perform(_ request: ShrinkRequest, goal: (ShrinkRun) throws -> ShrinkGoal) throws -> Outcome {
        let output = TerminalOutput(colour: false, form: request.settings.asJSON ? .json : .text)
        return try ending(output) { output in
            let start = ContinuousClock.now
            if let target = request.target { _ = try ScriptFiles(target, overwrites: request.overwrites) }
            let run = ShrinkRun(request: request, output: output)
            return try run.shrink(goal(run), since: start)
        }
    }

    /// The goal to shrink the scenario of the recording while the condition `text` holds.
    package func goal(keeping text: String) throws -> ShrinkGoal {
        let (scenario, name) = try source()
        return try goal(keeping: text, of: scenario, name: name)
    }

    /// The goal to shrink a scenario while the condition `text` holds.
    package func goal(keeping text: String, of scenario: Scenario, name: String) throws -> ShrinkGoal {
        let condition = try ShellError.reportingFilter { try ShrinkCondition(text) }
        guard condition.holds(for: scenario) else {
            throw ShellError(message: "'\(text)' does not hold in \(name)", reason: .failed)
        }
        return ShrinkGoal(scenario, name: name, what: text, check: condition.negatedCheck) {
            condition.holds(for: $0)
        }
    }

    private func shrink(_ goal: ShrinkGoal, since start: ContinuousClock.Instant) throws -> Outcome {
        var shrinker = Shrinker(goal.scenario, isKept: goal.isKept)
        let outcome = shrinker.shrink()
        let target = request.target ?? goal.name
        let lines = try write(outcome.scenario, goal.what, goal.check, target)
        let seconds = (ContinuousClock.now - start).inSeconds
        let kept = outcome.scenario
        if let rows = output.rows {
            rows([
                ("script", .text(target)), ("kept", .text(goal.what)),
                ("commands-before", .number(goal.scenario.commandCount)),
                ("commands", .number(kept.commandCount)), ("tries", .number(outcome.tries)),
                ("seconds", .seconds(seconds)), ("is-shortest", .text(outcome.isDone ? "yes" : "unknown")),
            ])
            return .ok
        }
        output.line(goal.what)
        output.line(
            "\(goal.scenario.commandCount) commands in \(goal.scenario.duration.text) shortened to \(kept.commandCount) in "
                + "\(kept.duration.text): \(outcome.tries) tries, "
                + String(format: "%.1f s", seconds))
        lines.forEach { output.line("  " + $0) }
        output.line("written: \(target), with its recording beside it")
        if !outcome.isDone { output.error("the script is not the shortest possible: the limit of tries was reached") }
        return .ok
    }

    /// The scenario of the recording, and the default name of the script's file.
    package func source() throws -> (scenario: Scenario, name: String) {
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.source)
        let decoded = try RecordingFiles.read(path) { try DecodedSession($0) }
        let base = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        do {
            return (try Scenario(decoded), "\(base)-shrunk.imr")
        } catch let error as WorldError {
            throw ShellError(message: "\(path): \(error)", reason: .usage)
        }
    }

    private func write(_ scenario: Scenario, _ what: String, _ check: String?, _ target: String) throws -> [String] {
        let files = try ScriptFiles(target, overwrites: request.overwrites)
        let script = try ScenarioScript(scenario, title: what, check: check, recording: files.recording)
        try files.write(script.lines.joined(separator: "\n") + "\n", script.recording)
        return script.lines
    }
}
