import Foundation
import Recorder

/// Locks a recording while it is written. The lock (`flock`) belongs to the open file, so it ends when the file is
/// closed or the process ends.
package enum RecordingLock {
    /// Checks that no process writes the recording.
    ///
    /// - Throws: ``ShellError`` if a process writes it.
    package static func requireFree(_ path: String) throws {
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        // A file that cannot be opened cannot be checked, so it is accepted here; opening it for writing reports the
        // error.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        guard tryLock(descriptor, LOCK_SH) else { throw inUse(path) }
    }

    /// Creates a recording that only its owner can read.
    ///
    /// - Throws: ``SessionError`` if a file with this name exists or the file cannot be created.
    static func makeNew(_ path: String) throws -> FileSink {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable }
        guard tryLock(descriptor, LOCK_EX) else {
            close(descriptor)
            throw inUse(path)
        }
        return FileSink(adopting: descriptor) {
            var status = stat()
            return fstat(descriptor, &status) == 0 && status.st_nlink == 0
        }
    }

    /// Replaces a recording by a new one. A symbolic link is replaced and not followed.
    ///
    /// - Throws: ``ShellError`` if another recorder writes the recording.
    static func replace(_ path: String) throws -> FileSink {
        let old = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        defer { if old >= 0 { close(old) } }
        if old >= 0, !tryLock(old, LOCK_EX) { throw inUse(path) }
        var (held, current) = (stat(), stat())
        // If the path now leads to a different file, another recorder replaced the recording before this process got
        // the lock, and writes the new file.
        if old >= 0, fstat(old, &held) == 0, stat(path, &current) == 0, held.st_ino != current.st_ino {
            throw inUse(path)
        }
        let temporary = OutputFile.temporaryPath(nextTo: path)
        let sink = try makeNew(temporary)
        guard rename(temporary, path) == 0 else {
            let error = unwritable
            unlink(temporary)
            throw error
        }
        return sink
    }

    /// True if this process now has the lock. Also true on a file system without locks, where no process can have a
    /// lock.
    private static func tryLock(_ descriptor: Int32, _ kind: Int32) -> Bool {
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
