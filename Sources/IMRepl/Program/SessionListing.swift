import Foundation
import IMDebugger
import IMExport
import IMProfiles
import IMSession
import IMShell
import IMText
import Recorder
import SansIO

/// `sessions`: the recordings and their contents.
struct SessionListing {
    let files: RecordingFiles
    let printResult: (String) -> Void
    /// Receives the errors of files; results of other files go to `printResult`.
    var warn: ((String) -> Void)?
    /// Receives results as rows, for programs; nil for text output.
    var row: (([(name: String, value: AnswerValue)]) -> Void)?
    /// The width of the terminal; nil if the output is no terminal.
    var columns: Int?
    /// The file that is being written now; nil for none.
    var inUse: String?

    /// - Returns: `.unreadable` if a file was unreadable. The other files were processed nevertheless.
    @discardableResult
    func perform(_ action: SessionsAction) throws -> Outcome {
        switch action {
        case .list: list()
        case .show(let name): try show(name)
        case .delete(let names): try delete(names)
        case .rename(let name, let next): try rename(name, to: next)
        case .search(let expression): return try search(expression, in: [])
        case .searchIn(let paths, let expression): return try search(expression, in: paths)
        }
        return .ok
    }

    private func list() {
        let own = files.all()
        let paths = own.isEmpty ? files.library() : own
        if own.isEmpty, !paths.isEmpty, row == nil {
            printResult(
                "no recording in '\(files.folder)' yet; the session library; 'imrepl replay NAME' opens a session of "
                    + "it:")
        }
        if paths.isEmpty {
            return printResult("no recording in '\(files.folder)' yet; type a scenario in 'imrepl' first")
        }
        let progress = ProgressBar.onTerminal(total: paths.count)
        var table = SessionTable(terminalWidth: columns)
        for (index, path) in paths.enumerated() {
            progress.show(done: index)
            table.add(path)
        }
        progress.clear()
        if let row { table.objects.forEach(row) } else { table.lines.forEach(printResult) }
    }

    // MARK: Removing and renaming

    /// The paths of the named recordings, which may be deleted or renamed. All names are checked before any file is
    /// changed.
    private func changeablePaths(_ names: [String]) throws -> [String] {
        try names.map { name in
            let path = try files.find(name)
            guard path.hasSuffix(".pcapng") else {
                throw ShellError(message: "'\(path)' is not a recording", reason: .usage)
            }
            guard FileManager.default.fileExists(atPath: name) || !files.library().contains(path) else {
                throw ShellError(
                    message: "'\(path)' belongs to the session library; give its path to select it", reason: .usage)
            }
            guard path != inUse else {
                throw ShellError(
                    message: "'\(path)' is still being recorded; 'rec stop' ends the recording", reason: .environment)
            }
            try RecordingLock.requireFree(path)
            return path
        }
    }

    private func delete(_ names: [String]) throws {
        for path in try changeablePaths(names) {
            guard unlink(path) == 0 else { throw ShellError.unwritable(path) }
            printResult("deleted \(path)")
        }
    }

    private func rename(_ name: String, to next: String) throws {
        let path = try changeablePaths([name])[0]
        guard !next.isEmpty, !next.contains("/"), next != "last", !next.hasPrefix(".") else {
            throw ShellError(
                message: "'\(next)' is not a valid name: a recording stays in its folder", reason: .usage)
        }
        let folder = Folder.parent(of: path)
        let target =
            (folder.isEmpty ? "" : folder + "/") + (next.hasSuffix(".pcapng") ? next : next + ".pcapng")
        // Unlike `rename`, `link` never replaces an existing file.
        guard link(path, target) == 0 else {
            throw errno == EEXIST
                ? ShellError(message: "'\(target)' already exists; choose another name", reason: .environment)
                : ShellError.unwritable(target)
        }
        unlink(path)
        printResult("renamed \(path) to \(target)")
    }

