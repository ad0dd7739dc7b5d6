/// A model of the line editor. It applies random edits from a seed to a line, and computes the line's expected display.
struct EditedLine {
    enum Key {
        case text(String)
        case named(String)
    }

    private var characters: [Character] = []
    private var cursor = 0
    private var random: UInt64

    init(seed: UInt64) { random = seed }

    /// Applies one random edit, and returns the keys for it. The line stays within a few rows of the terminal.
    mutating func edit() -> [Key] {
        let wide = Array("登录用户王小明的账号不中在线")
        switch next(characters.count > 110 ? 10 : 16) {
        case 0..<3 where !characters.isEmpty:
            guard cursor > 0 else { return [] }
            cursor -= 1
            characters.remove(at: cursor)
            return [.named("BSpace")]
        case 3:
            cursor = 0
            return [.named("C-a")]
        case 4, 5:
            cursor = characters.count
            return [.named("C-e")]
        case 6..<10:
            let count = min(cursor, 1 + next(12))
            cursor -= count
            return Array(repeating: .named("Left"), count: count)
        default:
            let added = (0..<(1 + next(8))).map { _ in
                next(3) == 0 ? wide[next(wide.count)] : Character(UnicodeScalar(UInt8(97 + next(26))))
            }
            characters.insert(contentsOf: added, at: cursor)
            cursor += added.count
            return added.map { .text(String($0)) }
        }
    }

    /// The expected rows of the terminal, with the prompt, and the expected position of the cursor.
    func drawn(prompt: String, columns: Int) -> (rows: [String], row: Int, column: Int) {
        var rows = [prompt]
        var used = prompt.count
        var (row, column) = (0, 0)
        for (index, character) in characters.enumerated() {
            let width = Self.width(character)
            if used + width > columns { (used, rows) = (0, rows + [""]) }
            if index == cursor { (row, column) = (rows.count - 1, used) }
            rows[rows.count - 1].append(character)
            used += width
            if used >= columns { (used, rows) = (0, rows + [""]) }
        }
        if cursor == characters.count { (row, column) = (rows.count - 1, used) }
        // The captured screen has no blanks at the end of a row and no empty last row.
        if rows.count > 1, rows.last == "" { rows.removeLast() }
        while rows[rows.count - 1].last == " " { rows[rows.count - 1].removeLast() }
        return (rows, row, column)
    }

    private static func width(_ character: Character) -> Int { character.isASCII ? 1 : 2 }

    private mutating func next(_ bound: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((random >> 33) % UInt64(bound))
    }
}
