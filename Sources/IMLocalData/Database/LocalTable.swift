import OrderedCollections

/// The entries of a table in order of insertion, each with a unique serial number. A page continues after a serial
/// number, so that insertions and removals meanwhile neither repeat nor hide other entries (ZIM-9, rule 6).
struct LocalTable: Hashable, Sendable, Codable {
    private var entries: OrderedDictionary<String, EntryTable.Entry> = [:]
    private var lastSerial: UInt32 = 0

    var count: Int { entries.count }

    subscript(name: String) -> LocalChange? { entries[name]?.change }

    /// Inserts an entry, or replaces the one of that name.
    ///
    /// - Parameter serial: a number from the server, which determines the order; the number of another entry is not
    ///   used again. Nil to continue.
    mutating func set(_ name: String, _ change: LocalChange, serial: UInt32?) {
        if let serial, entries[name]?.serial != serial, !entries.values.contains(where: { $0.serial == serial }) {
            entries[name] = EntryTable.Entry(serial: serial, change: change)
            lastSerial = max(lastSerial, serial)
            entries.sort { $0.value.serial < $1.value.serial }
        } else if entries[name] != nil {
            entries[name]?.change = change
        } else {
            lastSerial += 1
            entries[name] = EntryTable.Entry(serial: lastSerial, change: change)
        }
    }

    mutating func remove(_ name: String) { entries.removeValue(forKey: name) }

    /// The entries after a number; see ``UserRecords/entries(_:after:newestFirst:most:)``.
    func entries(after flag: UInt32, newestFirst: Bool, most: Int) -> [EntryTable.Entry] {
        guard newestFirst else { return Array(entries.values.lazy.filter { $0.serial > flag }.prefix(most)) }
        return Array(entries.values.reversed().lazy.filter { flag == 0 || $0.serial < flag }.prefix(most))
    }
}
