import IMProtocol

/// The answer to a local call.
public struct LocalAnswer: Hashable, Sendable, Codable {
    /// The status of the call.
    public var status: Status
    /// One row for each item found, in order. The fields of a row have the vendor's names.
    public var rows: [AnswerRow]
    /// The argument with which the app requests the next page: a flag or a position, depending on the call. Empty on
    /// the last page.
    public var next: String

    /// Creates an answer; a call that queries nothing has no rows.
    public init(_ status: Status = .ok, _ rows: [AnswerRow] = [], next: String = "") {
        self.status = status
        self.rows = rows
        self.next = next
    }

    /// The answer to a call for which ``LocalCall/changesConversations`` is true. Its rows are the changed
    /// conversations. The app receives these rows in an event, and the completed call without them.
    package static func changed(_ ids: [ConversationID]) -> LocalAnswer {
        LocalAnswer(.ok, ids.map { AnswerRow([("conversationID", $0.id), ("conversationType", $0.kind.name)]) })
    }
}

/// The sort key of the last entry of a page. The next page starts after this key. So it neither repeats nor misses
/// entries, even if that last entry was removed or moved meanwhile.
package struct Position: Hashable, Comparable, Sendable, Codable {
    /// The parts of the key, the most significant first.
    package var parts: [Int64]

    package init(_ parts: [Int64]) { self.parts = parts }

    /// Parses the numbers separated by points that ``text`` writes; nil if the text has another form.
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