    // MARK: Search

    private func search(_ expression: String, in places: [String]) throws -> Outcome {
        let filter = try Filter(reading: expression)
        let serverFilter = try Filter(reading: expression, ofServer: true)
        let paths = places.isEmpty ? files.all(recursively: true) : try places.flatMap(recordings)
        if paths.isEmpty {
            printResult("no recording in \(places.isEmpty ? "'\(files.folder)' yet" : places.joined(separator: ", "))")
            return .ok
        }
        let search = SessionSearch(
            filter: filter, serverFilter: serverFilter, printResult: printResult, warn: warn ?? printResult, row: row)
        return search.run(over: paths, progress: .onTerminal(total: paths.count)) ? .ok : .unreadable
    }

    /// The recordings in a folder and its subfolders, sorted by name. For a file, its path.
    private func recordings(_ path: String) throws -> [String] {
        guard Folder.exists(path) else { return [try files.find(path)] }
        return Folder.files(in: path.hasSuffix("/") ? String(path.dropLast()) : path, suffix: ".pcapng")
    }

    // MARK: Show

    private func show(_ name: String) throws {
        let path = try files.find(name)
        let reader = try RecordingFiles.open(path)
        var rows: [(String, String)] = [
            ("file", path), ("title", reader.header.title), ("profile", reader.header.profile),
            ("made by", "\(reader.header.application), \(reader.header.os)"),
        ]
        rows += reader.header.parameters.map { ($0.key, $0.value) }
        rows.append(("nodes", reader.nodes.filter { $0 != "session" }.joined(separator: ", ")))
        rows.append(("events", String(reader.eventCount)))
        do {
            let hasSeed = reader.header.parameters.contains { $0.key == "seed" }
            rows += Self.summary(try SessionSummary(reader), hasSeed: hasSeed)
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
        rows.append(("complete", reader.completeness == .closed ? "yes" : "no: \(reader.completeness)"))
        if let row {
            row(Self.values(rows))
        } else {
            for (name, value) in rows {
                printResult(name + String(repeating: " ", count: max(1, 11 - name.count)) + value)
            }
        }
        if let report = BugReport(reader) { ReportText(report: report, path: path).head.forEach(printResult) }
    }

    private static func summary(_ summary: SessionSummary, hasSeed: Bool) -> [(String, String)] {
        var rows = [("duration", summary.lastTime.secondsText)]
        if !hasSeed, !summary.seeds.isEmpty {
            rows.append(("seeds", summary.seeds.map(String.init).joined(separator: ", ")))
        }
        if !summary.users.isEmpty { rows.append(("users", summary.users.joined(separator: ", "))) }
        for client in summary.clients {
            rows.append((client.name, "ends \(client.state?.name ?? "without a process")"))
        }
        rows.append(("kicks", String(summary.kicks)))
        return rows + summary.marks.map { ("mark", "#\($0.number) +\($0.time.secondsText) \($0.text)") }
    }

    /// The rows as members of one object. Whole numbers become numbers, and repeated names are numbered.
    private static func values(_ rows: [(String, String)]) -> [(name: String, value: AnswerValue)] {
        var counts: [String: Int] = [:]
        return rows.map { name, text in
            counts[name, default: 0] += 1
            let count = counts[name] ?? 1
            return (count == 1 ? name : "\(name)-\(count)", Int(text).map(AnswerValue.number) ?? .text(text))
        }
    }
}

extension Folder {
    /// The paths of the files in a folder and its subfolders that end with `suffix`, sorted by name.
    static func files(in folder: String, suffix: String) -> [String] {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(folder)/\($0)" }
    }
}

extension Filter {
    /// Parses a filter on a command line.
    ///
    /// - Throws: ``ShellError`` with the position.
    init(reading source: String, ofServer: Bool = false) throws {
        self = try ShellError.reportingFilter { try Filter(parsing: source, ofServer: ofServer) }
    }
}
