import IMProtocol
import OrderedCollections
import SansIO

// The lists of an account that grow: changes and waiting messages. A store keeps each entry in a row of its own, so
// that the cost of storing a message does not depend on the number of earlier ones.

/// A waiting message or a change of an account, as it is stored on disk.
public struct KeptRow: Hashable, Sendable {
    /// The list that the row belongs to, within its account: `changes`, or `inbox/` and the id of a device.
    public let list: String
    /// The number of the entry. The entries of a list are in the order of their numbers.
    public let number: UInt64
    /// The entry; nil if the row records that the entry was removed.
    public let entry: KeptEntry?

    /// A row with an entry, or with the removal of one.
    public init(list: String, number: UInt64, entry: KeptEntry?) {
        (self.list, self.number, self.entry) = (list, number, entry)
    }
}

/// The content of a row. Exactly one of the two properties is not nil.
public struct KeptEntry: Hashable, Sendable, Codable {
    var message: ChatMessage?
    var change: ChangeRecord?
}

/// Thrown if the stored rows do not belong to their account.
struct UnreadableRow: Error {}

extension KeptAccount {
    private static let changesList = "changes"
    private static let inboxPrefix = "inbox/"

    /// The account without the entries that ``rows(since:)`` returns, because these are stored in rows of their own.
    public var withoutRows: KeptAccount {
        var account = account
        if Self.isNumbered(account.feed.changes) { account.feed.setChanges([]) }
        for (id, device) in account.devices where Self.isNumbered(device.inbox.messages) {
            account.devices[id]?.inbox = Inbox()
        }
        return KeptAccount(account, groupPlaces: groupPlaces ?? [:])
    }

    /// The changes since an account was stored: a row for each new entry, and an empty row for each removed entry.
    ///
    /// - Parameter stored: the stored state of the account; nil if the account is not stored.
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

    /// The account with the entries of its stored rows.
    ///
    /// - Parameter rows: in the order of their numbers.
    /// - Throws: an error if the entry of a row has the wrong type, or if the account does not have the row's list.
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

    // Compares the stored numbers with the entries of a list. New entries have higher numbers, and usually the oldest
    // entries are removed. So only the ends of both lists are compared first. If they do not match, an entry in the
    // middle was removed, and all numbers are compared.
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

/// A description of the stored state of an account, from which the later changes are computed. It contains the numbers
/// of the rows instead of their entries. If it contained the account's lists, each list would have two owners, and
/// Swift would copy the whole list (copy-on-write) when a message is added to it.
public struct StoredAccount: Sendable {
    /// The account without the entries that have rows of their own.
    public private(set) var account: KeptAccount
    /// The numbers of the stored entries of each list, in increasing order.
    fileprivate private(set) var numbers: OrderedDictionary<String, [UInt64]> = [:]

    /// The state of an account that is stored with these rows.
    ///
    /// - Parameter rows: in the order of their numbers.
    public init(_ account: KeptAccount, rows: [KeptRow]) {
        self.account = account
        note(rows)
    }

    /// Records that the account was stored, together with these changes of its rows.
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

/// An entry of a list with increasing numbers. The number is 0 in data of older versions, which did not number entries.
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
