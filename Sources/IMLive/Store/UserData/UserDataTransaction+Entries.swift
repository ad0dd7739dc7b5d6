import Foundation
import GRDB
import IMLocalData
import IMProtocol

// Users, friends, groups, members, applications and calls: entries with a name and a unique number, in the order of
// their arrival.

extension UserDataTransaction {
    enum Table: Int {
        case user = 1
        case friend, friendApplication, blacklist, group, member, groupApplication, call
    }

    struct Entry {
        var serial: UInt32
        var change: LocalChange
    }

    /// Adds an entry, or replaces the one with that name.
    ///
    /// - Parameter serial: the number that the server assigned; automatic numbers continue after it.
    func set(
        _ table: Table, scope: String = "", _ name: String, _ change: LocalChange, serial: UInt32? = nil
    ) throws {
        let record = Frame(.change(change.record())).bytes()
        let kind = table.rawValue
        if let serial,
            try row("SELECT 1 FROM entry WHERE kind = ? AND scope = ? AND serial = ?", [kind, scope, serial]) == nil
        {
            try remove(table, scope: scope, name)
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

    func remove(_ table: Table, scope: String = "", _ name: String) throws {
        try run("DELETE FROM entry WHERE kind = ? AND scope = ? AND name = ?", [table.rawValue, scope, name])
    }

    /// Removes all entries of a scope, and restarts its numbers.
    func removeAll(_ table: Table, scope: String) throws {
        try run("DELETE FROM entry WHERE kind = ? AND scope = ?", [table.rawValue, scope])
        try run("DELETE FROM counter WHERE kind = ? AND scope = ?", [table.rawValue, scope])
    }

    func entry(_ table: Table, scope: String = "", _ name: String) throws -> LocalChange? {
        let row = try row(
            "SELECT record FROM entry WHERE kind = ? AND scope = ? AND name = ?", [table.rawValue, scope, name])
        return try row.flatMap { try UserDataTransaction.change($0["record"]) }
    }

    func count(_ table: Table, scope: String) throws -> Int? {
        // A group whose members were known has a counter, even if all members have left.
        guard try row("SELECT last FROM counter WHERE kind = ? AND scope = ?", [table.rawValue, scope]) != nil
        else { return nil }
        return try row("SELECT COUNT(*) FROM entry WHERE kind = ? AND scope = ?", [table.rawValue, scope])?[0]
    }

    static func change(_ record: DatabaseBytes) throws -> LocalChange? {
        guard case .change(let change)? = (try? Frame(bytes: record.bytes))?.body else { return nil }
        return LocalChange(change)
    }

    /// All entries of a table, or those after a number, up to a limit.
    func entries(
        _ table: Table, scope: String = "", after flag: UInt32 = 0, newestFirst: Bool = false, most: Int = .max,
        where condition: (LocalChange) throws -> Bool = { _ in true }
    ) throws -> [Entry] {
        let range = flag == 0 ? "serial > ?" : newestFirst ? "serial < ?" : "serial > ?"
        let cursor = try cursor(
            """
            SELECT serial, record FROM entry WHERE kind = ? AND scope = ? AND \(range)
            ORDER BY serial \(newestFirst ? "DESC" : "ASC")
            """, [table.rawValue, scope, flag])
        var found: [Entry] = []
        while found.count < most, let row = try cursor.next() {
            guard let change = try UserDataTransaction.change(row["record"]), try condition(change) else { continue }
            found.append(Entry(serial: row["serial"], change: change))
        }
        return found
    }

    /// A page of a table.
    func page(
        _ table: Table, scope: String = "", _ request: LocalRequest, newestFirst: Bool = false,
        where condition: (LocalChange) throws -> Bool = { _ in true },
        _ row: (LocalChange) throws -> AnswerRows.Fields
    ) throws -> LocalAnswer {
        let count = request.count()
        let entries = try entries(
            table, scope: scope, after: UInt32(request.text("nextFlag")) ?? 0, newestFirst: newestFirst,
            most: count + 1, where: condition)
        let shown = entries.prefix(count)
        let next = shown.count < entries.count ? shown.last.map { String($0.serial) } : nil
        return found(try shown.map { try row($0.change) }, next: next ?? "")
    }

    // MARK: Lookups

    /// The known data of a user; for an unknown user, only the name.
    func known(_ name: String) throws -> LocalUser {
        guard case .user(let user)? = try entry(.user, name) else { return LocalUser(id: name) }
        return user
    }

    func row(_ change: LocalChange) throws -> AnswerRows.Fields {
        switch change {
        case .user(let user): rows.row(user)
        case .friend(let friend): rows.row(friend, try known(friend.user))
        case .friendApplication(let application): rows.row(application)
        case .blacklisted(let user, _): rows.row(try known(user))
        case .group(let group): rows.row(group)
        case .member(_, let member): rows.row(member, try known(member.user))
        case .groupApplication(let application): rows.row(application)
        case .call(let call): rows.row(call)
        default: []
        }
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
