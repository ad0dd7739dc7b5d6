import GRDB
import IMLocalData
import IMProtocol
import SansIO

// Finding messages in their order by words. The index says which messages may have the words, in the order of their
// numbers; what it finds is looked at before it counts, so that the answer is that of a look at every message.

extension UserDataTransaction {
    /// So many messages are looked at before the index is asked anything.
    private static let glanceMax = 2000
    /// As long as the index finds no more, all of it is read and put in order.
    static let hitsMax = 1000
    /// Words of which the index finds more: so many messages are looked at one after the other, which fills the page when
    /// they are in many of them.
    private static let walkMax = 4000

    /// Messages in the order of their places that a request asks for.
    struct Range {
        /// Only of that conversation.
        var conversation: UInt32?
        /// Behind that place.
        var after: Position?
        var oldestFirst: Bool
        /// No more are wanted.
        var most: Int

        /// Whether one comes before the other on the page.
        func isBefore(_ one: LocalMessage, _ other: LocalMessage) -> Bool {
            oldestFirst ? one.position < other.position : other.position < one.position
        }
    }

    func messages(_ range: Range) throws -> [LocalMessage] {
        var found: [LocalMessage] = []
        let cursor = try cursor(range)
        while found.count < range.most, let row = try cursor.next() { found.append(try message(row)) }
        return found
    }

    func messages(_ range: Range, where filter: MessageFilter, query: String?) throws -> [LocalMessage] {
        guard let query else { return try walk(range, filter, upTo: .max).found }
        var found: [LocalMessage] = []
        var rest = range
        /// Whether the page is full, or the end was reached.
        func isFilled(byLookingAt walkMax: Int) throws -> Bool {
            let walked = try walk(rest, filter, upTo: walkMax)
            found += walked.found
            rest.after = walked.last
            rest.most = range.most - found.count
            return walked.last == nil || rest.most == 0
        }
        if try isFilled(byLookingAt: Self.glanceMax) { return found }
        let some = try hits(query, most: Self.hitsMax + 1)
        if some.count <= Self.hitsMax { return try found + read(some, rest, filter) }
        // The messages of one conversation have an order of their own, and are looked at in it to the end.
        if try isFilled(byLookingAt: range.conversation == nil ? Self.walkMax : .max) { return found }
        return try found + readByBlocks(try hits(query, most: .max), rest, filter)
    }

    /// The numbers of messages that the index finds, smallest first.
    func hits(_ query: String, most: Int) throws -> [Int64] {
        try flush()
        try indexMessages()
        return try Int64.fetchAll(
            try database.cachedStatement(sql: "SELECT rowid FROM gram WHERE gram MATCH ? LIMIT ?"),
            arguments: [query, most])
    }

    /// Looks at messages in their order.
    ///
    /// - Returns: what was found, and where it stopped; no place when nothing more was there, or enough was found.
    private func walk(
        _ range: Range, _ filter: MessageFilter, upTo walkMax: Int
    ) throws -> (found: [LocalMessage], last: Position?) {
        var found: [LocalMessage] = []
        var walked = 0
        let cursor = try cursor(range)
        while found.count < range.most, let row = try cursor.next() {
            walked += 1
            // The words are read before the rest of the message is.
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

    /// Reads messages by their numbers, and puts those that are looked for in order.
    func read(_ hits: some Sequence<Int64>, _ range: Range, _ filter: MessageFilter) throws -> [LocalMessage] {
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

    /// The same of many, by blocks in the order of their times, until no other can hold one that comes before.
    private func readByBlocks(_ hits: [Int64], _ range: Range, _ filter: MessageFilter) throws -> [LocalMessage] {
        let (first, last) = range.oldestFirst ? ("oldest", "newest") : ("newest", "oldest")
        let cursor = try cursor(
            "SELECT block, \(first), \(last) FROM message_block ORDER BY \(first) \(range.oldestFirst ? "ASC" : "DESC")"
        )
        var found: [LocalMessage] = []
        while let row = try cursor.next() {
            let (block, first, last): (Int64, Int64, Int64) = (row[0], row[1], row[2])
            // Nothing of it lies behind the place where the page begins.
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

    private func conditions(_ range: Range) -> ([String], StatementArguments) {
        var conditions: [String] = []
        var arguments: StatementArguments = []
        if let conversation = range.conversation {
            conditions.append("conversation = ?")
            arguments += [conversation]
        }
        if let after = range.after {
            conditions.append("(timestamp, sequence, localID) \(range.oldestFirst ? ">" : "<") (?, ?, ?)")
            arguments += Bound(after, isEnd: !range.oldestFirst).arguments
        }
        return (conditions, arguments)
    }

    private func cursor(_ range: Range) throws -> RowCursor {
        let (conditions, arguments) = conditions(range)
        let order = range.oldestFirst ? "ASC" : "DESC"
        return try cursor(
            """
            SELECT * FROM message \(conditions.isEmpty ? "" : "WHERE " + conditions.joined(separator: " AND "))
            ORDER BY timestamp \(order), sequence \(order), localID \(order)
            """, arguments)
    }
}
