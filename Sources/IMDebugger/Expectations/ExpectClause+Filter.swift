import IMText

// `expect event FILTER`: a clause whose condition is written in the language of filters.

extension ExpectClause.Pattern {
    var isFilter: Bool {
        switch self {
        case .event: true
        case .state, .callback, .frame, .result, .output: false
        }
    }
}

extension ExpectClause.Pattern {
    var isOutput: Bool { if case .output = self { true } else { false } }
}

extension ExpectClause {
    static let filterExample = "expect event kind == transition and to == kicked"

    /// The filter after `expect event`.
    package var filter: Filter? {
        switch pattern {
        case .event(let filter): filter
        case .state, .callback, .frame, .result, .output: nil
        }
    }

    /// The index of the word that ends a filter, or the number of words. A filter may contain the word 'for': after an
    /// operator, and within a set, it is a value.
    package static func endOfFilter(_ words: [String], from start: Int) -> Int {
        let signs = FilterLexer.operators + ["{", ","]
        return words.indices.dropFirst(start).first { index in
            guard Suffix(rawValue: words[index]) != nil else { return false }
            return index == start || !signs.contains(where: words[index - 1].hasSuffix)
        } ?? words.count
    }

    /// The wrong word, and the wrong part of it.
    ///
    /// - Parameter range: the words that the filter was joined from, with one blank between them.
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
    /// A filter on one event alone.
    ///
    /// - Throws: ``FilterError`` also for a field that only a whole recording has.
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
    /// True if only a finished recording has it.
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
    /// The offset of the first bare word of this text.
    fileprivate static func offset(ofWord word: String, in source: String) throws(FilterError) -> Int? {
        var lexer = FilterLexer(source)
        while true {
            let token = try lexer.nextValue()
            if token.kind == .end { return nil }
            if token.isWord(word) || token.kind == .word && token.text.hasPrefix(word) { return token.offset }
        }
    }
}
