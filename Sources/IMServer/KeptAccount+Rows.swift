import IMProtocol
import OrderedCollections
import SansIO

// The growing parts of an account. A store keeps each of their entries in a row of its own, so that the cost of a
// message does not depend on the number of messages.

/// A waiting message or a change of an account, as it outlives the server's process.
public struct KeptRow: Hashable, Sendable {
    /// The list that it belongs to, within its account.
    public let list: String
    /// Its number; the entries of a list are in the order of their numbers.
    public let number: UInt64
    /// The entry; nil if it was removed.
    public let entry: KeptEntry?

    /// An entry, or its removal.
    public init(list: String, number: UInt64, entry: KeptEntry?) {
        (self.list, self.number, self.entry) = (list, number, entry)
    }
}

/// The content of a row: one of the two.
public struct KeptEntry: Hashable, Sendable, Codable {
    var message: ChatMessage?
    var change: ChangeRecord?
}

/// The rows of an account cannot be read.
struct UnreadableRow: Error {}

extension KeptAccount {
    private static let changesList = "changes"
    private static let inboxPrefix = "inbox/"

    /// The account without the entries that ``rows(since:)`` returns.
    public var withoutRows: KeptAccount {
        var account = account
        if Self.isNumbered(account.feed.changes) { account.feed.setChanges([]) }
        for (id, device) in account.devices where Self.isNumbered(device.inbox.messages) {
            account.devices[id]?.inbox = Inbox()
        }
        return KeptAccount(account, groupPlaces: groupPlaces ?? [:])
    }

    /// The rows that are new, and those that were removed.
    ///
    /// - Parameter stored: the account as stored; nil if none of it is stored.
    public func rows(since stored: StoredAccount?) -> [KeptRow] {
        var old = stored?.numbers ?? [:]
        var rows = Self.rows(
            Self.changesList, account.feed.changes, since: old.removeValue(forKey: Self.changesList) ?? [])
        for (id, device) in account.devices {
            let list = Self.inboxPrefix + id
            rows += Self.rows(list, device.inbox.messages, since: old.removeValue(forKey: list) ?? [])
        }
        for (list, numbers) in old {
            rows += numbers.map { KeptRow(list: list, number: $0, entry: nil) }
        }
        return rows
    }

    /// The account with its rows, which come in the order of their numbers.
    ///
    /// - Throws: if a row cannot be read, or belongs to no list of the account.
    public func with(_ rows: [KeptRow]) throws -> KeptAccount {
        guard !rows.isEmpty else { return self }
        var account = account
        var changes = account.feed.changes
        for row in rows {
            if row.list == Self.changesList, let change = row.entry?.change {
                changes.append(change)
            } else {
                let id = String(row.list.dropFirst(Self.inboxPrefix.count))
                guard row.list.hasPrefix(Self.inboxPrefix), account.devices[id] != nil,
                    let message = row.entry?.message
                else { throw UnreadableRow() }
                account.devices[id]?.inbox.append(message)
            }
        }
        account.feed.setChanges(changes)
        return KeptAccount(account, groupPlaces: groupPlaces ?? [:])
    }

    private static func isNumbered(_ entries: [some Numbered]) -> Bool { entries.first?.number != 0 }

    // Numbers only increase, and most entries are removed from the front. So it is enough to compare both ends, unless
    // one of the entries between them was removed.
    private static func rows<Entry: Numbered>(
        _ list: String, _ entries: [Entry], since old: [UInt64]
    ) -> [KeptRow] {
        func isFirst(_ kept: ArraySlice<UInt64>) -> Bool {
            kept.count <= entries.count && (kept.isEmpty || kept.last == entries[kept.count - 1].number)
        }
        let entries = isNumbered(entries) ? entries : []
        let firstKept = entries.first.map { first in old.partitioningIndex { $0 >= first.number } } ?? old.count
        var removed = Array(old[..<firstKept])
        var kept = old[firstKept...]
        if !isFirst(kept) {
            let numbers = Set(entries.map(\.number))
            removed += kept.filter { !numbers.contains($0) }
            kept = ArraySlice(kept.filter { numbers.contains($0) })
        }
        return entries[kept.count...].map { KeptRow(list: list, number: $0.number, entry: $0.kept) }
            + removed.map { KeptRow(list: list, number: $0, entry: nil) }
    }
}

/// The stored part of an account, for finding later changes. It has the numbers of the rows and not their
/// entries: if it shared the account's lists, each new message would copy them.
public struct StoredAccount: Sendable {
    /// The account without the entries that have rows of their own.
    public private(set) var account: KeptAccount
    /// The numbers of the stored entries of each list, in increasing order.
    fileprivate private(set) var numbers: OrderedDictionary<String, [UInt64]> = [:]

    /// An account that is about to be stored, or that was stored with these rows, which come in the order of their
    /// numbers.
    public init(_ account: KeptAccount, rows: [KeptRow]) {
        self.account = account
        note(rows)
    }

    /// Records that the account and these changes of its rows were stored.
    public mutating func note(_ account: KeptAccount, rows: [KeptRow]) {
        self.account = account
        note(rows)
    }

    private mutating func note(_ rows: [KeptRow]) {
        for row in rows {
            if row.entry != nil {
                numbers[row.list, default: []].append(row.number)
            } else if let index = numbers[row.list]?.firstIndex(of: row.number) {
                numbers[row.list]?.remove(at: index)
            }
        }
    }
}

/// An entry of a list with increasing numbers; 0 if an older version gave none.
private protocol Numbered {
    var number: UInt64 { get }
    var kept: KeptEntry { get }
}

extension ChangeRecord: Numbered {
    fileprivate var kept: KeptEntry { KeptEntry(change: self) }
}

extension ChatMessage: Numbered {
    fileprivate var kept: KeptEntry { KeptEntry(message: self) }
}
