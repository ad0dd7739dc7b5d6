import Foundation
import IMCommands
import IMLogTool
import IMLogs
import IMSession
import IMShell

extension Program {
    func checkLog(_ request: LogRequest) async throws -> Outcome {
        let log = try LogFile.readEvents(request.file, formats: request.formats, profile: request.profile)
        guard let profile = log.profile, let findings = LogCheck.findings(in: log, profile: profile) else {
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

    /// `import --suggest`: a format file to begin with.
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

    func followLog(_ request: LogRequest) async throws -> Outcome {
        let reader = try LogFile.reader(formats: request.formats, profile: request.profile)
        return try ending(output(request.settings)) { output in
            let input = try GrowingFile(request.file)
            do {
                while let bytes = input.next() {
                    try (bytes.isEmpty ? reader.pause() : reader.feed(bytes)).forEach { printLogged($0, output) }
                }
            } catch let error as LogError {
                throw ShellError(message: "\(request.file): \(error)", reason: .unreadable)
            }
            reader.end().forEach { printLogged($0, output) }
            if output.form == .text {
                output.line("# \(reader.counts.all) lines, \(reader.counts.unknown) not understood")
            }
            return .ok
        }
    }
}

/// Prints an event; a line that is not understood is only counted.
private func printLogged(_ event: LoggedEvent, _ output: TerminalOutput) {
    guard event.kind != .line else { return }
    guard let rows = output.rows else { return output.line(event.summary) }
    rows([
        ("kind", .text(event.kind.rawValue)), ("name", .text(event.name)), ("line", .number(event.line)),
        ("logged", .text(event.stamp)), ("process", .number(event.process)), ("event", .text(event.summary)),
    ])
}
