import Foundation
import IMCommands
import IMDialects
import IMExplorer
import IMExport
import IMOracles
import IMScript
import IMSession
import IMShell
import IMSimulation
import IMTraces
import Recorder
import SansIO

// `imrepl shrink`: the shortest scenario for a broken rule or a condition, as a script that fails for it.

extension Program {
    func shrink(_ request: ShrinkRequest) async throws -> Outcome {
        try await onOwnThread {
            let output = TerminalOutput(colour: false, form: request.settings.asJSON ? .json : .text)
            return try ending(output) { try ShrinkRun(request: request, output: $0).run() }
        }
    }
}

/// One scenario that is made short.
private struct ShrinkRun {
    let request: ShrinkRequest
    let output: TerminalOutput

    func run() throws -> Outcome {
        let began = ContinuousClock.now
        if let target = request.target, OutputFile.isStream(target) {
            throw ShellError(
                message: "'\(target)' is no file, and a recording is written beside the script; -o names a file",
                reason: .usage)
        }
        let (scenario, name, found) = try source()
        let what: String
        let check: String?
        var shrinker: Shrinker
        if let text = request.condition {
            let condition: KeptCondition
            do {
                condition = try KeptCondition(text)
            } catch let error as FilterError {
                throw ShellError(message: error.text, reason: .usage)
            }
            guard condition.holds(for: scenario) else {
                throw ShellError(
                    message: "'\(text)' does not hold in \(name): there is nothing to keep", reason: .failed)
            }
            what = text
            check = "check \(Self.quoted(condition.negated))"
            shrinker = Shrinker(scenario) { condition.holds(for: $0) }
        } else {
            guard let violation = try found ?? violation(of: scenario) else {
                throw ShellError(
                    message: "no rule is broken in \(name): there is nothing to keep; --keep says what else",
                    reason: .failed)
            }
            what = "\(violation.rule): \(violation.text)"
            // No script has the oracle that fails on purpose.
            check = violation.oracle == .canary ? nil : ScenarioScript.rulesCheck
            let keeps = Shrinker.keeping(violation, laws: SearchSettings.allLaws, canaryAt: request.canaryAt)
            shrinker = Shrinker(scenario, isKept: keeps)
        }
        let outcome = shrinker.shrink()
        let target = request.target ?? name
        let lines = try write(outcome.scenario, what, check, target)
        let elapsed = (ContinuousClock.now - began).components
        let seconds = Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        let kept = outcome.scenario
        if let rows = output.rows {
            rows([
                ("script", .text(target)), ("kept", .text(what)), ("commands-before", .number(scenario.commandCount)),
                ("commands", .number(kept.commandCount)), ("tries", .number(outcome.tries)),
                ("seconds", .seconds(seconds)), ("is-shortest", .text(outcome.isDone ? "yes" : "unknown")),
            ])
            return .ok
        }
        output.line(what)
        output.line(
            "\(scenario.commandCount) commands in \(scenario.duration.text) became \(kept.commandCount) in "
                + "\(kept.duration.text): \(outcome.tries) tries, "
                + String(format: "%.1f s", seconds))
        lines.forEach { output.line("  " + $0) }
        output.line("written: \(target), with its recording beside it")
        if !outcome.isDone { output.error("it may get shorter yet: the number of tries ran out") }
        return .ok
    }

    /// The scenario, a name for what comes of it, and what the search found in it: not all of that is seen when it is
    /// only played.
    private func source() throws -> (Scenario, String, Violation?) {
        if let seed = UInt64(request.source) {
            let settings = SearchSettings.make(profile: request.profile, canaryAt: request.canaryAt)
            var (scenario, outcome) = try Explorer(settings).scenario(of: seed)
            if let dialect = Dialects.named(scenario.profile) { scenario.steps += scenario.ending(dialect) }
            return (scenario, "shrunk-\(seed).imr", outcome.violation)
        }
        let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.source)
        let decoded = try RecordingFiles.read(path) { try DecodedSession($0) }
        let base = ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        do {
            return (try Scenario(decoded), "\(base)-shrunk.imr", nil)
        } catch let error as WorldError {
            throw ShellError(message: "\(path): \(error)", reason: .usage)
        }
    }

    private func violation(of scenario: Scenario) throws -> Violation? {
        var options = ScenarioPlayer.Options()
        options.heals = false
        return try ScenarioPlayer(scenario, options).play().violation
    }

    private func write(_ scenario: Scenario, _ what: String, _ check: String?, _ target: String) throws -> [String] {
        let recording = (target as NSString).deletingPathExtension + ".pcapng"
        for path in [target, recording] where FileManager.default.fileExists(atPath: path) && !request.overwrites {
            throw ShellError(message: "'\(path)' is there already; --force replaces it", reason: .environment)
        }
        let script = try ScenarioScript(scenario, title: what, check: check, recording: recording)
        let text = script.lines.joined(separator: "\n") + "\n"
        try OutputFile.write(text.utf8, to: target, overwrites: request.overwrites)
        try OutputFile.write(script.recording, to: recording, overwrites: request.overwrites)
        return script.lines
    }

    /// As one word of a script.
    private static func quoted(_ text: String) -> String { text.contains("'") ? "\"\(text)\"" : "'\(text)'" }
}
