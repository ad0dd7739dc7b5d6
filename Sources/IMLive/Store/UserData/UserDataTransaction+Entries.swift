import Foundation
import GRDB
import IMLocalData
import IMProtocol

// Users, friends, groups, members, applications and calls: entries with a name and a unique number, in the order of
// their arrival.

extension EntryTable {
    /// The number of the table in the database.
    fileprivate var number: Int {
        switch self {
        case .user: 1
        case .friend: 2
        case .friendApplication: 3
        case .blacklist: 4
        case .group: 5
        case .member: 6
        case .groupApplication: 7
        case .call: 8
        }
    }

    /// The group whose members a table contains; empty for the other tables.
    fileprivate var scope: String { if case .member(let group) = self { group } else { "" } }
}

extension UserDataTransaction {
    func set(_ table: EntryTable, _ name: String, _ change: LocalChange, serial: UInt32?) throws {
        let record = Frame(.change(change.record())).bytes()
        let (kind, scope) = (table.number, table.scope)
        if let serial,
            try row("SELECT 1 FROM entry WHERE kind = ? AND scope = ? AND serial = ?", [kind, scope, serial]) == nil
        {
            try remove(table, name)
            try run(
                "INSERT INTO counter VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET last = max(last, excluded.last)",
                [kind, scope, serial])
            return try run(
                "INSERT INTO entry (kind, scope, serial, name, record) VALUES (?, ?, ?, ?, ?)",
                [kind, scope, serial, name, DatabaseBytes(record)])
        }
        try run(
            "UPDATE entry SET record = ? WHERE kind = ? AND scope = ? AND name = ?",
            [DatabaseBytes(record), kind, scope, name])
        guard database.changesCount == 0 else { return }
        try run(
            "INSERT INTO counter VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET last = last + 1", [kind, scope])
        try run(
            """
            INSERT OR FAIL INTO entry (kind, scope, serial, name, record)
            SELECT ?1, ?2, last, ?3, ?4 FROM counter WHERE kind = ?1 AND scope = ?2
            """, [kind, scope, name, DatabaseBytes(record)])
    }

    func remove(_ table: EntryTable, _ name: String) throws {
        try run("DELETE FROM entry WHERE kind = ? AND scope = ? AND name = ?", [table.number, table.scope, name])
    }

    func removeAll(_ table: EntryTable) throws {
        try run("DELETE FROM entry WHERE kind = ? AND scope = ?", [table.number, table.scope])
        try run("DELETE FROM counter WHERE kind = ? AND scope = ?", [table.number, table.scope])
    }

    func entry(_ table: EntryTable, _ name: String) throws -> LocalChange? {
        let row = try row(
            "SELECT record FROM entry WHERE kind = ? AND scope = ? AND name = ?", [table.number, table.scope, name])
        return try row.flatMap { try UserDataTransaction.change($0["record"]) }
    }

    func count(_ table: EntryTable) throws -> Int? {
        let key: StatementArguments = [table.number, table.scope]
        // A group whose members were loaded has a counter, even if all members have left.
        guard try row("SELECT last FROM counter WHERE kind = ? AND scope = ?", key) != nil else { return nil }
        return try row("SELECT COUNT(*) FROM entry WHERE kind = ? AND scope = ?", key)?[0]
    }

    func entries(
        _ table: EntryTable, after flag: UInt32, newestFirst: Bool, most: Int
    ) throws -> [EntryTable.Entry] {
        let range = flag == 0 ? "serial > ?" : newestFirst ? "serial < ?" : "serial > ?"
        let cursor = try cursor(
            """
            SELECT serial, record FROM entry WHERE kind = ? AND scope = ? AND \(range)
            ORDER BY serial \(newestFirst ? "DESC" : "ASC")
            """, [table.number, table.scope, flag])
        var found: [EntryTable.Entry] = []
        while found.count < most, let row = try cursor.next() {
            guard let change = try UserDataTransaction.change(row["record"]) else { continue }
            found.append(EntryTable.Entry(serial: row["serial"], change: change))
        }
        return found
    }

    static func change(_ record: DatabaseBytes) throws -> LocalChange? {
        guard case .change(let change)? = (try? Frame(bytes: record.bytes))?.body else { return nil }
        return LocalChange(change)
    }
}

/// Bytes as a value of the database.
struct DatabaseBytes: DatabaseValueConvertible {
    let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var databaseValue: DatabaseValue { bytes.withUnsafeBytes { Data($0) }.databaseValue }

    static func fromDatabaseValue(_ value: DatabaseValue) -> DatabaseBytes? {
        Data.fromDatabaseValue(value).map { DatabaseBytes(Array($0)) }
    }
}
