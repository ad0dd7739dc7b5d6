import IMClient
import IMProtocol

/// Draws the part of the tree that a client has cached, as indented lines with branches.
enum TreeDrawing {
    /// - Parameter rows: the rows of the answer of `sync tree`. A parent comes before its children.
    static func lines(of rows: [AnswerRow]) -> [String] {
        let paths = rows.map { row in (row["path"] ?? "").split(separator: "/").map(String.init) }
        let depth = paths.first?.count ?? 0
        let heads = rows.indices.map { index in
            guard index > 0 else { return rows[index]["path"] ?? "" }
            return branches(to: index, paths, below: depth) + (paths[index].last ?? "")
        }
        let width = min(heads.map(\.count).max() ?? 0, 48)
        return zip(heads, rows).map { head, row in
            let padding = String(repeating: " ", count: max(0, width - head.count) + 2)
            let line = head + padding + details(of: row)
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// The start of a line: a vertical line for each ancestor that has a later sibling, and a branch to the node.
    private static func branches(to index: Int, _ paths: [[String]], below depth: Int) -> String {
        let path = paths[index]
        func hasNext(_ level: Int) -> Bool {
            for other in paths[(index + 1)...] {
                if other.count < level || other.prefix(level - 1) != path.prefix(level - 1) { return false }
                if other.count == level { return true }
            }
            return false
        }
        let above = (depth + 1..<max(path.count, depth + 1)).map { hasNext($0) ? "│  " : "   " }
        return above.joined() + (hasNext(path.count) ? "├─ " : "└─ ")
    }

    private static func details(of row: AnswerRow) -> String {
        var parts: [String] = []
        if let value = row["value"] { parts.append(value) }
        if let priority = row["priority"] { parts.append("priority \(priority)") }
        if row["known"] == "part" { parts.append("partial") }
        if row["pending"] == "yes" { parts.append("pending") }
        if let listens = row["listens"] { parts.append("listen \(listens)") }
        if let count = row["listeners"] { parts.append(count == "1" ? "1 listener" : "\(count) listeners") }
        if let count = row["more"] { parts.append("\(count) more") }
        return parts.joined(separator: "  ")
    }
}
