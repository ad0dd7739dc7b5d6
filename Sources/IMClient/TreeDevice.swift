import IMProtocol
import IMTree
import SansIO

/// The state of the device's copy of the tree (SYNC-2). The persistence setting belongs to the process and outlives
/// logins. The first reference of each login opens the copy.
struct TreeDevice: Hashable, Sendable, Codable {
    /// The maximum size of stored data without listeners, in bytes; nil if no data outlives the process.
    var bytesMax: Int?
    /// True after the first use of the tree, after which the persistence setting cannot change.
    var hasReference = false
    /// The number of times that the copy was opened. The client ignores answers to an earlier opening (C-3).
    var generation: UInt32 = 0
    var stage = Stage.closed
    /// The command that turned persistence on and waits until the copy is open; nil if there is none.
    var command: CommandID?
    /// The requests that wait until the copy is open, oldest first.
    var waiting: [Waiting] = []

    enum Stage: Hashable, Sendable, Codable {
        case closed
        case opening
        case open
        /// The copy cannot be used. The client works without it.
        case failed
    }

    /// A request that waits until the copy is open.
    struct Waiting: Hashable, Sendable, Codable {
        var request: TreeCommand
        var clock: TokenClock
        var command: CommandID
    }

    /// True if a reference to the tree must wait until the copy is open.
    var needsOpening: Bool {
        switch stage {
        case .closed, .opening: bytesMax != nil
        case .open, .failed: false
        }
    }
}
