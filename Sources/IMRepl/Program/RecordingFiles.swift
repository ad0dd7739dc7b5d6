import Foundation
import IMWorld
import Recorder

/// Names and finds recordings.
struct RecordingFiles {
    let folder: String

    init(dataFolder: String?) {
        folder = Folder.recordings(dataFolder)
    }

    /// Begins a recording.
    ///
    /// - Parameter path: nil names the file after profile and time, in the folder.
    /// - Throws: ``EntryError`` that says what to do.
    func begin(_ plan: WorldPlan, path: String?) throws -> Recording {
        let sink: FileSink
        let chosen: String
        do {
            if let path {
                chosen = path
                sink = try FileSink(path: path, creation: .replace)
            } else {
                try Folder.make(folder)
                (sink, chosen) = try makeNew(plan)
            }
        } catch let error as SessionError {
            throw EntryError(
                message:
                    "cannot record into '\(path ?? folder)': \(error); choose a file with --record, or --no-record",
                outcome: .environment)
        }
        return Recording(
            sink: sink, path: chosen, header: plan.header, epochNanoseconds: plan.epochNanoseconds)
    }

    private func makeNew(_ plan: WorldPlan) throws -> (FileSink, String) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let stem = "\(folder)/\(plan.dialect.profile)-\(formatter.string(from: Date()))"
        var last: SessionError?
        // Two shells may begin within the same second.
        for attempt in 0..<100 {
            let path = attempt == 0 ? "\(stem).pcapng" : "\(stem)-\(attempt).pcapng"
            if FileManager.default.fileExists(atPath: path) { continue }
            do throws(SessionError) {
                return (try FileSink(path: path, creation: .new), path)
            } catch {
                last = error
                if !FileManager.default.fileExists(atPath: path) { break }
            }
        }
        throw last ?? .unwritable(reason: "no free name")
    }

    /// The file that a user means by a path, a name of the list, or `last`.
    func find(_ name: String) throws -> String {
        if name == "last" {
            guard let newest = all().first else {
                throw EntryError(
                    message: "there is no recording in '\(folder)' yet; type a story in 'imrepl' first",
                    outcome: .environment)
            }
            return newest
        }
        if FileManager.default.fileExists(atPath: name) { return name }
        for candidate in ["\(folder)/\(name)", "\(folder)/\(name).pcapng"]
        where FileManager.default.fileExists(atPath: candidate) {
            return candidate
        }
        let names = ["last"] + all().map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
        let hint = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        throw EntryError(
            message: "there is no file '\(name)'; \(hint ?? "'imrepl sessions' lists the recordings")",
            outcome: .unreadable)
    }

    /// All recordings, the newest first.
    func all() -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.filter { $0.hasSuffix(".pcapng") }.map { name -> (path: String, date: Date) in
            let path = "\(folder)/\(name)"
            let date = (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
            return (path, date ?? .distantPast)
        }
        return files.sorted { ($0.date, $0.path) > ($1.date, $1.path) }.map(\.path)
    }

    /// Opens a recording.
    ///
    /// - Throws: ``EntryError`` with the file's name and what is wrong with it.
    static func open(_ path: String) throws -> SessionReader {
        do throws(SessionError) {
            return try SessionReader(path: path)
        } catch {
            let hint = path.hasSuffix(".imr") ? "; it is a script: 'imrepl run \(path)'" : ""
            throw EntryError(message: "\(path): \(error)\(hint)", outcome: .unreadable)
        }
    }
}
