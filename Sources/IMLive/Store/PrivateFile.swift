import Foundation
import GRDB

/// Files that only their owner can read.
enum PrivateFile {
    /// Makes the file, or takes the rights of others, before a database opens it: nobody ever sees wider permissions.
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

    /// Runs migrations again that another process ran at the same time: then its tables are there already.
    static func retry(_ body: () throws -> Void) throws {
        for attempt in 1... {
            do {
                return try body()
            } catch let error as DatabaseError {
                let isPassing =
                    error.resultCode == .SQLITE_BUSY || error.resultCode == .SQLITE_ERROR
                    || error.resultCode == .SQLITE_CONSTRAINT
                guard isPassing, attempt < triesMax else { throw error }
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
    }
}

/// Which file it is, whatever its name.
struct FileIdentity: Equatable {
    private let device: dev_t
    private let number: ino_t

    /// Nil where there is no file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        (device, number) = (status.st_dev, status.st_ino)
    }
}
