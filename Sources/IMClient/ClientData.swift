import IMLocalData
import IMProtocol
import SansIO

/// The client's state of the user's local data (ZIM-9): whose data is open, up to which of the server's changes it is
/// stored, and the calls that wait.
struct ClientData: Hashable, Sendable, Codable {
    /// The number of times that the data was opened. The client ignores answers to an earlier opening (C-3).
    var generation: UInt32 = 0
    /// The user whose data is open, or being opened; nil if the data is closed.
    var owner: String?
    var stage = Stage.opening
    /// Calls that the store has not answered, oldest first.
    var calls: [WaitingCall] = []
    /// The number of the last call.
    var lastCall: UInt32 = 0
    /// The connection over which the client requests the server's changes; nil before the first request over the
    /// current connection.
    var fetchConnection: ConnectionID?
    /// The number of the request for changes that the server has not answered; nil if there is none.
    var request: UInt32?
    /// The number of the last change in an event that skips changes, if the event arrived while ``request`` was in
    /// flight; nil otherwise. The answer may not contain the skipped changes, so the client may need another request
    /// (C-15).
    var overtakenBy: UInt64?
    /// A local change that the client has sent, and that the server has not answered; nil if there is none.
    var sending: SentChange?
    /// The calls that wait for the server's changes. Optional, because recordings of older versions do not have it.
    var fetchingCalls: [FetchingCall]?
    /// True from the start of a sync over a connection until its last page has arrived.
    var isSyncing = false

    enum Stage: Hashable, Sendable, Codable {
        case opening
        /// The data is open. The store has all changes up to this number of the server, or has been requested to apply
        /// them.
        case open(position: UInt64)
        /// The data cannot be used. Calls are answered with this status.
        case failed(Status)
    }

    /// A call that the store has not answered.
    struct WaitingCall: Hashable, Sendable, Codable {
        var number: UInt32
        var command: CommandID
        /// The changes that the client sends to the server after the store has answered the call.
        var changes: [ChangeRecord]
        /// True if the answer lists the conversations that the call changed. Optional, because recordings of older
        /// versions do not have it.
        var changesConversations: Bool?
        /// True if the answer contains the number of exported or imported messages. Optional, because recordings of
        /// older versions do not have it.
        var reportsProgress: Bool?
    }

    /// A call that waits for changes from the server before it is passed to the store.
    struct FetchingCall: Hashable, Sendable, Codable {
        var command: CommandID
        var call: LocalRequest
    }

    /// A local change in a request to the server.
    struct SentChange: Hashable, Sendable, Codable {
        /// The number of the request.
        var request: UInt32
        var change: ChangeRecord
    }

    /// The maximum number of calls that wait for the store. A call beyond the maximum is refused.
    static let callsMax = 1000
}
