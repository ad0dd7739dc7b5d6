import Foundation
import IMLogs
import IMShell

extension Program {
    func checkLog(_ request: LogRequest) async throws -> Outcome {
        let log = try LogFile.readEvents(request.file, formats: request.formats, profile: request.profile)
        guard let profile = log.profile,
            let (findings, swaps) = LogCheck.result(in: log, profile: profile, isComplete: request.isComplete)
        else {
            throw ShellError(
                message: "\(request.file): the callbacks do not show which SDK it is; use --profile", reason: .usage)
        }
        return try ending(output(request.settings)) { output in
            if let rows = output.rows {
                findings.forEach { rows(FindingReport.values(of: $0)) }
                if let note = FindingReport.note(of: swaps) { rows([("note", .text(note))]) }
            } else {
                output.line("# \(LogFile.summary(log))")
                for finding in findings { FindingReport.lines(of: finding, in: log).forEach(output.line) }
                if let note = FindingReport.note(of: swaps) { output.line("note: \(note)") }
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
            Self.unmatchedLines(suggestion, profile).forEach(output.error)
            return .ok
        }
        try OutputFile.write(suggestion.file.utf8, to: target, overwrites: request.overwrites)
        output.line("wrote \(target): \(suggestion.count) patterns; check the names of the events, then:")
        output.line("imrepl import \(request.file) --format \(target)")
        Self.unmatchedLines(suggestion, profile).forEach(output.line)
        return .ok
    }

    /// The text about the lines for which a suggestion has no pattern, and what to do about them.
    private static func unmatchedLines(_ suggestion: FormatSuggestion, _ profile: String) -> [String] {
        guard !suggestion.unmatched.isEmpty else { return [] }
        let shown = suggestion.unmatched.prefix(unmatchedMax)
        let count = suggestion.unmatched.reduce(0) { $0 + $1.count }
        let callbacks =
            switch profile {
            case "nim": ["onLogin", "onKick"]
            case "agora-chat": ["connectionStateDidChange", "userAccountDidLoginFromOtherDeviceWithInfo"]
            case "wilddog": ["valueChanged"]
            default: ["connectionStateChanged"]
            }
        var lines = [
            count == 1 ? "1 line has no pattern:" : "\(count) lines have no pattern. One example of each shape:"
        ]
        lines += shown.map { "  \($0.count) × \($0.example)" }
        if suggestion.unmatched.count > shown.count {
            lines.append("  and \(suggestion.unmatched.count - shown.count) more shapes")
        }
        let help = callbacks.map { "'imrepl help \($0)'" }.joined(separator: " and ")
        return lines + [
            "if one of them is a state, a kick or a result of the SDK, add an entry for it to 'search-table'; "
                + "\(help) \(callbacks.count == 1 ? "describes" : "describe") the fields"
        ]
    }

    private static let unmatchedMax = 12
}
