import IMLocalData
import IMProtocol
import SansIO

/// The user's local data as the client sees it: whose is open, how far it has come, and which calls wait (ZIM-9).
struct ClientData: Hashable, Sendable, Codable {
    /// Counts the openings: what belongs to an earlier one means nothing (C-3).
    var generation: UInt32 = 0
    /// Whose data is open, or being opened.
    var owner: String?
    var stage = Stage.opening
    /// Calls that the store has not answered, oldest first.
    var calls: [Waiting] = []
    var lastCall: UInt32 = 0
    /// The link over which what changed was last asked for.
    var asked: ConnectionID?
    /// The request that the server has not answered yet.
    var request: UInt32?
    /// The last change of an event that came while an answer was awaited, and does not go on where the data ends: the
    /// answer may be older (C-15).
    var overtakenBy: UInt64?
    /// The request that tells the server what was done here, and what it tells.
    var telling: Telling?
    /// The calls that wait for what the server has. Optional, because an older version kept none.
    var fetching: [Fetching]?
    /// Whether what this sync brings began behind what was here before.
    var isSyncing = false

    enum Stage: Hashable, Sendable, Codable {
        case opening
        /// Everything up to this number of the server's is in it, or on its way there.
        case open(position: UInt64)
        case failed(Status)
    }

    struct Waiting: Hashable, Sendable, Codable {
        var number: UInt32
        var command: CommandID
        /// What the server is told when it is done here.
        var changes: [ChangeRecord]
        /// Whether its answer says which conversations it changed. Optional, because an older version kept none.
        var changesConversations: Bool?
        /// True if the answer contains the number of moved messages. Optional, because older versions did not store it.
        var reportsProgress: Bool?
    }

    /// A call that waits for the server to say what is new.
    struct Fetching: Hashable, Sendable, Codable {
        var command: CommandID
        var call: LocalRequest
    }

    struct Telling: Hashable, Sendable, Codable {
        var request: UInt32
        var change: ChangeRecord
    }

    /// Calls that may wait for the store; one more is refused.
    static let callsMax = 1000
}
