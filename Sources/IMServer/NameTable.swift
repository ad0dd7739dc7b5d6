/// Values by name. Finding, adding and removing a value takes constant time. The table has no order: no code iterates
/// over it, and its encoded form is sorted by name.
struct NameTable<Value: Hashable & Sendable & Codable>: Hashable, Sendable {
    private var values: [String: Value] = [:]

    var count: Int { values.count }

    subscript(name: String) -> Value? {
        get { values[name] }
        _modify { yield &values[name] }
    }

    /// The names, sorted.
    var names: [String] { values.keys.sorted() }
}

extension NameTable: Codable {
    private struct Entry: Codable {
        var name: String
        var value: Value
    }

    init(from decoder: any Decoder) throws {
        for entry in try [Entry](from: decoder) { values[entry.name] = entry.value }
    }

    func encode(to encoder: any Encoder) throws {
        try values.sorted { $0.key < $1.key }.map { Entry(name: $0.key, value: $0.value) }.encode(to: encoder)
    }
}
