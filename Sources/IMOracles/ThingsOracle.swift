import IMClient
import IMProtocol
import IMSession

/// What a sync has brought for a user is on the device for that user, whoever else has things there (NIM-14, C-13).
struct ThingsOracle {
    private var brought: [String: Set<String>] = [:]
    private var questions: [CommandID: String] = [:]
    /// Behind a logout nothing more is taken in.
    private var isLeaving = false

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop:
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
            guard let user = questions.removeValue(forKey: id), completion.status == .ok, let all = brought[user],
                all.count < ClientMachine.itemCountMax / 2,
                let missing = all.subtracting(completion.rows.compactMap { $0["id"] }).min()
            else { return }
            faults.append(Violation(.localData, "NIM-14", "what a sync brought is not there", "\(missing) of \(user)"))
        default: break
        }
    }
}
