import Foundation
import IMDebugger
import IMSimulation
import IMText
import Recorder

/// Creates, finds and opens recordings.
package struct RecordingFiles {
    package let folder: String

    package init(dataFolder: String?) {
        folder = Folder.recordings(dataFolder)
    }

    /// Creates the file for a recording of a world.
    ///
    /// - Parameters:
    ///   - path: the file; nil for a file in `folder` that is named after the profile and the time.
    ///   - overwrites: true to replace an existing session. A file that is not a session is never replaced.
    /// - Throws: ``ShellError`` if the file cannot be created. Its message contains a hint how to avoid the error.
    package func begin(_ plan: WorldPlan, path: String?, overwrites: Bool = false) throws -> Recording {
        let (sink, path) = try makeFile(
            path, overwrites: overwrites, namedAfter: plan.dialect.profile, failure: "cannot record into",
            remedy: "choose a file with --record, or --no-record")
        return Recording(sink: sink, path: path, header: plan.header, epochNanoseconds: plan.epochNanoseconds)
    }

    /// Creates the file for the session of a log.
    ///
    /// - Parameters:
    ///   - path: the file; nil for a file in `folder` that is named after the profile and the time.
    ///   - overwrites: true to replace an existing session. A file that is not a session is never replaced.
    /// - Throws: ``ShellError`` if the file cannot be created. Its message contains a hint how to avoid the error.
    package func beginObserved(
        profile: String, path: String?, overwrites: Bool
    ) throws -> (sink: FileSink, path: String) {
        try makeFile(
            path, overwrites: overwrites, namedAfter: profile.isEmpty ? "log" : "\(profile)-log",
            failure: "cannot write", remedy: "choose a file with -o")
    }

    private func makeFile(
        _ path: String?, overwrites: Bool, namedAfter name: String, failure: String, remedy: String
    ) throws -> (sink: FileSink, path: String) {
        do {
            if let path { return (try Self.makeSink(path, overwrites: overwrites), path) }
            try Folder.make(folder)
            return try makeNew(name)
        } catch let error as SessionError {
            throw ShellError(message: "\(failure) '\(path ?? folder)': \(error); \(remedy)", reason: .environment)
        }
    }

    /// True if a file is a text file and not a session.
    package static func isText(_ path: String) -> Bool {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
            let file = FileHandle(forReadingAtPath: path)
        else { return false }
        defer { try? file.close() }
        guard let head = try? file.read(upToCount: 512), !head.isEmpty else { return false }
        return !head.starts(with: [0x0A, 0x0D, 0x0D, 0x0A])
            && head.allSatisfy { $0 >= 32 || (7...13).contains($0) || $0 == 27 }
    }

    /// Opens the file of a recording. An existing file is only replaced if `overwrites` is true and the file is a
    /// session. A device, a FIFO or a socket is written to.
    private static func makeSink(_ path: String, overwrites: Bool) throws -> FileSink {
        guard !OutputFile.isStandardOutput(path) else {
            throw ShellError(
                message:
                    "'\(path)' cannot hold a recording, because the results are written there; give a file or a FIFO",
                reason: .usage)
        }
        if let stream = try DirectOutput.open(path) { return FileSink(adopting: stream) }
        guard let status = FileStatus(path) else { return try RecordingLock.makeNew(path) }
        guard !status.isFolder else {
            throw ShellError(message: "'\(path)' is a folder; give a file in it", reason: .environment)
        }
        guard overwrites else {
            throw ShellError(
                message: "'\(path)' already exists; use --force to replace the session, or another name",
                reason: .environment)
        }
        try RecordingLock.requireFree(path)
        do {
            _ = try SessionReader(path: path)
        } catch {
            throw ShellError(
                message: "'\(path)' is not a session, and --force replaces only sessions; choose another name",
                reason: .environment)
        }
        return try RecordingLock.replace(path)
    }

    private func makeNew(_ profile: String) throws -> (FileSink, String) {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyyMMdd-HHmmss"
        let stem = "\(folder)/\(profile)-\(formatter.string(from: Date()))"
        var last: (any Error)?
        // The name contains the time in seconds, so a second shell that starts in the same second needs a different
        // name.
        for attempt in 0..<100 {
            let path = attempt == 0 ? "\(stem).pcapng" : "\(stem)-\(attempt).pcapng"
            if FileManager.default.fileExists(atPath: path) { continue }
            do {
                return (try RecordingLock.makeNew(path), path)
            } catch {
                last = error
                if !FileManager.default.fileExists(atPath: path) { break }
            }
        }
        throw last ?? SessionError.unwritable(reason: "no free name")
    }

    /// The path of a recording that the user named by its path, by its name in `imrepl sessions`, or as `last`. `-`
    /// means the standard input and is returned unchanged.
    package func find(_ name: String) throws -> String {
        if name == "-" { return name }
        if name == "last" {
            guard let newest = all().first(where: { !Self.isEmpty($0) }) else {
                throw ShellError(
                    message: "there is no recording in '\(folder)' yet; type a scenario in 'imrepl' first",
                    reason: .environment)
            }
            return newest
        }
        if FileManager.default.fileExists(atPath: name) { return name }
        for candidate in ["\(folder)/\(name)", "\(folder)/\(name).pcapng"]
        where FileManager.default.fileExists(atPath: candidate) {
            return candidate
        }
        let library = library()
        if let path = library.first(where: { Self.stem($0) == name || $0.hasSuffix("/\(name)") }) { return path }
        let names = ["last"] + (all() + library).map(Self.stem)
        let hint = Suggestion.nearest(to: name, among: names).map { "did you mean '\($0)'?" }
        throw ShellError(
            message: "there is no file '\(name)'; \(hint ?? "'imrepl sessions' lists the recordings")",
            reason: .unreadable)
    }

    private static func stem(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingPathExtension().lastPathComponent
    }

    /// The recordings of the session library: those in subfolders of `folder`. If there are none, the recordings that
    /// were installed with the program.
    package func library() -> [String] {
        for root in [folder, Folder.library] {
            let names = (try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []
            let files = names.filter { $0.hasSuffix(".pcapng") && (root != folder || $0.contains("/")) }.sorted()
            if !files.isEmpty { return files.map { "\(root)/\($0)" } }
        }
        return []
    }

    /// All recordings, the newest first.
    ///
    /// - Parameter recursively: true to include the recordings in subfolders.
    package func all(recursively: Bool = false) -> [String] {
        let names =
            (recursively
                ? try? FileManager.default.subpathsOfDirectory(atPath: folder)
                : try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.filter { $0.hasSuffix(".pcapng") }.map { name -> (path: String, date: Date) in
            let path = "\(folder)/\(name)"
            let date = (try? FileManager.default.attributesOfItem(atPath: path)[.modificationDate]) as? Date
            return (path, date ?? .distantPast)
        }
        return files.sorted { ($0.date, $0.path) > ($1.date, $1.path) }.map(\.path)
    }

    /// True if nothing happened in the recording, as in the recording of a shell that has just started. `last` ignores
    /// such recordings.
    static func isEmpty(_ path: String) -> Bool {
        do throws(SessionError) {
            let scanner = try SessionReader(path: path).makeScanner()
            while let view = try scanner.next() {
                switch view.role {
                case .input, .environment, .mark: return false
                case .start where view.node.rawValue > 1: return false
                case .header, .clock, .start, .effect, .keyframe, .stop, .closing: break
                }
            }
            return true
        } catch {
            // An unreadable recording is not ignored, so that the user gets the error.
            return false
        }
    }

    /// Opens a recording.
    ///
    /// - Throws: ``ShellError`` if the recording cannot be opened. Its message contains the path.
    package static func open(_ path: String) throws -> SessionReader {
        do throws(SessionError) {
            return try SessionReader(path: path == "-" ? "/dev/stdin" : path)
        } catch {
            let hint =
                path.hasSuffix(".imr")
                ? "; it is a script: 'imrepl run \(path)'"
                : isText(path)
                    ? "; it is text: if it is a log, 'imrepl import \(path) -o FILE.pcapng' converts it to a session"
                    : ""
            throw ShellError(message: "\(path): \(error)\(hint)", reason: .unreadable)
        }
    }

    /// Opens a recording and passes it to `body`.
    ///
    /// - Throws: ``ShellError`` if the recording cannot be read.
    package static func read<Value>(_ path: String, _ body: (SessionReader) throws -> Value) throws -> Value {
        do {
            return try body(try open(path))
        } catch let error as SessionError {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
    }
}
