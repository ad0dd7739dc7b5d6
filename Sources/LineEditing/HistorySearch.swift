/// Searches earlier commands. The list has the oldest command first; commands are numbered from the newest, which has
/// the number 0.
enum HistorySearch {
    /// The number of the first command that contains `query`, beginning with number `start`; nil if there is none. With
    /// `step` 1 the search continues with older commands, with -1 with newer ones.
    static func find(_ query: String, in commands: [String], from start: Int, step: Int) -> Int? {
        guard !query.isEmpty, step != 0 else { return nil }
        var index = start
        while index >= 0, index < commands.count {
            if commands[commands.count - 1 - index].contains(query) { return index }
            index += step > 0 ? 1 : -1
        }
        return nil
    }

    /// The part after `line` of the newest command that begins with `line`, for a hint; nil if there is no such
    /// command.
    static func continuation(of line: String, in commands: [String]) -> String? {
        guard !line.isEmpty, let found = commands.last(where: { $0.count > line.count && $0.hasPrefix(line) }) else {
            return nil
        }
        return String(found.dropFirst(line.count))
    }
}
