import Foundation
import Synchronization

/// One typed command, stored as one line of the history file.
package struct HistoryEntry: Codable, Equatable, Sendable {
    package var time: Date
    package var profile: String
    package var command: String
}

/// The commands of earlier runs, one JSON object per line.
///
/// Every command is one `write` to a file in append mode, so that two shells can use the file at the same time without
/// losing commands. libedit's own history file is rewritten as a whole, so one shell would delete the commands of the
/// other. If the file cannot be written, the user gets one warning, and commands still run.
package final class HistoryFile: Sendable {
    /// Returns the current time and profile; called once for each command that is written.
    package typealias Stamp = @Sendable () -> (time: Date, profile: String)
    /// Returns the command without its secrets; nil if the command must not be stored.
    package typealias Redaction = @Sendable (_ command: String) -> String?

    /// The maximum number of commands that are loaded for the arrow keys.
    static let loadedCountMax = 5000
    /// The maximum number of bytes that are read from the end of the file.
    static let loadedBytesMax = 4 << 20

    package let path: String
    private let folder: String
    private let stamp: Stamp
    private let redact: Redaction
    private let warn: @Sendable (String) -> Void
    private let state = Mutex(State())

    private struct State {
        var hasWarned = false
        var last: String?
    }

    /// - Parameters:
    ///   - folder: the program's folder in the XDG state folder; created with mode 0700 when the first command is
    ///     written.
    ///   - warn: called at most once, with a line for the user.
    package init(
        folder: String,
        stamp: @escaping Stamp,
        redact: @escaping Redaction = { $0 },
        warn: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        self.folder = folder
        self.path = folder + "/history.jsonl"
        self.stamp = stamp
        self.redact = redact
        self.warn = warn
    }

    /// The newest commands, oldest first. A command that equals the one before it is omitted.
    package func load() -> [String] {
        entries().reduce(into: [String]()) { commands, entry in
            if commands.last != entry.command { commands.append(entry.command) }
        }.suffix(Self.loadedCountMax)
    }

    /// The newest entries, oldest first. Invalid lines, such as an incomplete write, are skipped.
    package func entries() -> [HistoryEntry] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return tail().split(separator: UInt8(ascii: "\n")).compactMap { line in
            try? decoder.decode(HistoryEntry.self, from: Data(line))
        }
    }

    /// Stores a command.
    ///
    /// - Returns: the command without secrets and trailing blanks; nil if it is not stored.
    ///
    /// Three kinds of command are not stored: an empty one, one that begins with a blank, and one for which the
    /// redaction returns nil. A command that equals the previous one is returned but not written again.
    @discardableResult
    package func append(_ command: String) -> String? {
        guard let allowed = command.historyText, let stored = redact(allowed)?.historyText else { return nil }
        let isRepetition = state.withLock { state in
            defer { state.last = stored }
            return state.last == stored
        }
        if !isRepetition {
            let (time, profile) = stamp()
            do {
                try write(HistoryEntry(time: time, profile: profile, command: stored))
            } catch {
                warnOnce("history is not saved: \(path): \(error)")
            }
        }
        return stored
    }

    private func write(_ entry: HistoryEntry) throws(SystemFailure) {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard var line = try? encoder.encode(entry) else { return }
        line.append(UInt8(ascii: "\n"))
        try makeFolder()
        let descriptor = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemFailure(errno) }
        defer { _ = Foundation.close(descriptor) }
        // If the file already existed, this removes the access of other users.
        _ = fchmod(descriptor, 0o600)
        if lacksFinalLineFeed(descriptor) {
            line.insert(UInt8(ascii: "\n"), at: 0)
        }
        let written = line.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        guard written == line.count else { throw SystemFailure(written < 0 ? errno : ENOSPC) }
    }

    private func makeFolder() throws(SystemFailure) {
        var made = ""
        for part in folder.split(separator: "/", omittingEmptySubsequences: false) {
            made += part.isEmpty && made.isEmpty ? "/" : "\(part)/"
            if mkdir(made, 0o700) != 0, errno != EEXIST, errno != EISDIR, access(made, F_OK) != 0 {
                throw SystemFailure(errno)
            }
        }
    }

    /// True if the file does not end with a line feed, because a write was incomplete. Then the next entry begins with
    /// a line feed.
    private func lacksFinalLineFeed(_ descriptor: Int32) -> Bool {
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0
        return size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != UInt8(ascii: "\n")
    }

    private func tail() -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            if errno != ENOENT { warnOnce("history cannot be read: \(path): \(SystemFailure(errno))") }
            return []
        }
        defer { _ = Foundation.close(descriptor) }
        let size = Int(lseek(descriptor, 0, SEEK_END))
        guard size > 0 else { return [] }
        let start = max(0, size - Self.loadedBytesMax)
        var bytes = [UInt8](repeating: 0, count: size - start)
        var filled = 0
        while filled < bytes.count {
            let count = bytes.withUnsafeMutableBytes { buffer in
                let rest = buffer[filled...]
                let target = UnsafeMutableRawBufferPointer(rebasing: rest)
                return pread(descriptor, target.baseAddress, target.count, off_t(start + filled))
            }
            if count < 0 {
                // A folder with the file's name can be opened, but reading it fails with EISDIR.
                warnOnce("history cannot be read: \(path): \(SystemFailure(errno))")
            }
            guard count > 0 else { break }
            filled += count
        }
        return Array(bytes.prefix(filled))
    }

    private func warnOnce(_ text: String) {
        let first = state.withLock { state in
            defer { state.hasWarned = true }
            return !state.hasWarned
        }
        if first { warn(text) }
    }
}

extension String {
    /// The command without trailing blanks; nil if it is empty, or if a leading blank excludes it from the history.
    var historyText: String? {
        guard let first, !first.isWhitespace else { return nil }
        var stored = self
        while stored.last?.isWhitespace == true { stored.removeLast() }
        return stored
    }
}

/// An error number of the operating system (`errno`), with its text.
package struct SystemFailure: Error, Equatable, CustomStringConvertible {
    package var code: Int32

    package init(_ code: Int32) { self.code = code }

    package var description: String { String(cString: strerror(code)) }
}
