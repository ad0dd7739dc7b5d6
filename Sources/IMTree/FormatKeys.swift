// The names of command parts in a session file; see `FormatKeys.swift` of IMClient.

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
