import Foundation
import IMShell

/// The folder whose files an agent may read. The process makes it its working folder, so that the names of files are
/// relative to it.
struct AgentFolder: Sendable {
    private static let fileBytesMax = 256 << 20
    private static let logBytesMax = 64 << 20
    /// The maximum number of files that ``sessions()`` visits.
    private static let visitedMax = 100_000
    private let path: String

    /// - Throws: ``ShellError`` if there is no such folder.
    init(_ folder: String) throws {
        guard let path = Self.realPath(folder), FileManager.default.changeCurrentDirectoryPath(path) else {
            throw ShellError(message: "there is no folder '\(folder)', or it cannot be read", reason: .environment)
        }
        self.path = path == "/" ? "" : path
    }

    /// The path of a file, relative to the folder.
    ///
    /// - Throws: ``CommandFailure`` for a file outside the folder, a file that is too large, and anything that is not a
    ///   file.
    func checkedPath(ofFile name: String) throws -> String {
        guard !name.isEmpty, !name.unicodeScalars.contains("\0"), let real = Self.realPath(name) else {
            throw CommandFailure("there is no file '\(name)'; list_sessions lists the recordings and logs")
        }
        guard real.hasPrefix(path + "/") else {
            throw CommandFailure("'\(name)' is outside the folder of this server")
        }
        var status = stat()
        guard stat(real, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw CommandFailure("'\(name)' is not a file")
        }
        let limit = RecordingFiles.isText(real) ? Self.logBytesMax : Self.fileBytesMax
        guard status.st_size <= limit else {
            throw CommandFailure("'\(name)' is larger than \(limit >> 20) MiB")
        }
        // The prefix `./` prevents that a name is read as `-`, `last` or an option.
        return "./" + real.dropFirst(path.utf8.count + 1)
    }

    /// The recordings and logs below the folder, sorted by name.
    func sessions() -> (recordings: [String], logs: [String]) {
        guard let enumerator = FileManager.default.enumerator(atPath: ".") else { return ([], []) }
        var found: (recordings: [String], logs: [String]) = ([], [])
        var count = 0
        while let name = enumerator.nextObject() as? String, count < Self.visitedMax {
            count += 1
            if (name as NSString).lastPathComponent.hasPrefix(".") {
                enumerator.skipDescendants()
            } else if name.hasSuffix(".pcapng") {
                found.recordings.append(name)
            } else if name.hasSuffix(".log") {
                found.logs.append(name)
            }
        }
        return (found.recordings.sorted(), found.logs.sorted())
    }

    private static func realPath(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }
}
