import IMProtocol
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
    /// - Parameter old: the account as stored; nil if none of its rows are stored.
    public func rows(since old: KeptAccount?) -> [KeptRow] {
        var rows = Self.rows(Self.changesList, account.feed.changes, since: old?.account.feed.changes ?? [])
        for (id, device) in account.devices {
            let known = old?.account.devices[id]?.inbox.messages ?? []
            rows += Self.rows(Self.inboxPrefix + id, device.inbox.messages, since: known)
        }
        for (id, device) in old?.account.devices ?? [:] where account.devices[id] == nil {
            rows += Self.rows(Self.inboxPrefix + id, [], since: device.inbox.messages)
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

    private static func rows<Entry: Numbered>(
        _ list: String, _ entries: [Entry], since old: [Entry]
    ) -> [KeptRow] {
        let entries = isNumbered(entries) ? entries : []
        let old = isNumbered(old) ? old : []
        // Numbers only increase: if the same range has as many entries as before, none was removed.
        let isAppendOnly =
            old.isEmpty
            || (old.count <= entries.count && entries.first?.number == old.first?.number
                && entries[old.count - 1].number == old.last?.number)
        let last = old.last?.number ?? 0
        let firstNew = isAppendOnly ? old.count : entries.partitioningIndex { $0.number > last }
        var rows = entries[firstNew...].map { KeptRow(list: list, number: $0.number, entry: $0.kept) }
        guard !isAppendOnly else { return rows }
        var index = 0
        for entry in old {
            if index < firstNew, entries[index].number == entry.number {
                index += 1
            } else {
                rows.append(KeptRow(list: list, number: entry.number, entry: nil))
            }
        }
        return rows
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
