import Foundation
import IMProfiles
import IMShell

// `imrepl load`: many clients of one server, and the latencies that they measure.

extension Program {
    func load(_ request: LoadRequest) async throws -> Outcome {
        try await onOwnThread {
            guard let dialect = Dialects.named(request.profile) else {
                throw WorldPlan.unknown(profile: request.profile)
            }
            guard dialect.clientPolicy.features.contains(.messages) else {
                throw ShellError(
                    message: "\(dialect.title) has no messages to send; choose another --profile", reason: .usage)
            }
            let output = TerminalOutput(colour: false)
            if let rejectionReason = FileLimit.rejectionReason(to: request.clients) {
                output.error("warning: \(rejectionReason)")
            }
            let bar = request.asJSON ? nil : ProgressBar.onTerminal(total: request.seconds)
            let report = try LoadRun(request).run { report, second in
                if request.asJSON { output.verbatim(report.json(kind: "progress", atSecond: second)) }
                bar?.show(done: Int(second), part: second - second.rounded(.down))
            }
            bar?.clear()
            if request.asJSON {
                output.verbatim(report.json(kind: "summary", atSecond: report.seconds))
            } else {
                report.lines.forEach { output.line($0) }
            }
            return report.reachedNobody ? .environment : report.isWhole ? .ok : .failed
        }
    }
}
