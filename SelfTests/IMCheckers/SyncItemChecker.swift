import IMClient
import IMProtocol
import IMSession

/// The items that a sync sent for a user are on the device for that user, whatever other users have items there. No
/// user finds another user's items (NIM-14, C-13).
struct SyncItemChecker {
    private var brought: [String: Set<String>] = [:]
    /// The items that the device was instructed to store for each user.
    private var kept: [String: Set<String>] = [:]
    private var questions: [CommandID: String] = [:]
    /// The stored items, oldest first, each once, and no more than there is room for.
    private var order: [ItemKey] = []
    private var ordered: Set<ItemKey> = []
    private struct ItemKey: Hashable {
        var user: String
        var kind: LocalItem.Kind
        var id: String

        init(_ item: LocalItem) { (user, kind, id) = (item.user, item.kind, item.id) }
    }
    /// After a logout no more items are accepted.
    private var isLeaving = false
    /// The items of the current input that are not confirmed.
    private var unconfirmed: (phase: SyncPhase, numbers: [UInt64])?

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        if case .input = event.content, let (phase, numbers) = unconfirmed {
            unconfirmed = nil
            if let number = numbers.first {
                let detail = "\(phase.name) \(number), of \(numbers.count)"
                violations.append(Violation(.messages, "NIM-14", "what a sync brought is not confirmed", detail))
            }
        }
        switch event.content {
        case .effect(.send(_, let frame)):
            guard case .syncAck(let phase, let first, let last) = frame.body, unconfirmed?.phase == phase else {
                return
            }
            unconfirmed?.numbers.removeAll { first <= $0 && $0 <= last }
        case .effect(.keep(let item)):
            kept[item.user, default: []].insert(item.id)
            if ordered.insert(ItemKey(item)).inserted { order.append(ItemKey(item)) }
            if order.count > ClientMachine.itemCountMax { ordered.remove(order.removeFirst()) }
        case .start, .stop:
            if case .start(let start) = event.content, case .client(_, _, let local, _, _, _) = start.body {
                for item in local.items { kept[item.user, default: []].insert(item.id) }
                let there = local.items.map(ItemKey.init)
                ordered = Set(there)
                if let lost = order.first(where: { !ordered.contains($0) }) {
                    let detail = "\(lost.id) of \(lost.user)"
                    violations.append(Violation(.localData, "NIM-14", "what was kept last is not there", detail))
                }
                order = there
            }
            questions.removeAll()
            isLeaving = false
            unconfirmed = nil
        case .input(.clientCommand(_, .logout)): isLeaving = true
        case .input(.clientCommand(_, .login)): if trace.state.isOver { isLeaving = false }
        case .input(.clientCommand(let id, .query(.items))): questions[id] = trace.user
        case .input(.frame(_, let frame)) where !trace.isInputStale && !isLeaving:
            guard case .syncPhase(let phase, _, let items) = frame.body, let user = trace.user,
                [.syncing, .online].contains(trace.state)
            else { return }
            brought[user, default: []].formUnion(items.map(\.id))
            // Items of an older server have no number.
            let numbers = items.map(\.number).filter { $0 != 0 }
            if !numbers.isEmpty { unconfirmed = (phase, numbers) }
        case .effect(.complete(let id, let completion)):
            guard let user = questions.removeValue(forKey: id), completion.status == .ok else { return }
            let shown = Set(completion.rows.compactMap { $0["id"] })
            if let other = shown.subtracting(kept[user] ?? []).min() {
                violations.append(Violation(.localData, "C-13", "another's thing is found", "\(other), by \(user)"))
            }
            // The oldest items are removed first, regardless of their user.
            guard let all = brought[user], kept.values.reduce(0, { $0 + $1.count }) < ClientMachine.itemCountMax,
                let missing = all.subtracting(shown).min()
            else { return }
            violations.append(
                Violation(.localData, "NIM-14", "what a sync brought is not there", "\(missing) of \(user)"))
        default: break
        }
    }
}
