import Foundation
import Recorder

/// Writes the output of a command to a path from the command line.
///
/// - A regular file is written under a temporary name in the same folder and renamed when it is complete. After a
///   failure, an existing file at the path is unchanged.
/// - A device, a FIFO or a socket is opened and written to. It is never replaced or removed.
/// - A symbolic link is replaced and not followed. If the path is a hard link, the file's other names keep their
///   contents.
/// - `-` is the standard output.
///
/// Recordings are not written with this type: `RecordingFiles` opens them under a lock, because they grow while a world
/// runs.
package final class OutputFile: ByteSink {
    package let path: String
    /// The path with the temporary name; nil for a stream, which is written directly.
    private let temporary: String?
    private let overwrites: Bool
    private var descriptor: Int32
    /// The `errno` of the last write; 0 if it succeeded.
    package private(set) var errorNumber: Int32 = 0

    /// - Parameters:
    ///   - overwrites: true if an existing file may be replaced.
    ///   - mode: the permissions of a new file. If a file is replaced, permissions that it did not have are removed.
    /// - Throws: ``ShellError``; its message contains the path.
    package init(path: String, overwrites: Bool, mode: mode_t = 0o644) throws {
        self.path = path
        self.overwrites = overwrites
        if let stream = try DirectOutput.open(path) {
            descriptor = stream
            temporary = nil
            return
        }
        let status = FileStatus(path)
        if let status {
            guard overwrites else { throw ShellError.alreadyExists(path) }
            guard !status.isFolder else {
                throw ShellError.unwritable(path, reason: String(cString: strerror(EISDIR)))
            }
            if status.isRegular { try RecordingLock.requireFree(path) }
        }
        let name = Self.temporaryPath(nextTo: path)
        let permissions = status.map { $0.isRegular ? mode & $0.mode : mode } ?? mode
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions)
        guard descriptor >= 0 else { throw ShellError.unwritable(path) }
        temporary = name
    }

    deinit { abandon() }

    /// Writes the whole output at once.
    ///
    /// - Throws: ``ShellError``; its message contains the path.
    package static func write(_ bytes: some Sequence<UInt8>, to path: String, overwrites: Bool, mode: mode_t = 0o644)
        throws
    {
        let file = try OutputFile(path: path, overwrites: overwrites, mode: mode)
        do {
            try Array(bytes).withUnsafeBytes { try file.write($0) }
        } catch let error as SessionError {
            throw file.failure(error)
        }
        try file.finish()
    }

    /// True if the path means the standard output of this process. Notices must then be printed on the standard error.
    package static func isStandardOutput(_ path: String) -> Bool {
        DirectOutput.standardNumber(path) == STDOUT_FILENO
    }

    /// True if the path means a standard stream, a device, a FIFO or a socket. A second file, such as a script's
    /// recording, cannot be written next to such a path.
    package static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard DirectOutput.standardNumber(path) == nil else { return true }
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// The number of bytes that were written.
    package private(set) var byteCount = 0

    /// True if the bytes go to a device, a pipe or a socket, which cannot be read again.
    package var isStream: Bool { temporary == nil }

    /// The path of the temporary file; nil for a stream.
    package var unfinishedPath: String? { temporary }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        errorNumber = 0
        defer { byteCount += bytes.count }
        if let number = Self.write(bytes, to: descriptor) {
            errorNumber = number
            throw .unwritable(reason: String(cString: strerror(number)))
        }
    }

    /// Writes all bytes. Blocks while the reader of a pipe is slow.
    ///
    /// - Returns: the `errno` of the failure; nil if all bytes were written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        DescriptorWriter.write(bytes, to: descriptor) {
            var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&request, 1, -1)
        }
    }

    /// Does nothing, because `finish()` closes and renames the file.
    package func close() throws(SessionError) {}

    /// Closes the file and renames it to `path`.
    ///
    /// - Throws: ``ShellError``; its message contains the path. An existing file is then unchanged.
    package func finish() throws {
        guard descriptor >= 0 else { return }
        let isClosed = Foundation.close(descriptor) == 0
        descriptor = -1
        guard isClosed else {
            let error = ShellError.unwritable(path)
            removeTemporary()
            throw error
        }
        guard let temporary else { return }
        // Without `overwrites` the file gets its name by a hard link: unlike a rename, it fails if another process
        // created a file at the path meanwhile.
        var isRenamed = overwrites ? rename(temporary, path) == 0 : link(temporary, path) == 0
        if !isRenamed, !overwrites, [EPERM, ENOTSUP, ENOSYS].contains(errno), FileStatus(path) == nil {
            // Some file systems do not support hard links.
            isRenamed = rename(temporary, path) == 0
        }
        guard isRenamed else {
            let error = errno == EEXIST ? ShellError.alreadyExists(path) : ShellError.unwritable(path)
            removeTemporary()
            throw error
        }
        if !overwrites { removeTemporary() }
    }

    /// Discards the output. An existing file is unchanged.
    package func abandon() {
        guard descriptor >= 0 else { return }
        _ = Foundation.close(descriptor)
        descriptor = -1
        removeTemporary()
    }

    /// The error for a failed write, with the path.
    package func failure(_ error: SessionError) -> ShellError {
        guard case .unwritable(let reason) = error else {
            return ShellError(message: "'\(path)' \(error)", reason: .environment)
        }
        return .unwritable(path, reason: reason)
    }

    private func removeTemporary() {
        if let temporary { _ = unlink(temporary) }
    }

    /// A temporary path in the same folder. The name is not derived from the output's name, because that name may
    /// already have the maximum length.
    static func temporaryPath(nextTo path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return "\(folder).imrepl-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
    }
}

