import Foundation
import IMCommands
import IMDebugger
import IMLogs
import IMShell

extension Program {
    func checkLog(_ request: LogRequest) async throws -> Outcome {
        let log = try LogFile.read(request.file, formats: request.formats, profile: request.profile)
        guard log.understoodCount > 0 else { throw LogFile.nothingUnderstood(request.file, log) }
        guard let profile = log.profile, let findings = LogCheck.findings(in: log, profile: profile) else {
            throw ShellError(
                message: "\(request.file): the callbacks do not show which SDK it is; use --profile", reason: .usage)
        }
        return try ending(output(request.settings)) { output in
            if let rows = output.rows {
                findings.forEach { rows(values(of: $0)) }
            } else {
                output.line("# \(LogFile.summary(log))")
                for finding in findings { lines(of: finding, in: log).forEach(output.line) }
                let count = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
                output.line(findings.isEmpty ? "\(request.file): allowed" : "\(request.file): \(count)")
            }
            return findings.isEmpty ? .ok : .failed
        }
    }

    private func values(of finding: LogFinding) -> [(name: String, value: AnswerValue)] {
        [
            ("line", .number(finding.line)), ("problem", .text(finding.problem)),
            ("lines", .text(finding.items.map { String($0.line) }.joined(separator: " "))),
            ("event", .text(finding.items.first?.text ?? "")), ("count", .number(finding.itemCount)),
            ("rules", .text(finding.rules.joined(separator: " "))),
            ("allowed", .text(finding.allowed.joined(separator: "; "))), ("process", .number(finding.process)),
        ]
    }

    private func lines(of finding: LogFinding, in log: ObservedLog) -> [String] {
        let process = log.processCount > 1 ? " (process \(finding.process))" : ""
        var lines = ["line \(finding.line): \(finding.problem)\(process)"]
        lines += finding.items.map { "    \($0.text)" }
        if finding.itemCount > finding.items.count {
            lines.append("    and \(finding.itemCount - finding.items.count) more lines")
        }
        for id in finding.rules {
            lines.append("  \(id): \(RuleCatalogue.rules.first { $0.id == id }?.text ?? "")")
        }
        if !finding.allowed.isEmpty { lines.append("  allowed here: \(finding.allowed.joined(separator: "; "))") }
        return lines
    }

    func followLog(_ request: LogRequest) async throws -> Outcome {
        throw ShellError(message: "not built", reason: .usage)
    }
}
