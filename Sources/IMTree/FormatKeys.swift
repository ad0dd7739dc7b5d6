// The names of parts of commands and keyframes in a session file. `FormatKeys.swift` of IMClient explains such lists.

extension TreeQuery {
    enum CodingKeys: String, CodingKey { case order, start, end, limit }
}

extension TreeQuery.Bound {
    enum CodingKeys: String, CodingKey { case value, key }
}

extension TreeQuery.Limit {
    enum CodingKeys: String, CodingKey { case count, end }
}

extension TreeQuery.Limit.End {
    enum CodingKeys: String, CodingKey { case first, last }
}

extension TreeOrder {
    enum CodingKeys: String, CodingKey { case priority, key, value, child }
}

extension TreeRule {
    enum CodingKeys: String, CodingKey { case read, write }
}

extension TreeAudience {
    enum CodingKeys: String, CodingKey { case everybody, nobody, users }
    enum UsersCodingKeys: String, CodingKey { case user }
}

extension TreeListen {
    enum CodingKeys: String, CodingKey { case number, path = "place", query }
}

extension TreeWrite {
    enum CodingKeys: String, CodingKey { case id, path = "place", change, isVisible }
}

extension TreeView {
    enum CodingKeys: String, CodingKey, CaseIterable { case path = "place", query, listen, cache, listeners }
}

extension TrackedQuery {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case number, path = "place", query, isComplete, isActive, isCurrent, lastUse, asOf, bytes
    }
}

extension TreeTransaction {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, path = "place", expression, isVisible, listener, state, staleCount, write, input, output
    }
}

extension TreeClient {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case tree, isConnected, unanswered, accepted = "taken", acceptedOnConnection = "takenOverLink", transactions
        case lastWrite, lastTransaction, persistence, synced = "kept"
    }
}

extension TreeListener {
    enum CodingKeys: String, CodingKey, CaseIterable { case id, kinds, lastValue = "told" }
}

extension ListenedWindow {
    enum CodingKeys: String, CodingKey, CaseIterable { case client, listen, query, selection = "given" }
}

extension SyncedQueries {
    enum CodingKeys: String, CodingKey, CaseIterable { case queries = "places", lastNumber }
}

extension SyncedQuery {
    enum CodingKeys: String, CodingKey { case path = "place", query, listener }
}

extension TreeLoad.Waiting {
    enum ListenerCodingKeys: String, CodingKey { case _0, _1, path = "place", kinds }
    enum TransactionCodingKeys: String, CodingKey { case _0, _1, path = "place", isVisible }
    enum RecallCodingKeys: String, CodingKey { case _0, _1, path = "place" }
}
