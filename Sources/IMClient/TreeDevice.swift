import IMProtocol
import IMTree
import SansIO

/// Where a client stands with what its device holds of the tree (SYNC-2). The setting is the process's and outlives logins;
/// the device is opened for the first reference of each.
struct TreeDevice: Hashable, Sendable, Codable {
    /// What is held of what nobody listens to; nil where nothing outlives the process.
    var bytesMax: Int?
    /// Whether anything was asked of the tree: then it is too late to say something else.
    var hasReference = false
    /// Counts the openings: what belongs to an earlier one means nothing (C-3).
    var generation: UInt32 = 0
    var stage = Stage.closed
    /// The command that asked for it first.
    var command: CommandID?
    /// What waits for the opening, oldest first.
    var waiting: [Waiting] = []

    enum Stage: Hashable, Sendable, Codable {
        case closed
        case opening
        case open
        /// It cannot be used.
        case failed
    }

    struct Waiting: Hashable, Sendable, Codable {
        var request: TreeCommand
        var clock: TokenClock
        var command: CommandID
    }

    /// Whether a reference has to wait.
    var isAwaited: Bool {
        switch stage {
        case .closed, .opening: bytesMax != nil
        case .open, .failed: false
        }
    }
}
