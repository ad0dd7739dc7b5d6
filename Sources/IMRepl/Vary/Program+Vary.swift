import Foundation
import IMDebugger
import IMExport
import IMSession
import IMShell
import IMText
import Recorder
import SansIO
import Synchronization

// `imrepl vary`: the changes of a scenario that break an expectation.

extension Program {
    func vary(_ request: VaryRequest) async throws -> Outcome {
        let end = Flag()
        Signals.onInterrupt { end.raise() }
        return try await onOwnThread {
            try ending(self.output(request.settings)) { try VaryRun(request: request, output: $0, end: end).run() }
        }
    }

    private final class Flag: Sendable {
        private let isUp = Mutex(false)

        func raise() { isUp.withLock { $0 = true } }
        var isRaised: Bool { isUp.withLock { $0 } }
    }

    private struct VaryRun {
        let request: VaryRequest
        let output: TerminalOutput
        let end: Flag

        func run() throws -> Outcome {
            let condition = try ShellError.reportingFilter { try request.condition.map { try SessionCondition($0) } }
            let (source, name) = try source(expects: condition == nil)
            let script = try VariedScript(source, expecting: condition, variables: request.variables)
            let begin = ContinuousClock.now
            let limit = request.timeLimit.map { begin + .nanoseconds($0.nanoseconds) }
            let search = VariationSearch(script, kinds: request.kinds, seed: request.seed) {
                end.isRaised || limit.map { ContinuousClock.now > $0 } == true
            }
            let bar = request.settings.asJSON ? nil : ProgressBar.onTerminal(total: request.runs)
            let outcome = try search.run(request.runs) { bar?.show(done: $0, part: 0) }
            bar?.clear()
            let seconds = (ContinuousClock.now - begin).inSeconds
            var written: String?
            if let group = outcome.breaks.first {
                let target = request.target ?? "\(name)-varied.imr"
                try write(script, group.edits, to: target)
                written = target
            }
            if output.rows == nil {
                printOutcome(outcome, script, seconds, written)
            } else {
                list(outcome, script, seconds, written)
            }
            return outcome.breaks.isEmpty ? .ok : .failed
        }

        /// The script that is varied, and the prefix for the names of its results.
        private func source(expects: Bool) throws -> (CheckedScript, String) {
            if request.file.hasSuffix(".imr") || request.file == "-" {
                let script = try ScriptFile.read(request.file, variables: Set(request.variables.map(\.key)))
                guard expects else { return (try commands(of: script), Self.stem(request.file)) }
                return (script, Self.stem(request.file))
            }
            guard !expects else {
                throw ShellError(
                    message: "a recording has no expectation; --until EXPR sets what must not occur", reason: .usage)
            }
            let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
            return (try RecordingFiles.read(path) { try exported($0, path) }, Self.stem(path))
        }

        private static func stem(_ path: String) -> String {
            path == "-" ? "stdin" : ((path as NSString).lastPathComponent as NSString).deletingPathExtension
        }

        /// A script with the commands of `script` and without its expectations. The commands come at the times of a run
        /// without changes.
        private func commands(of script: CheckedScript) throws -> CheckedScript {
            let sink = MemorySink()
            let text = try VariedScript.failure(playing: script, variables: request.variables, recording: sink)
            if let text { throw ShellError(message: text, reason: .failed) }
            return try exported(SessionReader(bytes: sink.bytes), script.name)
        }

        private func exported(_ reader: SessionReader, _ path: String) throws -> CheckedScript {
            var export = try ScriptExport(ExportedSession(reader: reader, path: path))
            let text = export.commands().joined(separator: "\n") + "\n"
            return try ScriptFile.parse(Array(text.utf8), named: path, origin: .file, variables: [])
        }

        private func write(_ script: VariedScript, _ edits: [ScriptEdit], to target: String) throws {
            let files = try ScriptFiles(target, overwrites: request.overwrites)
            let sink = MemorySink()
            _ = try script.play(edits, recording: sink)
            try files.write(script.text(edits), sink.bytes)
        }

        // MARK: Output

        private func printOutcome(
            _ outcome: VariationSearch.Outcome, _ script: VariedScript, _ seconds: Double, _ written: String?
        ) {
            let share = outcome.broken * 1_000 / max(1, outcome.runs)
            output.line(
                "\(outcome.broken) of \(outcome.runs) runs break (\(share / 10).\(share % 10) %), in "
                    + String(format: "%.1f s", seconds))
            if outcome.impossible > 0 {
                output.line("\(outcome.impossible) more could not run, because a line cannot be executed")
            }
            let kinds = outcome.kinds.map { "\($0.kind.rawValue) \($0.broken)/\($0.runs)" }
            if outcome.broken > 0 { output.line("with one change: " + kinds.joined(separator: ", ")) }
            for (index, group) in outcome.breaks.enumerated() {
                let line = group.example.line > 0 ? "line \(group.example.line): " : ""
                output.line("\(group.count) times: \(line)\(group.example.statement)")
                guard index < VariationSearch.shortenedMax else { continue }
                output.line("  \(group.example.reason.replacingOccurrences(of: "\n", with: "\n  "))")
                output.line("  at +\(group.example.time.secondsText), with:")
                group.edits.forEach { output.line("    " + script.description(of: $0)) }
                if group.lengths.count > 1 {
                    output.line("  of the lengths tried, with: " + group.lengths.map(\.text).joined(separator: ", "))
                }
            }
            if let written { output.line("written: \(written), with its recording beside it") }
        }

        private func list(
            _ outcome: VariationSearch.Outcome, _ script: VariedScript, _ seconds: Double, _ written: String?
        ) {
            for group in outcome.breaks {
                output.rows?([
                    ("statement", .text(group.example.statement)), ("line", .number(group.example.line)),
                    ("reason", .text(group.example.reason)), ("count", .number(group.count)),
                    ("changes", .text(group.edits.map { script.description(of: $0) }.joined(separator: "\n"))),
                ])
            }
            output.rows?([
                ("runs", .number(outcome.runs)), ("broken", .number(outcome.broken)),
                ("impossible", .number(outcome.impossible)), ("seconds", .seconds(seconds)),
                ("script", .text(written ?? "")),
            ])
        }
    }
}
