import IMClient
import IMData
import IMSession

// What clients want of their users' local data, which the store has (ZIM-9).

extension WorldCore {
    /// Does what a client wants of its user's data.
    ///
    /// - Returns: what the client is to be told; nil where it waits for nothing.
    func answer(_ request: DataRequest, of id: NodeID) -> DataAnswer? {
        func answer(_ outcome: DataAnswer.Outcome) -> DataAnswer {
            DataAnswer(generation: request.generation, outcome)
        }
        var outcome: DataAnswer.Outcome? = .failed(.dataUnavailable)
        store { store in outcome = try self.outcome(of: request.action, id, store) }
        return outcome.map(answer)
    }

    private func outcome(
        of action: DataRequest.Action, _ id: NodeID, _ store: any ClientStore
    ) throws -> DataAnswer.Outcome? {
        let (profile, client) = (self[id].profile, self[id].name)
        switch action {
        case .open(let user):
            nodes[id.rawValue].dataOwner = user
            return .opened(position: try store.data(of: user, profile: profile, client: client).position())
        case .close:
            closeData(of: id)
            return nil
        case .apply(let page):
            guard let user = self[id].dataOwner, let last = page.changes.last else { return nil }
            // What another version or another program says, and nobody here understands, changes nothing.
            let changes = page.changes.compactMap(LocalChange.init)
            try store.data(of: user, profile: profile, client: client).apply(changes, upTo: last.number)
            return nil
        case .call(let number, let request):
            guard let user = self[id].dataOwner else { return nil }
            let data = try store.data(of: user, profile: profile, client: client)
            return .answered(number: number, try data.answer(request))
        }
    }

    /// Lets go of the data that a client has open.
    func closeData(of id: NodeID) {
        guard self[id].dataOwner != nil else { return }
        nodes[id.rawValue].dataOwner = nil
        store.closeData(profile: self[id].profile, client: self[id].name)
    }
}
