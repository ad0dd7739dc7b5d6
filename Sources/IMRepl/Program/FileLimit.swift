import Foundation

/// How many files, and so connections, the system lets this process have open.
enum FileLimit {
    /// What a process needs beside its connections.
    private static let reserve = 64

    /// Raises the process's own limit as far as the system allows.
    ///
    /// - Returns: what is wrong when so many connections cannot be had; nil when they can.
    static func objection(to connections: Int) -> String? {
        var limit = rlimit()
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        guard getrlimit(resource, &limit) == 0 else { return nil }
        let needed = rlim_t(connections + reserve)
        if limit.rlim_cur < needed {
            limit.rlim_cur = min(needed, limit.rlim_max)
            _ = setrlimit(resource, &limit)
        }
        guard limit.rlim_cur < needed else { return nil }
        let left = max(0, Int(limit.rlim_cur) - reserve)
        return "the system lets this process have \(left) connections, not \(connections) (ulimit -Hn)"
    }
}
