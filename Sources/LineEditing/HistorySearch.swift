/// Searches earlier commands, in a list that is oldest first and numbered from its newest (0).
enum HistorySearch {
    /// The number of the next command that contains `query`, from `start` on; nil if there is none. `step` 1 goes to
    /// older ones, -1 to newer ones.
    static func find(_ query: String, in commands: [String], from start: Int, step: Int) -> Int? {
        guard !query.isEmpty, step != 0 else { return nil }
        var index = start
        while index >= 0, index < commands.count {
            if commands[commands.count - 1 - index].contains(query) { return index }
            index += step > 0 ? 1 : -1
        }
        return nil
    }

    /// The rest of the newest command that begins with `line`, as a hint; nil if there is none.
    static func continuation(of line: String, in commands: [String]) -> String? {
        guard !line.isEmpty, let found = commands.last(where: { $0.count > line.count && $0.hasPrefix(line) }) else {
            return nil
        }
        return String(found.dropFirst(line.count))
    }
}
