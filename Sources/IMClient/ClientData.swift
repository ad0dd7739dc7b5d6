import IMLocalData
import IMProtocol
import SansIO

/// The client's state of the user's local data: its owner, its position, and the waiting calls (ZIM-9).
struct ClientData: Hashable, Sendable, Codable {
    /// Counts the openings: answers to an earlier one are ignored (C-3).
    var generation: UInt32 = 0
    /// The user whose data is open, or being opened.
    var owner: String?
    var stage = Stage.opening
    /// Calls that the store has not answered, oldest first.
    var calls: [Waiting] = []
    var lastCall: UInt32 = 0
    /// The connection over which changes were last requested.
    var asked: ConnectionID?
    /// The request that the server has not answered yet.
    var request: UInt32?
    /// The last change of an event that arrived during a request and does not continue the local position: the answer
    /// may be older (C-15).
    var overtakenBy: UInt64?
    /// The request that sends a local change to the server, with that change.
    var telling: SendingChange?
    /// The calls that wait for the server's changes. Optional, because an older version stored none.
    var fetching: [Fetching]?
    /// True if this sync started after the earlier local position.
    var isSyncing = false

    enum Stage: Hashable, Sendable, Codable {
        case opening
        /// Everything up to this number of the server is stored, or about to be.
        case open(position: UInt64)
        case failed(Status)
    }

    struct Waiting: Hashable, Sendable, Codable {
        var number: UInt32
        var command: CommandID
        /// The changes to send to the server after the call.
        var changes: [ChangeRecord]
        /// True if its answer lists the conversations that it changed. Optional, because an older version stored none.
        var changesConversations: Bool?
        /// True if the answer contains the number of moved messages. Optional, because older versions did not store it.
        var reportsProgress: Bool?
    }

    /// A call that waits for changes from the server.
    struct Fetching: Hashable, Sendable, Codable {
        var command: CommandID
        var call: LocalRequest
    }

    struct SendingChange: Hashable, Sendable, Codable {
        var request: UInt32
        var change: ChangeRecord
    }

    /// Maximum number of calls that wait for the store; one more is refused.
    static let callsMax = 1000
}
