import Foundation
import IMCommands
import IMDebugger
import IMLogs
import IMSession
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
        guard request.overwrites || !FileManager.default.fileExists(atPath: target) else {
            throw ShellError(message: "'\(target)' exists; --force replaces it", reason: .usage)
        }
        guard FileManager.default.createFile(atPath: target, contents: Data(suggestion.file.utf8)) else {
            throw ShellError(message: "cannot write '\(target)'", reason: .environment)
        }
        output.line("wrote \(target): \(suggestion.count) patterns; check the names of the events, then:")
        output.line("imrepl import \(request.file) --format \(target)")
        return .ok
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

/// A file that another program writes, or the standard input.
private struct GrowingFile {
    /// Without new bytes for this long, the last line is complete.
    private static let pauseMilliseconds: Int32 = 200
    private let descriptor: Int32
    private let isInput: Bool

    init(_ path: String) throws {
        isInput = path == "-"
        descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw ShellError(message: "there is no file '\(path)', or it cannot be read", reason: .environment)
        }
    }

    /// The next bytes; none if nothing came for a while, nil at the end.
    func next() -> [UInt8]? {
        if isInput {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, Self.pauseMilliseconds) != 0 else { return [] }
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        if count > 0 { return Array(bytes[..<count]) }
        guard !isInput, count == 0 else { return nil }
        usleep(UInt32(Self.pauseMilliseconds) * 1000)
        return []
    }
}
