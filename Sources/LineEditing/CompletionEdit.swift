import IMText

/// The effect of the TAB key on a line: the edit that libedit makes for a ``LineCompletion``.
struct CompletionEdit: Equatable {
    /// The number of Unicode scalars before the cursor that are deleted.
    var deleteCount = 0
    var insert = ""
    /// The candidates that are listed above the line; empty if the line is changed instead.
    var listed: [LineCompletion.Candidate] = []

    /// - Parameters:
    ///   - cursor: the cursor's position in UTF-8 bytes from the start of `line`.
    init(_ completion: LineCompletion, line: String, cursor: Int) {
        let candidates = completion.candidates
        guard let first = candidates.first,
            let typed = line.slice(utf8From: completion.replaceFrom, to: cursor)
        else { return }
        if candidates.count == 1 {
            // A candidate without text only describes the expected argument, so it is listed and not inserted.
            if first.text.isEmpty, first.display != nil {
                listed = candidates
                return
            }
            replace(typed, by: first.text)
            if first.isComplete, !(line.utf8.dropFirst(cursor).first == UInt8(ascii: " ")) {
                insert += " "
            }
            return
        }
        let common = candidates.dropFirst().reduce(first.text.unicodeScalars[...]) { shared, candidate in
            shared.prefixShared(with: candidate.text.unicodeScalars)
        }
        // The common prefix replaces the typed text only if it is longer. Otherwise typed text would be deleted, so the
        // candidates are only listed.
        if common.count > typed.unicodeScalars.count {
            replace(typed, by: String(common))
        }
        if deleteCount == 0 && insert.isEmpty {
            listed = candidates
        }
    }

    private mutating func replace(_ typed: String, by text: String) {
        if text.unicodeScalars.starts(with: typed.unicodeScalars) {
            insert = String(text.unicodeScalars.dropFirst(typed.unicodeScalars.count))
        } else {
            deleteCount = typed.unicodeScalars.count
            insert = text
        }
    }
}

extension String {
    /// The text between two offsets in UTF-8 bytes; nil if they are out of order, out of range, or inside a character.
    fileprivate func slice(utf8From start: Int, to end: Int) -> String? {
        guard start >= 0, start <= end, end <= utf8.count else { return nil }
        let bytes = utf8.dropFirst(start).prefix(end - start)
        return String(bytes)
    }
}

extension Substring.UnicodeScalarView {
    fileprivate func prefixShared(with other: String.UnicodeScalarView) -> Self {
        var end = startIndex
        var index = other.startIndex
        while end < endIndex, index < other.endIndex, self[end] == other[index] {
            end = self.index(after: end)
            index = other.index(after: index)
        }
        return self[startIndex..<end]
    }
}
