import GRDB
import IMLocalData
import IMProtocol
import SansIO

// Searches messages for words, in the order of their times. The index returns candidates in the order of their numbers.
// Each candidate is checked, so that the result equals that of a check of every message.

extension UserDataTransaction {
    /// The number of messages that are checked one after the other before the index is used.
    private static let firstWalkMax = 2000
    /// If the index returns at most this many candidates, all of them are read and sorted.
    static let hitsMax = 1000
    /// If the index returns more candidates, this many messages are checked one after the other. That fills the page if
    /// many messages match.
    private static let walkMax = 4000

    /// If the index returns at most this many candidates, those of all conversations are read together.
    private static let groupedHitsMax = 10_000

    func messages(_ range: MessageRange, where filter: MessageFilter?) throws -> [LocalMessage] {
        guard let filter else {
            var found: [LocalMessage] = []
            let cursor = try cursor(range)
            while found.count < range.most, let row = try cursor.next() { found.append(try message(row)) }
            return found
        }
        // Without a limit for the results, all messages of the range are checked in any case.
        let query = range.most == .max ? nil : Bigrams.query(for: filter.words)
        return try messages(range, where: filter, query: query)
    }

    func matchesByConversation(_ filter: MessageFilter) throws -> [ConversationID: [LocalMessage]]? {
        guard let query = Bigrams.query(for: filter.words),
            try hits(query, most: Self.groupedHitsMax + 1).count <= Self.groupedHitsMax
        else { return nil }
        let hits = try read(try hits(query, most: Self.groupedHitsMax), .all, filter)
        return Dictionary(grouping: hits, by: \.conversation)
    }

    private func messages(
        _ range: MessageRange, where filter: MessageFilter, query: String?
    ) throws -> [LocalMessage] {
        guard let query else { return try walk(range, filter, upTo: .max).found }
        var found: [LocalMessage] = []
        var rest = range
        /// Checks the next messages; true if the page is full, or if no message is left.
        func isFilled(checking walkMax: Int) throws -> Bool {
            let walked = try walk(rest, filter, upTo: walkMax)
            found += walked.found
            rest.after = walked.last
            rest.most = range.most - found.count
            return walked.last == nil || rest.most == 0
        }
        if try isFilled(checking: Self.firstWalkMax) { return found }
        let some = try hits(query, most: Self.hitsMax + 1)
        if some.count <= Self.hitsMax { return try found + read(some, rest, filter) }
        // The messages of one conversation have an index by time, so all of them are compared with the filter. Without a
        // conversation, only some are compared.
        if try isFilled(checking: range.conversation == nil ? Self.walkMax : .max) { return found }
        return try found + readByBlocks(try hits(query, most: .max), rest, filter)
    }

    /// The numbers of the messages that the index returns, smallest first.
    private func hits(_ query: String, most: Int) throws -> [Int64] {
        try flush()
        try indexMessages()
        return try Int64.fetchAll(
            try database.cachedStatement(sql: "SELECT rowid FROM gram WHERE gram MATCH ? LIMIT ?"),
            arguments: [query, most])
    }

    /// Checks messages in their order.
    ///
    /// - Returns: the matches, and the position where the check stopped; nil if no message was left, or if the page is
    ///   full.
    private func walk(
        _ range: MessageRange, _ filter: MessageFilter, upTo walkMax: Int
    ) throws -> (found: [LocalMessage], last: Position?) {
        var found: [LocalMessage] = []
        var walked = 0
        let cursor = try cursor(range)
        while found.count < range.most, let row = try cursor.next() {
            walked += 1
            // The keywords are compared before the rest of the message is read.
            if filter.hasKeywords(row["text"], row["fileName"]) {
                let message = try message(row)
                if filter.matches(message) { found.append(message) }
            }
            if walked == walkMax {
                return (found, Position([row["timestamp"], row["sequence"], row["localID"]]))
            }
        }
        return (found, nil)
    }

    /// Reads messages by their numbers, and returns those that match, sorted by time.
    private func read(_ hits: some Sequence<Int64>, _ range: MessageRange, _ filter: MessageFilter) throws
        -> [LocalMessage]
    {
        let (condition, arguments) = conditions(range)
        let sql = "SELECT * FROM message WHERE " + (["localID = ?"] + condition).joined(separator: " AND ")
        var found: [LocalMessage] = []
        for hit in hits {
            guard let row = try row(sql, [hit] + arguments) else { continue }
            let message = try message(row)
            if filter.matches(message) { found.append(message) }
        }
        found.sort(by: range.isBefore)
        return Array(found.prefix(range.most))
    }

    /// Reads many messages block by block, in the order of the blocks' times. Stops if no other block can contain a
    /// match that belongs on the page.
    private func readByBlocks(_ hits: [Int64], _ range: MessageRange, _ filter: MessageFilter) throws -> [LocalMessage]
    {
        let (first, last) = range.oldestFirst ? ("oldest", "newest") : ("newest", "oldest")
        let cursor = try cursor(
            "SELECT block, \(first), \(last) FROM message_block ORDER BY \(first) \(range.oldestFirst ? "ASC" : "DESC")"
        )
        var found: [LocalMessage] = []
        while let row = try cursor.next() {
            let (block, first, last): (Int64, Int64, Int64) = (row[0], row[1], row[2])
            // All messages of this block precede the page.
            if let after = range.after?.parts.first, range.oldestFirst ? last < after : last > after { continue }
            if found.count >= range.most, let end = found.last?.timestamp,
                range.oldestFirst ? end < first : end > first
            {
                break
            }
            let start = hits.partitioningIndex { $0 >= block * Self.blockSize }
            let inside = hits[start...].prefix { $0 / Self.blockSize == block }
            found += try read(inside, range, filter)
            found.sort(by: range.isBefore)
            found.removeLast(max(0, found.count - range.most))
        }
        return found
    }

    private func conditions(_ range: MessageRange) -> ([String], StatementArguments) {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let conversation = range.conversation {
            conditions.append("conversation = ?")
            arguments += [conversation.serial]
        }
        if let after = range.after {
            conditions.append("(timestamp, sequence, localID) \(range.oldestFirst ? ">" : "<") (?, ?, ?)")
            arguments += PositionKey(after, isEnd: !range.oldestFirst).arguments
        }
        return (conditions, arguments)
    }

    private func cursor(_ range: MessageRange) throws -> RowCursor {
        let (conditions, arguments) = conditions(range)
        let order = range.oldestFirst ? "ASC" : "DESC"
        return try cursor(
            """
            SELECT * FROM message \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY timestamp \(order), sequence \(order), localID \(order)
            """, arguments)
    }
}
