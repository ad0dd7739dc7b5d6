import IMProtocol

/// The answer to a local call.
public struct LocalAnswer: Hashable, Sendable, Codable {
    /// The status of the call.
    public var status: Status
    /// One row for each item found, in order, under the vendor's names.
    public var rows: [AnswerRow]
    /// The start of the next page: a flag or a position, depending on the call. Empty at the end.
    public var next: String

    /// Creates an answer; without rows for a call that queries nothing.
    public init(_ status: Status = .ok, _ rows: [AnswerRow] = [], next: String = "") {
        self.status = status
        self.rows = rows
        self.next = next
    }

    /// The answer to a call with ``LocalCall/changesConversations``: the conversations that changed. The app receives
    /// them in an event, not in the answer.
    package static func changed(_ ids: [ConversationID]) -> LocalAnswer {
        LocalAnswer(.ok, ids.map { AnswerRow([("conversationID", $0.id), ("conversationType", $0.kind.name)]) })
    }
}

/// The end of a page: the key of its last entry at that time, so that an entry that was removed or moved meanwhile
/// causes neither repeated nor missing entries.
package struct Position: Hashable, Comparable, Sendable, Codable {
    /// The parts of the key, the most significant first.
    package var parts: [Int64]

    package init(_ parts: [Int64]) { self.parts = parts }

    /// Numbers separated by points, as ``text`` writes them; nil for anything else.
    package init?(_ text: String) {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { Int64($0) }
        guard (1...4).contains(parts.count), !parts.contains(nil) else { return nil }
        self.parts = parts.compactMap { $0 }
    }

    package var text: String { parts.map(String.init).joined(separator: ".") }

    package static func < (left: Position, right: Position) -> Bool {
        left.parts.lexicographicallyPrecedes(right.parts)
    }
}
