/// Finding earlier commands, in a list that is oldest first and counted from its newest (0).
enum HistorySearch {
    /// The place of the next command that holds `query`, from `start` on; `step` 1 goes to older ones, -1 to newer.
    static func find(_ query: String, in commands: [String], from start: Int, step: Int) -> Int? {
        guard !query.isEmpty, step != 0 else { return nil }
        var place = start
        while place >= 0, place < commands.count {
            if commands[commands.count - 1 - place].contains(query) { return place }
            place += step > 0 ? 1 : -1
        }
        return nil
    }

    /// What the newest command that begins with `line` goes on with: a hint.
    static func continuation(of line: String, in commands: [String]) -> String? {
        guard !line.isEmpty, let found = commands.last(where: { $0.count > line.count && $0.hasPrefix(line) }) else {
            return nil
        }
        return String(found.dropFirst(line.count))
    }
}
