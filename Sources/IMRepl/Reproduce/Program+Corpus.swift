import Foundation
import IMReproduce
import IMShell
import Synchronization

extension Program {
    /// Reproduces many logs, and prints one table. With `-o` it also writes a report for each log.
    func reproduceCorpus(_ request: ReproduceRequest) throws -> Outcome {
        let output = self.output(request.settings)
        let table =
            try request.merges.isEmpty
            ? CorpusSearch(request).run() : CorpusTable(request.merges.flatMap(CorpusTable.Row.read))
        if let rows = output.rows {
            for row in table.rows { rows(row.fields) }
            for group in table.groups {
                rows([
                    ("kind", .text("group")), ("cause", .text(group.cause)), ("logs", .text(String(group.logCount))),
                    ("first", .text(group.first)),
                ])
            }
            // The row with the counts is the last one. A table without this row is incomplete, and cannot be merged.
            rows([("kind", .text("table")), ("logs", .text(String(table.logCount)))])
        } else {
            table.lines.forEach(output.line)
        }
        return table.isExplained ? .ok : .failed
    }
}

/// The search over the logs of a corpus, several at a time.
private final class CorpusSearch: Sendable {
    private struct State {
        var next = 0
        var done = 0
        var rows: [CorpusTable.Row] = []
        var failure: (any Error)?
    }

    private let request: ReproduceRequest
    private let logs: [String]
    private let state = Mutex(State())

    init(_ request: ReproduceRequest) throws {
        self.request = request
        let all = try request.files.flatMap(Self.logs(below:))
        let (part, of) = (request.shard?.index ?? 1, request.shard?.count ?? 1)
        logs = all.indices.filter { UInt64($0) % of == part - 1 }.map { all[$0] }
        if let folder = request.target { try Folder.make(folder) }
    }

    /// The path itself if it is a file; otherwise the logs in the folder and its subfolders, sorted by name.
    private static func logs(below path: String) throws -> [String] {
        guard Folder.exists(path) else { return [path] }
        let names = try FileManager.default.subpathsOfDirectory(atPath: path).sorted()
        return names.map { "\(path)/\($0)" }.filter(RecordingFiles.isText)
    }

    func run() throws -> CorpusTable {
        let progress = ProgressBar.onTerminal(total: logs.count)
        let shown = Mutex(progress)
        DispatchQueue.concurrentPerform(iterations: request.jobs) { _ in
            while let log = take() {
                let rows = Result { try search(log) }
                state.withLock { state in
                    state.done += 1
                    switch rows {
                    case .success(let rows): state.rows += rows
                    case .failure(let error): state.failure = state.failure ?? error
                    }
                    shown.withLock { $0.show(done: state.done) }
                }
            }
        }
        shown.withLock { $0.clear() }
        return try state.withLock { state in
            if let failure = state.failure { throw failure }
            return CorpusTable(state.rows)
        }
    }

    private func take() -> String? {
        state.withLock { state in
            guard state.failure == nil, state.next < logs.count else { return nil }
            defer { state.next += 1 }
            return logs[state.next]
        }
    }

    /// - Throws: ``ShellError`` if a result cannot be written. A file that is not a log gets an error row.
    private func search(_ log: String) throws -> [CorpusTable.Row] {
        var single = request
        single.file = log
        let report: ReproduceReport
        do {
            report = try ReproduceReport(of: single)
        } catch {
            return [CorpusTable.Row(log: log, outcome: .unreadable, text: "\(error)".without(prefix: "\(log): "))]
        }
        if let folder = request.target {
            let name = "\(folder)/\(log.split(separator: "/").joined(separator: "-"))"
            try report.write(to: "\(name).imr", overwrites: request.overwrites)
            let text = report.lines.joined(separator: "\n") + "\n"
            try OutputFile.write(text.utf8, to: "\(name).txt", overwrites: request.overwrites)
        }
        return report.rows(of: log)
    }
}

extension CorpusTable.Row {
    fileprivate var fields: [(name: String, value: AnswerValue)] {
        [
            ("kind", .text(outcome.rawValue)), ("log", .text(log)), ("line", .text(String(line))),
            ("text", .text(text)), ("causes", .text(causes.joined(separator: " "))), ("rule", .text(rule)),
            ("confidence", .text(confidence)),
        ]
    }

    /// Reads the rows of a table that `--json` printed.
    ///
    /// - Throws: ``ShellError`` for a file that cannot be read or is not such a table.
    fileprivate static func read(_ path: String) throws -> [CorpusTable.Row] {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ShellError(message: "'\(path)' cannot be read", reason: .unreadable)
        }
        var isComplete = false
        let rows = try data.split(separator: UInt8(ascii: "\n")).compactMap { line -> CorpusTable.Row? in
            guard let object = try? JSONSerialization.jsonObject(with: line) as? [String: Any],
                let type = object["type"] as? String
            else {
                throw ShellError(
                    message: "\(path): not a table of 'imrepl reproduce LOGS --json'", reason: .unreadable)
            }
            let fields = object["fields"] as? [String: String] ?? [:]
            if fields["kind"] == "table" { isComplete = true }
            guard type != "end", let outcome = fields["kind"].flatMap(CorpusTable.Outcome.init), let log = fields["log"]
            else { return nil }
            return CorpusTable.Row(
                log: log, outcome: outcome, line: fields["line"].flatMap { Int($0) } ?? 0, text: fields["text"] ?? "",
                causes: (fields["causes"] ?? "").split(separator: " ").map(String.init), rule: fields["rule"] ?? "")
        }
        guard isComplete else {
            throw ShellError(
                message: "'\(path)' is incomplete: the search of this part was interrupted", reason: .unreadable)
        }
        return rows
    }
}

extension String {
    fileprivate func without(prefix: String) -> String {
        hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self
    }
}
