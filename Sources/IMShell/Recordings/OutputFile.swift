import Foundation
import Recorder

/// Writes an output to the path that a user named.
///
/// - A regular file is written under a temporary name in the same folder and renamed when it is complete. A failure
///   leaves the file that was there.
/// - A device, a FIFO or a socket is written to. It is never replaced or removed.
/// - A symbolic link is replaced and not followed. A hard link keeps its other names, with their contents.
/// - `-` is the standard output.
///
/// Recordings grow while a world runs, so `RecordingFiles` opens them by itself, under a lock.
package final class OutputFile: ByteSink {
    package let path: String
    /// The temporary name; nil for a stream, which is written in place.
    private let partial: String?
    private let overwrites: Bool
    private var descriptor: Int32
    /// The error of the last write, 0 when there was none.
    package private(set) var errorNumber: Int32 = 0

    /// - Parameters:
    ///   - overwrites: true if a file of that name may be replaced.
    ///   - mode: the permissions of a new file. A file that replaces another one keeps the narrower permissions.
    /// - Throws: ``ShellError`` with the output's name.
    package init(path: String, overwrites: Bool, mode: mode_t = 0o644) throws {
        self.path = path
        self.overwrites = overwrites
        if let stream = try OutputStream.open(path) {
            descriptor = stream
            partial = nil
            return
        }
        let status = FileStatus(path)
        if let status {
            guard overwrites else { throw ShellError.isThere(path) }
            guard !status.isFolder else {
                throw ShellError.unwritable(path, reason: String(cString: strerror(EISDIR)))
            }
            if status.isRegular { try RecordingLock.requireFree(path) }
        }
        let name = Self.partialName(beside: path)
        let kept = status.map { $0.isRegular ? mode & $0.mode : mode } ?? mode
        descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kept)
        guard descriptor >= 0 else { throw ShellError.unwritable(path) }
        partial = name
    }

    deinit { abandon() }

    /// Writes a whole output.
    ///
    /// - Throws: ``ShellError`` with the output's name.
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

    /// True if the path names this process's standard output. Notices then go to the standard error.
    package static func isStandardOutput(_ path: String) -> Bool {
        OutputStream.standardNumber(path) == STDOUT_FILENO
    }

    /// True if the path names a standard stream, a device, a FIFO or a socket. No companion file may be written next to
    /// such a path.
    package static func isStream(_ path: String) -> Bool {
        var status = stat()
        guard OutputStream.standardNumber(path) == nil else { return true }
        return stat(path, &status) == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// The number of bytes written so far.
    package private(set) var byteCount = 0

    /// True if the bytes go to a device, a pipe or a socket, which cannot be read again.
    package var isStream: Bool { partial == nil }

    /// The file with the bytes written so far; nil for a stream.
    package var unfinishedPath: String? { partial }

    package func write(_ bytes: UnsafeRawBufferPointer) throws(SessionError) {
        errorNumber = 0
        defer { byteCount += bytes.count }
        if let number = Self.write(bytes, to: descriptor) {
            errorNumber = number
            throw .unwritable(reason: String(cString: strerror(number)))
        }
    }

    /// Writes all bytes; waits for a slow reader.
    ///
    /// - Returns: the number of the error; nil if everything was written.
    package static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32? {
        DescriptorWriter.write(bytes, to: descriptor) {
            var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            _ = poll(&waiting, 1, -1)
        }
    }

    /// Does nothing: `finish()` completes the file.
    package func close() throws(SessionError) {}

    /// Gives a complete file its name.
    ///
    /// - Throws: ``ShellError`` with the output's name; then nothing has been replaced.
    package func finish() throws {
        guard descriptor >= 0 else { return }
        let isClosed = Foundation.close(descriptor) == 0
        descriptor = -1
        guard isClosed else {
            let error = ShellError.unwritable(path)
            removePartial()
            throw error
        }
        guard let partial else { return }
        // A link, unlike a rename, never replaces a file that somebody made meanwhile.
        var isNamed = overwrites ? rename(partial, path) == 0 : link(partial, path) == 0
        if !isNamed, !overwrites, [EPERM, ENOTSUP, ENOSYS].contains(errno), FileStatus(path) == nil {
            // Some file systems have no links.
            isNamed = rename(partial, path) == 0
        }
        guard isNamed else {
            let error = errno == EEXIST ? ShellError.isThere(path) : ShellError.unwritable(path)
            removePartial()
            throw error
        }
        if !overwrites { removePartial() }
    }

    /// Gives up: the existing file stays.
    package func abandon() {
        guard descriptor >= 0 else { return }
        _ = Foundation.close(descriptor)
        descriptor = -1
        removePartial()
    }

    /// The error of a write, with the output's name.
    package func failure(_ error: SessionError) -> ShellError {
        guard case .unwritable(let reason) = error else {
            return ShellError(message: "'\(path)' \(error)", reason: .environment)
        }
        return .unwritable(path, reason: reason)
    }

    private func removePartial() {
        if let partial { _ = unlink(partial) }
    }

    /// A separate short name, because a long name of the output leaves no room for an extension.
    static func partialName(beside path: String) -> String {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        return "\(folder).imrepl-\(getpid())-\(String(UInt64.random(in: 0 ... .max), radix: 36)).part"
    }
}

/// The file that a path names, without following a link.
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

/// Outputs that are written in place: standard streams, devices, FIFOs and sockets.
enum OutputStream {
    /// A FIFO needs a reader within this time; otherwise it is refused.
    private static let patienceMicroseconds: UInt32 = 20_000
    private static let triesMax = 50

    /// Opens the path for writing. It never waits endlessly for a reader.
    ///
    /// - Returns: nil if the path names a regular file, a folder, or nothing.
    /// - Throws: ``ShellError`` with the output's name.
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

    /// The number of `-` and of the system's names for open descriptors.
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

/// The reasons why a command cannot write its result.
extension ShellError {
    /// The file exists, and `--force` was not given.
    package static func isThere(_ path: String) -> ShellError {
        ShellError(
            message: "'\(path)' already exists; --force replaces it, -o writes another file",
            reason: .environment)
    }

    /// The reason is the current `errno`.
    package static func unwritable(_ path: String) -> ShellError {
        unwritable(path, reason: String(cString: strerror(errno)))
    }

    package static func unwritable(_ path: String, reason: String) -> ShellError {
        let name = path == "-" ? "the standard output" : "'\(path)'"
        return ShellError(message: "cannot write \(name): \(reason)", reason: .environment)
    }
}
