/// Values by name; finding, adding and removing one takes a time that does not depend on their number. The table has no
/// order: nothing iterates over it, and its encoded form is sorted.
struct NameTable<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
    private var things: [String: Value] = [:]

    var count: Int { things.count }

    subscript(name: String) -> Value? {
        get { things[name] }
        _modify { yield &things[name] }
    }

    /// The names, sorted.
    var names: [String] { things.keys.sorted() }
}

extension NameTable: Codable {
    private struct Entry: Codable {
        var name: String
        var value: Value
    }

    init(from decoder: any Decoder) throws {
        for entry in try [Entry](from: decoder) { things[entry.name] = entry.value }
    }

    func encode(to encoder: any Encoder) throws {
        try things.sorted { $0.key < $1.key }.map { Entry(name: $0.key, value: $0.value) }.encode(to: encoder)
    }
}
