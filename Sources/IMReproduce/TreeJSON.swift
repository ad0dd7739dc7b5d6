import IMTree

/// Parses a value of Wilddog's tree in a callback: a number, a boolean, a text, null, or an object of such values.
struct TreeJSON {
    private var bytes: Substring.UTF8View
    private static let depthMax = 32

    /// The node for a value; nil if the text is not a value.
    static func node(_ text: String) -> TreeNode? {
        var reader = TreeJSON(bytes: text[...].utf8)
        guard let node = reader.value(0) else { return nil }
        reader.skipSpace()
        return reader.bytes.isEmpty ? node : nil
    }

    /// The children of an object, each with its key and the text of its value. Empty for any other value.
    static func children(_ text: String) -> [(key: String, value: String)] {
        var reader = TreeJSON(bytes: text[...].utf8)
        guard reader.take("{") else { return [] }
        var found: [(key: String, value: String)] = []
        repeat {
            reader.skipSpace()
            guard let key = reader.string(), reader.take(":") else { break }
            reader.skipSpace()
            let before = reader.bytes
            guard reader.value(1) != nil else { break }
            found.append((key, String(Substring(before[..<reader.bytes.startIndex]))))
        } while reader.take(",")
        return found
    }

    private mutating func skipSpace() {
        while let byte = bytes.first, byte == 32 || byte == 10 || byte == 9 { bytes.removeFirst() }
    }

    private mutating func take(_ word: String) -> Bool {
        skipSpace()
        guard bytes.starts(with: word.utf8) else { return false }
        bytes = bytes.dropFirst(word.utf8.count)
        return true
    }

    private mutating func value(_ depth: Int) -> TreeNode? {
        guard depth < Self.depthMax else { return nil }
        if take("null") { return .empty }
        if take("true") { return TreeNode(.bool(true)) }
        if take("false") { return TreeNode(.bool(false)) }
        if take("{") {
            var children: [(key: TreeKey, value: TreeNode)] = []
            if take("}") { return .empty }
            repeat {
                skipSpace()
                guard let key = string(), take(":"), let node = value(depth + 1) else { return nil }
                if !node.isEmpty { children.append((TreeKey(key), node)) }
            } while take(",")
            guard take("}") else { return nil }
            return TreeNode(SortedMap(ascending: children.sorted { $0.key < $1.key }))
        }
        if bytes.first == UInt8(ascii: "\"") { return string().map { TreeNode(.text($0)) } }
        let number = bytes.prefix { ($0 >= 48 && $0 <= 57) || "+-.eE".utf8.contains($0) }
        bytes = bytes.dropFirst(number.count)
        return Double(Substring(number)).map { TreeNode(.number($0)) }
    }

    private mutating func string() -> String? {
        guard bytes.popFirst() == UInt8(ascii: "\"") else { return nil }
        var text: [UInt8] = []
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: text, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = bytes.popFirst() else { return nil }
                text.append(escaped == UInt8(ascii: "n") ? 10 : escaped)
            } else {
                text.append(byte)
            }
        }
        return nil
    }
}
