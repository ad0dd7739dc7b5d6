import OrderedCollections

/// Named things in the order in which they came, each with a number that no other one gets: a page goes on behind a
/// number, so that what comes and goes meanwhile neither repeats nor hides what was there all the time (ZIM-9, rule 6).
struct LocalTable<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    private struct Entry: Hashable, Sendable, Codable {
        var serial: UInt32
        var value: Value
    }

    private var entries: OrderedDictionary<String, Entry> = [:]
    private var lastSerial: UInt32 = 0

    init() {}

    var count: Int { entries.count }
    var values: [Value] { entries.values.map(\.value) }
    var names: [String] { Array(entries.keys) }

    subscript(name: String) -> Value? { entries[name]?.value }

    /// Puts a thing in, or in the place of the one of that name.
    mutating func set(_ name: String, _ value: Value) {
        if entries[name] != nil {
            entries[name]?.value = value
        } else {
            lastSerial += 1
            entries[name] = Entry(serial: lastSerial, value: value)
        }
    }

    mutating func change(_ name: String, _ body: (inout Value) -> Void) {
        guard var entry = entries[name] else { return }
        body(&entry.value)
        entries[name] = entry
    }

    mutating func remove(_ name: String) { entries.removeValue(forKey: name) }

    /// A page of those that satisfy the condition.
    ///
    /// - Parameter flag: as the page before said it; 0 for the first.
    /// - Returns: the things, and the flag of the next page; 0 at the end.
    func page(
        after flag: UInt32, count: Int, newestFirst: Bool = false, where condition: (Value) -> Bool = { _ in true }
    ) -> (values: [Value], next: UInt32) {
        var values: [Value] = []
        var last: UInt32 = 0
        func take(_ entry: Entry) -> Bool {
            guard flag == 0 || (newestFirst ? entry.serial < flag : entry.serial > flag) else { return true }
            guard condition(entry.value) else { return true }
            guard values.count < count else { return false }
            values.append(entry.value)
            last = entry.serial
            return true
        }
        let all = newestFirst ? Array(entries.values.reversed()) : Array(entries.values)
        for entry in all where !take(entry) { return (values, last) }
        return (values, 0)
    }
}