/// The status of the file at a path. A symbolic link is not followed.
struct FileStatus {
    private let status: stat

    init?(_ path: String) {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        self.status = status
    }

    var isRegular: Bool { status.st_mode & S_IFMT == S_IFREG }
    var isFolder: Bool { status.st_mode & S_IFMT == S_IFDIR }
    var mode: mode_t { status.st_mode & 0o777 }
}

/// Outputs that are written directly and never replaced: standard streams, devices, FIFOs and sockets.
enum DirectOutput {
    /// The time between two attempts to open a FIFO that has no reader. After `triesMax` attempts the output is
    /// rejected.
    private static let patienceMicroseconds: UInt32 = 20_000
    private static let triesMax = 50

    /// Opens the path for writing. Waits about a second for the reader of a FIFO.
    ///
    /// - Returns: the descriptor; nil if the path is a regular file or a folder, or does not exist.
    /// - Throws: ``ShellError``; its message contains the path.
    static func open(_ path: String) throws -> Int32? {
        if let number = standardNumber(path) {
            let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
            guard copy >= 0 else { throw ShellError.unwritable(path) }
            return copy
        }
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFREG, S_IFDIR: return nil
        case S_IFSOCK: return try connect(path)
        default: return try openWithoutWaiting(path)
        }
    }

    /// The number of the open descriptor that a path such as `-`, `/dev/stdout` or `/dev/fd/3` means; nil for other
    /// paths.
    static func standardNumber(_ path: String) -> Int32? {
        switch path {
        case "-", "/dev/stdout": return STDOUT_FILENO
        case "/dev/stderr": return STDERR_FILENO
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where path.hasPrefix(folder) {
            return Int32(path.dropFirst(folder.count))
        }
        return nil
    }

    private static func openWithoutWaiting(_ path: String) throws -> Int32 {
        for attempt in 0...triesMax {
            let descriptor = Foundation.open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
            if descriptor >= 0 {
                _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
                return descriptor
            }
            guard errno == ENXIO else { throw ShellError.unwritable(path) }
            if attempt < triesMax { usleep(patienceMicroseconds) }
        }
        throw ShellError.unwritable(path, reason: "no process reads it; start the reader first")
    }

    private static func connect(_ path: String) throws -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < room else {
            throw ShellError.unwritable(path, reason: String(cString: strerror(ENAMETOOLONG)))
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let descriptor = socket(AF_UNIX, SystemDifferences.streamSocket, 0)
        guard descriptor >= 0 else { throw ShellError.unwritable(path) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        let length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let isConnected = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Foundation.connect(descriptor, $0, length) == 0
            }
        }
        guard isConnected else {
            let error = ShellError.unwritable(path)
            close(descriptor)
            throw error
        }
        return descriptor
    }
}

/// The errors of a command that cannot write its output.
extension ShellError {
    /// The error for an existing file if `--force` was not given.
    package static func alreadyExists(_ path: String) -> ShellError {
        ShellError(
            message: "'\(path)' already exists; --force replaces it, -o writes another file",
            reason: .environment)
    }

    /// The error for an output that cannot be written, with the text of the current `errno`.
    package static func unwritable(_ path: String) -> ShellError {
        unwritable(path, reason: String(cString: strerror(errno)))
    }

    package static func unwritable(_ path: String, reason: String) -> ShellError {
        let name = path == "-" ? "the standard output" : "'\(path)'"
        return ShellError(message: "cannot write \(name): \(reason)", reason: .environment)
    }
}
