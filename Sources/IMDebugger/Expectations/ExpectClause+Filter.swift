import IMText

// Clauses of the form `expect event FILTER`.

extension ExpectClause.Pattern {
    var isFilter: Bool { if case .event = self { true } else { false } }
    var isOutput: Bool { if case .output = self { true } else { false } }
}

extension ExpectClause {
    static let filterExample = "expect event kind == transition and to == kicked"

    /// The filter after `expect event`; nil for another clause.
    package var filter: Filter? { if case .event(let filter) = pattern { filter } else { nil } }

    /// The index of the first word after a filter: a suffix such as `within` or `for`, or the number of words if there
    /// is no suffix. After an operator and within a set, such a word is a value that belongs to the filter.
    package static func endOfFilter(_ words: [String], from start: Int) -> Int {
        let signs = FilterLexer.operators + ["{", ","]
        return words.indices.dropFirst(start).first { index in
            guard Suffix(rawValue: words[index]) != nil else { return false }
            return index == start || !signs.contains(where: words[index - 1].hasSuffix)
        } ?? words.count
    }

    /// Converts the position of a filter's error to a word and a part of this word.
    ///
    /// - Parameter range: the indices of the words whose text, joined with one blank between them, is the filter.
    package static func wordError(for error: FilterError, in words: [String], _ range: Range<Int>) -> WordError {
        var start = 0
        var index = range.lowerBound
        while index + 1 < range.upperBound, start + words[index].count < error.offset {
            start += words[index].count + 1
            index += 1
        }
        let offset = max(0, error.offset - start)
        return WordError(
            index, error.message, hint: error.hint, part: offset..<offset + max(1, error.length))
    }
}

extension Filter {
    /// A filter that is applied to single events, without knowledge of the whole recording.
    ///
    /// - Throws: ``FilterError`` for an invalid filter, and for a field that only a whole recording has, such as
    ///   `kicks`.
    package init(ofOneEvent source: String) throws(FilterError) {
        try self.init(parsing: source)
        guard let field = condition.names.first(where: \.isOfWholeRecording) else { return }
        let offset = try FilterLexer.offset(ofWord: field.text, in: source) ?? 0
        var error = FilterError(
            "'\(field.text)' is a field of recordings, not of events", at: offset, length: field.text.count,
            hint: "use it in 'show --filter' and 'sessions search'")
        error.source = source
        throw error
    }
}

extension FilterName {
    /// True if only a whole recording has the field.
    fileprivate var isOfWholeRecording: Bool {
        switch self {
        case .session(.title), .session(.kicks), .session(.finalState), .session(.closed): true
        case .session(.profile), .number, .time, .node, .kind, .direction, .role, .channel, .connection, .cause,
            .inState, .any, .fact, .callbackField:
            false
        }
    }
}

extension FilterLexer {
    /// The offset of the first word outside quotes that begins with a text; nil if there is none.
    fileprivate static func offset(ofWord word: String, in source: String) throws(FilterError) -> Int? {
        var lexer = FilterLexer(source)
        while true {
            let token = try lexer.nextValue()
            if token.kind == .end { return nil }
            if token.isWord(word) || token.kind == .word && token.text.hasPrefix(word) { return token.offset }
        }
    }
}
