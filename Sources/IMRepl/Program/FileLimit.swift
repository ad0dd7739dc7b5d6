import Foundation
import IMShell

/// The limit on the files, and so on the connections, that this process may have open.
enum FileLimit {
    /// The number of files that a process needs besides its connections.
    private static let reserve = 64

    /// The minimum number of files. With fewer, the event loop and its libraries cannot start.
    private static let filesMin = 32

    /// The error if the system's limit is too low for any work; nil if it is sufficient.
    static var limitError: String? {
        _ = rejectionReason(to: filesMin)
        var limit = rlimit()
        guard getrlimit(SystemDifferences.openFiles, &limit) == 0, limit.rlim_cur < rlim_t(filesMin) else { return nil }
        return "this process may open only \(limit.rlim_cur) files, but it needs at least \(filesMin) (ulimit -n)"
    }

    /// Raises the process's own limit as far as the system allows.
    ///
    /// - Returns: the error if this number of connections is not possible; nil if it is.
    static func rejectionReason(to connections: Int) -> String? {
        var limit = rlimit()
        guard getrlimit(SystemDifferences.openFiles, &limit) == 0 else { return nil }
        let needed = rlim_t(connections + reserve)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            _ = setrlimit(SystemDifferences.openFiles, &limit)
        }
        guard limit.rlim_cur < needed else { return nil }
        let left = max(0, Int(limit.rlim_cur) - reserve)
        return "this process may open only \(left) connections, not \(connections) (ulimit -Hn)"
    }
}
