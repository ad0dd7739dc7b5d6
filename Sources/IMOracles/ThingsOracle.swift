import IMClient
import IMProtocol
import IMSession
import IMTraces

/// What a sync has brought for a user is on the device for that user, whoever else has things there, and nobody
/// finds another's (NIM-14, C-13).
struct ThingsOracle {
    private var brought: [String: Set<String>] = [:]
    /// What the device was told to keep for each user.
    private var kept: [String: Set<String>] = [:]
    private var questions: [CommandID: String] = [:]
    /// Behind a logout nothing more is taken in.
    private var isLeaving = false

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .effect(.keep(let item)): kept[item.user, default: []].insert(item.id)
        case .start, .stop:
            if case .start(let start) = event.content, case .client(_, _, let local, _, _, _) = start.body {
                for item in local.items { kept[item.user, default: []].insert(item.id) }
            }
            questions.removeAll()
            isLeaving = false
        case .input(.clientCommand(_, .logout)): isLeaving = true
        case .input(.clientCommand(_, .login)): isLeaving = false
        case .input(.clientCommand(let id, .query(.items))): questions[id] = trace.user
        case .input(.frame(_, let frame)) where !trace.isInputStale && !isLeaving:
            guard case .syncPhase(_, _, let items) = frame.body, let user = trace.user,
                [.syncing, .online].contains(trace.state)
            else { return }
            brought[user, default: []].formUnion(items.map(\.id))
        case .effect(.complete(let id, let completion)):
            guard let user = questions.removeValue(forKey: id), completion.status == .ok else { return }
            let shown = Set(completion.rows.compactMap { $0["id"] })
            if let other = shown.subtracting(kept[user] ?? []).min() {
                faults.append(Violation(.localData, "C-13", "another's thing is found", "\(other), by \(user)"))
            }
            // The oldest things go, whoever's they are.
            guard let all = brought[user], kept.values.reduce(0, { $0 + $1.count }) < ClientMachine.itemCountMax,
                let missing = all.subtracting(shown).min()
            else { return }
            faults.append(Violation(.localData, "NIM-14", "what a sync brought is not there", "\(missing) of \(user)"))
        default: break
        }
    }
}
