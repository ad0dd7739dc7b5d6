import Foundation
import GRDB

/// Files that only their owner can read.
enum PrivateFile {
    /// Creates the file, or removes other users' permissions if it exists. Called before a database opens the file, so
    /// that the file is never readable by others.
    static func make(_ path: String) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(String(cString: strerror(errno))) }
        defer { close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw StoreError(String(cString: strerror(errno))) }
    }
}

/// Waits for another process that uses the same database.
enum StoreWaiting {
    static let seconds = 5.0
    private static let triesMax = 20

    /// Runs migrations, and repeats them if they fail. Another process may run them at the same time, so that a table
    /// already exists.
    static func retry(_ body: () throws -> Void) throws {
        for attempt in 1... {
            do {
                return try body()
            } catch let error as DatabaseError {
                let isTemporary =
                    error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_ERROR
                    || error.resultCode == .SQLITE_CONSTRAINT
                guard isTemporary, attempt < triesMax else { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }
}

/// The identity of a file, independent of its name.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// Nil if the file does not exist.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
