import Foundation
import IMLogs
import IMProfiles
import IMReproduce
import IMShell

extension Program {
    func reproduce(_ request: ReproduceRequest) async throws -> Outcome {
        guard !request.isCorpus else { return try reproduceCorpus(request) }
        let output = self.output(request.settings)
        let report = try ReproduceReport(of: request, progress: progress(output))
        let written = try request.target.map { try report.write(to: $0, overwrites: request.overwrites) } ?? []
        if let rows = output.rows {
            for object in report.rows { rows(object.map { ($0.name, .text($0.value)) }) }
            for file in written { rows([("kind", .text("wrote")), ("file", .text(file))]) }
        } else {
            report.lines.forEach(output.line)
            if !written.isEmpty { output.line("\n" + report.note(of: written)) }
        }
        return report.hasExplanation ? .ok : .failed
    }

    /// Shows the progress of the search in one log: rows of JSON, or a line of text.
    private func progress(_ output: TerminalOutput) -> ReproduceReport.Progress {
        if let rows = output.rows {
            return { runs, done, total in
                guard runs % Self.runsBetweenRows == 0 else { return }
                rows([
                    ("kind", .text("progress")), ("runs", .text(String(runs))), ("explained", .text(String(done))),
                    ("lines", .text(String(total))),
                ])
            }
        }
        let bar = WorkProgressBar()
        return { _, done, total in bar.show(done, of: total) }
    }

    private static var runsBetweenRows: Int { 10 }
}

extension ReproduceReport {
    /// The client's settings, as estimated from its log.
    private static func estimates(_ log: ObservedLog, _ profile: String) -> [ClientNumbers.Estimate] {
        let usual = Dialects.named(profile)?.clientPolicy
        let fit = NumberFit(log, usual: usual)
        var estimates = fit.numbers.map { ClientNumbers.Estimate($0.key, $0.value, count: $0.count) }
        let key = "attempt-time-limit-ms"
        if let limit = usual?.attemptTimeLimit.inMilliseconds, fit.longestLogin > limit - 500,
            !estimates.contains(where: { $0.setting.key == key })
        {
            // A login took longer than the time limit of the profile, so the limit of this app must be longer.
            estimates.append(.init(key, String(fit.longestLogin + fit.longestLogin / 10), count: 2))
        }
        return estimates
    }

    /// Writes the script of each explanation.
    ///
    /// - Returns: the paths of the files.
    /// - Throws: ``ShellError`` with the remedy.
    @discardableResult
    func write(to target: String, overwrites: Bool) throws -> [String] {
        try scripts.enumerated().map { index, script in
            let path = Self.path(target, index)
            try OutputFile.write(script.utf8, to: path, overwrites: overwrites)
            return path
        }
    }

    /// The line that names the written files: `wrote explanation.imr, explanation-2.imr`.
    fileprivate func note(of files: [String]) -> String {
        let names = "wrote \(files.joined(separator: ", "))"
        if let line = attemptEnd { return "\(names): the best attempt, up to line \(line)" }
        return names + (scriptDelay.map { "; +0.000s is at \($0) there" } ?? "")
    }

    /// The path of a script by its index: `explanation.imr`, `explanation-2.imr`, `explanation-3.imr`.
    private static func path(_ target: String, _ index: Int) -> String {
        guard index > 0 else { return target }
        let ending = target.hasSuffix(".imr") ? ".imr" : ""
        return "\(target.dropLast(ending.count))-\(index + 1)\(ending)"
    }

    /// Receives the number of runs so far, the maximum number of lines that a candidate has explained, and the number
    /// of lines in the log.
    typealias Progress = (Int, Int, Int) -> Void

    /// Searches for the hidden events that explain a log.
    ///
    /// - Throws: ``ShellError`` for a file that is not a log.
    init(of request: ReproduceRequest, progress: @escaping Progress = { _, _, _ in }) throws {
        let log = try LogFile.read(
            request.file, formats: request.formats, profile: request.profile, keepsTexts: true)
        guard let profile = log.profile else {
            throw ShellError(
                message: "\(request.file): the callbacks do not identify the SDK; use --profile", reason: .usage)
        }
        let entries = log.entries.map { ($0.offset, $0.event, $0.awake) }
        guard
            let app = ObservedApp(
                entries, profile: profile, platform: request.platform, hasMonotonicClock: log.isSteady,
                isComplete: request.isComplete, hasTimes: log.hasTimes, tolerance: request.toleranceMilliseconds)
        else { throw LogFile.nothingUnderstood(request.file, log) }
        var options = Reproducer.Options()
        options.explanations = request.explanations
        options.runsMax = request.runsMax
        if log.hasTimes { options.estimated = Self.estimates(log, profile) }
        let begin = Date()
        let (seconds, lines) = (request.seconds, app.lines.count)
        var furthest = 0
        options.continues = { runs, share in
            furthest = max(furthest, min(Int(share * Double(lines)), lines - 1))
            progress(runs, furthest, lines)
            return seconds.map { Date().timeIntervalSince(begin) < $0 } ?? true
        }
        guard var search = Reproducer(app, options) else {
            throw ShellError(message: "there is no table for the profile '\(profile)'", reason: .usage)
        }
        let outcome = try search.search()
        // The last call removes the progress line.
        progress(outcome.runs, lines, lines)
        let coverage = Coverage(understood: log.understoodCount, of: log.lineCount)
        self.init(outcome, app, coverage: coverage, log: request.file)
    }
}
