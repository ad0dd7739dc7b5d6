import Foundation
import IMDialects
import IMLogTool
import IMLogs
import IMReproduce
import IMShell

extension Program {
    func reproduce(_ request: ReproduceRequest) async throws -> Outcome {
        guard !request.isCorpus else { return try reproduceCorpus(request) }
        let output = self.output(request.settings)
        let report = try ReproduceReport(of: request)
        if let target = request.target { try report.write(to: target, overwrites: request.overwrites) }
        if let rows = output.rows {
            for object in report.rows { rows(object.map { ($0.name, .text($0.value)) }) }
        } else {
            report.lines.forEach(output.line)
        }
        return report.hasExplanation ? .ok : .failed
    }
}

extension ReproduceReport {
    /// Writes the script of each explanation.
    ///
    /// - Throws: ``ShellError`` that says what to do.
    func write(to target: String, overwrites: Bool) throws {
        for (index, script) in scripts.enumerated() {
            try OutputFile.write(script.utf8, to: Self.path(target, index), overwrites: overwrites)
        }
    }

    /// `story.imr`, `story-2.imr`, `story-3.imr`.
    private static func path(_ target: String, _ index: Int) -> String {
        guard index > 0 else { return target }
        let ending = target.hasSuffix(".imr") ? ".imr" : ""
        return "\(target.dropLast(ending.count))-\(index + 1)\(ending)"
    }

    /// Searches for what must have happened out of sight of a log.
    ///
    /// - Throws: ``ShellError`` for a file that is no log.
    init(of request: ReproduceRequest) throws {
        let log = try LogFile.read(
            request.file, formats: request.formats, profile: request.profile, keepsTexts: true)
        guard let profile = log.profile else {
            throw ShellError(
                message: "\(request.file): its callbacks do not tell the SDK; say it with --profile", reason: .usage)
        }
        let entries = log.entries.map { ($0.offset, $0.event, $0.awake) }
        guard
            let app = ObservedApp(
                entries, profile: profile, platform: request.platform, isSteady: log.isSteady,
                tolerance: request.toleranceMilliseconds)
        else { throw LogFile.nothingUnderstood(request.file, log) }
        var options = Reproducer.Options()
        options.explanations = request.explanations
        options.runsMax = request.runsMax
        options.estimated = NumberFit(log).numbers.map { .init($0.key, $0.value, count: $0.count) }
        let begin = Date()
        if let seconds = request.seconds { options.continues = { _, _ in Date().timeIntervalSince(begin) < seconds } }
        guard var search = Reproducer(app, options) else {
            throw ShellError(message: "there is no table for the profile '\(profile)'", reason: .usage)
        }
        self.init(try search.search(), app)
    }
}
