import Foundation
import IMDialects
import IMWorld
import Recorder
import SansIO

/// `sessions`: what recordings there are and what they are about.
struct SessionListing {
    let files: RecordingFiles
    let say: (String) -> Void
    /// Takes what is wrong with a file; what is found in the others goes to `say`.
    var warn: ((String) -> Void)?

    /// - Returns: `.unreadable` where a file was, and the others were looked at all the same.
    @discardableResult
    func perform(_ action: SessionsAction) throws -> Outcome {
        switch action {
        case .list: list()
        case .show(let name): try show(name)
        case .search(let expression): return try search(expression, in: [])
        case .searchIn(let paths, let expression): return try search(expression, in: paths)
        }
        return .ok
    }

    private func list() {
        let paths = files.all()
        if paths.isEmpty { return say("no recording in '\(files.folder)' yet; type a story in 'imrepl' first") }
        for path in paths {
            do throws(SessionError) {
                let reader = try SessionReader(path: path)
                let torn = reader.completeness == .closed ? "" : "  (not closed)"
                say("\(path)  \(reader.header.profile)  \(reader.eventCount) events  \(reader.header.title)\(torn)")
            } catch {
                say("\(path)  unreadable: \(error)")
            }
        }
    }

    // MARK: Search

    private func search(_ expression: String, in places: [String]) throws -> Outcome {
        let filter = try Filter(reading: expression)
        let paths = places.isEmpty ? files.all() : try places.flatMap(recordings)
        if paths.isEmpty {
            say("no recording in \(places.isEmpty ? "'\(files.folder)' yet" : places.joined(separator: ", "))")
            return .ok
        }
        let search = SessionSearch(filter: filter, say: say, warn: warn ?? say)
        return search.run(over: paths, progress: .onTerminal(total: paths.count)) ? .ok : .unreadable
    }

    /// The recordings of a folder by name, or the file that is meant.
    private func recordings(_ place: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: place, isDirectory: &isFolder), isFolder.boolValue else {
            return [try files.find(place)]
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place)) ?? []
        let folder = place.hasSuffix("/") ? String(place.dropLast()) : place
        return names.filter { $0.hasSuffix(".pcapng") }.sorted().map { "\(folder)/\($0)" }
    }

    // MARK: Show

    private func show(_ name: String) throws {
        let path = try files.find(name)
        let reader = try RecordingFiles.open(path)
        row("file", path)
        row("title", reader.header.title)
        row("profile", reader.header.profile)
        row("made by", "\(reader.header.application), \(reader.header.os)")
        for parameter in reader.header.parameters { row(parameter.key, parameter.value) }
        row("nodes", reader.nodes.filter { $0 != "session" }.joined(separator: ", "))
        row("events", String(reader.eventCount))
        do {
            summarize(try SessionSummary(reader), hasSeed: reader.header.parameters.contains { $0.key == "seed" })
        } catch {
            throw EntryError(message: "\(path): \(error)", outcome: .unreadable)
        }
        row("complete", reader.completeness == .closed ? "yes" : "no: \(reader.completeness)")
        if let report = BugReport(reader) { ReportText(report: report, path: path).head.forEach(say) }
    }

    private func summarize(_ summary: SessionSummary, hasSeed: Bool) {
        row("duration", summary.lastTime.secondsText)
        if !hasSeed, !summary.seeds.isEmpty { row("seeds", summary.seeds.map(String.init).joined(separator: ", ")) }
        if !summary.users.isEmpty { row("users", summary.users.joined(separator: ", ")) }
        for client in summary.clients { row(client.name, "ends \(client.state?.name ?? "without a process")") }
        row("kicks", String(summary.kicks))
        for mark in summary.marks { row("mark", "#\(mark.number) +\(mark.time.secondsText) \(mark.text)") }
    }

    private func row(_ name: String, _ value: String) {
        say(name + String(repeating: " ", count: max(1, 11 - name.count)) + value)
    }
}

extension Filter {
    /// Reads what stands on a command line.
    ///
    /// - Throws: ``EntryError`` that shows the place.
    init(reading source: String) throws {
        do throws(FilterError) {
            try self.init(parsing: source)
        } catch {
            throw EntryError(message: error.text, outcome: .usage)
        }
    }
}
