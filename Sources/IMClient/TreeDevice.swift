import IMProtocol
import IMTree
import SansIO

/// The state of the device's copy of the tree (SYNC-2). The setting belongs to the process and outlives logins; the
/// copy is opened for the first reference of each login.
struct TreeDevice: Hashable, Sendable, Codable {
    /// The number of bytes kept of data without listeners; nil if nothing outlives the process.
    var bytesMax: Int?
    /// True after the first use of the tree: then the setting is fixed.
    var hasReference = false
    /// Counts the openings: answers to an earlier one are ignored (C-3).
    var generation: UInt32 = 0
    var stage = Stage.closed
    /// The command that set it and waits for the opening.
    var command: CommandID?
    /// The requests that wait for the opening, oldest first.
    var waiting: [Waiting] = []

    enum Stage: Hashable, Sendable, Codable {
        case closed
        case opening
        case open
        /// The copy cannot be used.
        case failed
    }

    struct Waiting: Hashable, Sendable, Codable {
        var request: TreeCommand
        var clock: TokenClock
        var command: CommandID
    }

    /// True if a reference has to wait.
    var isAwaited: Bool {
        switch stage {
        case .closed, .opening: bytesMax != nil
        case .open, .failed: false
        }
    }
}
