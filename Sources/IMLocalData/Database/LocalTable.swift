import OrderedCollections

/// The entries of a table in the order of their serial numbers, which are unique. The next page starts after the serial
/// number of the last entry of the previous page. So an insertion or a removal between two pages neither repeats nor
/// hides other entries (ZIM-9, rule 6).
struct LocalTable: Hashable, Sendable, Codable {
    private var entries: OrderedDictionary<String, EntryTable.Entry> = [:]
    private var lastSerial: UInt32 = 0

    var count: Int { entries.count }

    subscript(name: String) -> LocalChange? { entries[name]?.change }

    /// Inserts an entry, or replaces the entry with the same name.
    ///
    /// - Parameter serial: the serial number that the server assigned. It is ignored if another entry already has it.
    ///   Nil: a new entry gets the next free number, and a replaced entry keeps its number.
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

    /// The entries after a serial number; see ``UserRecords/entries(_:after:newestFirst:most:)``.
    func entries(after flag: UInt32, newestFirst: Bool, most: Int) -> [EntryTable.Entry] {
        guard newestFirst else { return Array(entries.values.lazy.filter { $0.serial > flag }.prefix(most)) }
        return Array(entries.values.reversed().lazy.filter { flag == 0 || $0.serial < flag }.prefix(most))
    }
}
