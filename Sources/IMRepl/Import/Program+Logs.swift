import Foundation
import IMLogs
import IMShell

extension Program {
    func checkLog(_ request: LogRequest) async throws -> Outcome {
        let log = try LogFile.readEvents(request.file, formats: request.formats, profile: request.profile)
        guard let profile = log.profile,
            let findings = LogCheck.findings(in: log, profile: profile, isComplete: request.isComplete)
        else {
            throw ShellError(
                message: "\(request.file): the callbacks do not show which SDK it is; use --profile", reason: .usage)
        }
        return try ending(output(request.settings)) { output in
            if let rows = output.rows {
                findings.forEach { rows(FindingReport.values(of: $0)) }
            } else {
                output.line("# \(LogFile.summary(log))")
                for finding in findings { FindingReport.lines(of: finding, in: log).forEach(output.line) }
                let count = findings.count == 1 ? "1 finding" : "\(findings.count) findings"
                output.line(findings.isEmpty ? "\(request.file): allowed" : "\(request.file): \(count)")
            }
            return findings.isEmpty ? .ok : .failed
        }
    }

    /// `import --suggest`: a first version of a format file.
    func suggestFormat(_ request: ImportRequest) throws -> Outcome {
        guard let profile = request.profile else {
            throw ShellError(message: "--suggest needs --profile: which SDK does the app use?", reason: .usage)
        }
        guard let data = FileManager.default.contents(atPath: request.file) else {
            throw ShellError(message: "there is no file '\(request.file)', or it cannot be read", reason: .environment)
        }
        let name = URL(fileURLWithPath: request.file).deletingPathExtension().lastPathComponent
        let suggestion: FormatSuggestion
        do {
            suggestion = try FormatSuggestion([UInt8](data), profile: profile, name: name)
        } catch let error as LogFormatError {
            throw ShellError(message: "\(request.file): \(error)", reason: .failed)
        }
        let output = self.output(request.settings)
        guard let target = request.target else {
            output.line(suggestion.file)
            return .ok
        }
        try OutputFile.write(suggestion.file.utf8, to: target, overwrites: request.overwrites)
        output.line("wrote \(target): \(suggestion.count) patterns; check the names of the events, then:")
        output.line("imrepl import \(request.file) --format \(target)")
        return .ok
    }
}
