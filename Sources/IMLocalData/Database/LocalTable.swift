import OrderedCollections

/// Named values in order of insertion, each with a unique serial number. A page continues after a serial number, so
/// that insertions and removals meanwhile neither repeat nor hide other values (ZIM-9, rule 6).
struct LocalTable<Value: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
    struct Entry: Hashable, Sendable, Codable {
        var serial: UInt32
        var value: Value
    }

    private var entries: OrderedDictionary<String, Entry> = [:]
    private var lastSerial: UInt32 = 0

    init() {}

    var count: Int { entries.count }
    var values: [Value] { entries.values.map(\.value) }

    subscript(name: String) -> Value? { entries[name]?.value }

    /// Inserts a value, or replaces the one of that name.
    mutating func set(_ name: String, _ value: Value) {
        if entries[name] != nil {
            entries[name]?.value = value
        } else {
            lastSerial += 1
            entries[name] = Entry(serial: lastSerial, value: value)
        }
    }

    /// The same with a serial number from the server, which determines the order. The number of another value is not
    /// used again.
    mutating func set(_ name: String, _ value: Value, serial: UInt32?) {
        guard let serial, entries[name]?.serial != serial, !entries.values.contains(where: { $0.serial == serial })
        else { return set(name, value) }
        entries[name] = Entry(serial: serial, value: value)
        lastSerial = max(lastSerial, serial)
        entries.sort { $0.value.serial < $1.value.serial }
    }

    mutating func remove(_ name: String) { entries.removeValue(forKey: name) }

    /// The entries after the end of a page.
    ///
    /// - Parameter flag: the number of the last one on that page; 0 for all.
    func entries(following flag: UInt32, newestFirst: Bool) -> [Entry] {
        let following = entries.values.filter { flag == 0 || (newestFirst ? $0.serial < flag : $0.serial > flag) }
        return newestFirst ? following.reversed() : following
    }
}
