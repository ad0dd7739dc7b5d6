import IMProtocol

/// What a local call came to.
public struct LocalAnswer: Hashable, Sendable, Codable {
    /// How it ended.
    public var status: Status
    /// One row for each thing found, in order, under the vendor's names.
    public var rows: [AnswerRow]
    /// Where the next page begins: a flag or a place, as the call takes it. Empty at the end.
    public var next: String

    /// An answer; without rows for a call that asks for nothing.
    public init(_ status: Status = .ok, _ rows: [AnswerRow] = [], next: String = "") {
        self.status = status
        self.rows = rows
        self.next = next
    }

    /// The answer to a call of ``LocalCall/changesConversations``: the conversations that changed, which the app is told of
    /// by an event, and not by the answer.
    package static func changed(_ ids: [ConversationID]) -> LocalAnswer {
        LocalAnswer(.ok, ids.map { AnswerRow([("conversationID", $0.id), ("conversationType", $0.kind.name)]) })
    }
}

/// Where a page ended: the key of its last entry as it was then, so that an entry which has gone away or moved
/// meanwhile neither repeats others nor loses them.
package struct Position: Hashable, Comparable, Sendable, Codable {
    /// From the most significant part on.
    package var parts: [Int64]

    package init(_ parts: [Int64]) { self.parts = parts }

    /// Numbers between points, as ``text`` writes them; nil for anything else.
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
