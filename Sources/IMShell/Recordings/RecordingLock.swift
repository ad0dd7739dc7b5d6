import Foundation
import Recorder

/// A recording is locked while it is written. The lock belongs to the open file: it ends when the file is closed, or
/// with the process.
package enum RecordingLock {
    /// - Throws: ``ShellError`` if another recorder writes the file.
    package static func requireFree(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // An unreadable file cannot be checked.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard isLocked(descriptor, LOCK_SH) else { throw inUse(path) }
    }

    /// Creates a recording that only its owner can read.
    ///
    /// - Throws: ``SessionError`` if the name is taken or the file cannot be made.
    static func makeNew(_ path: String) throws -> FileSink {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable }
        guard isLocked(descriptor, LOCK_EX) else {
            close(descriptor)
            throw inUse(path)
        }
        return FileSink(adopting: descriptor) {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_nlink == 0
        }
    }

    /// Replaces a recording that nobody writes by a new one. A link to a recording is replaced, not followed.
    static func replace(_ path: String) throws -> FileSink {
        let old = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if old >= 0 { close(old) } }
        if old >= 0, !isLocked(old, LOCK_EX) { throw inUse(path) }
        var (held, current) = (stat(), stat())
        // Another recorder replaced it before this lock: its file is a different one, and locked.
        if old >= 0, fstat(old, &held) == 0, stat(path, &current) == 0, held.st_ino != current.st_ino {
            throw inUse(path)
        }
        let partial = OutputFile.partialName(beside: path)
        let sink = try makeNew(partial)
        guard rename(partial, path) == 0 else {
            let error = unwritable
            unlink(partial)
            throw error
        }
        return sink
    }

    /// On a file system without locks, nothing is locked.
    private static func isLocked(_ descriptor: Int32, _ kind: Int32) -> Bool {
        flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK
    }

    private static var unwritable: SessionError { .unwritable(reason: String(cString: strerror(errno))) }

    private static func inUse(_ path: String) -> ShellError {
        ShellError(
            message:
                "'\(path)' is the recording of another running shell or server; choose another name, or end that "
                + "process first",
            reason: .environment)
    }
}
