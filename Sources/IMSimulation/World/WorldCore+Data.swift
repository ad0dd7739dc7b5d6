import IMClient
import IMLocalData
import IMProtocol
import IMSession

// Carries out the requests of clients for local data of their users, which the client store has (ZIM-9).

extension WorldCore {
    /// Carries out a client's request for its user's data.
    ///
    /// - Returns: the answer for the client; nil if the client does not wait for one.
    func answer(_ request: DataRequest, of id: NodeID) -> DataAnswer? {
        func answer(_ outcome: DataAnswer.Outcome) -> DataAnswer {
            DataAnswer(generation: request.generation, outcome)
        }
        do {
            return try outcome(of: request.action, id, store).map(answer)
        } catch {
            if case .tree = request.action {
                onDataFailure?("\(error); the tree of '\(name(of: id))' is no longer stored")
                return answer(.tree(.failed(.dataUnavailable)))
            }
            onDataFailure?("\(error); calls on local data of '\(name(of: id))' fail; everything else continues")
            return answer(.failed(.dataUnavailable))
        }
    }

    /// Queries the local data that a client has open, for the user of the shell: the client receives no input, and
    /// nothing is recorded.
    ///
    /// - Returns: nil if no data is open, and for a call that changes data or uses a folder.
    public func queryLocalData(_ request: LocalRequest, client id: NodeID) -> LocalAnswer? {
        guard !request.call.declaration.changes, !request.call.usesFolder, let user = read(id, { $0.dataOwner }) else {
            return nil
        }
        var request = request
        request.deviceMilliseconds = deviceMilliseconds(of: id)
        return try? store.data(of: user, profile: profile(of: id), client: name(of: id)).answer(request)
    }

    private func outcome(
        of action: DataRequest.Action, _ id: NodeID, _ store: any ClientStore
    ) throws -> DataAnswer.Outcome? {
        let (profile, client) = (profile(of: id), name(of: id))
        switch action {
        case .open(let user):
            nodes[id.rawValue].dataOwner = user
            return .opened(position: try store.data(of: user, profile: profile, client: client).position())
        case .close:
            closeData(of: id)
            return nil
        case .apply(let page):
            guard let user = read(id, { $0.dataOwner }), let last = page.changes.last else { return nil }
            // A change that this version cannot read, because another version or program wrote it, is skipped.
            let changes = page.changes.compactMap(LocalChange.init)
            try store.data(of: user, profile: profile, client: client).apply(
                changes, upTo: last.number, isMore: !page.isLast)
            return nil
        case .tree(let request): return try outcome(of: request, id, store).map(DataAnswer.Outcome.tree)
        case .call(let number, let request):
            guard let user = read(id, { $0.dataOwner }) else { return nil }
            let data = try store.data(of: user, profile: profile, client: client)
            return .answered(number: number, try answer(request, of: user, data, store))
        }
    }

    private func outcome(
        of request: TreeDataRequest, _ id: NodeID, _ store: any ClientStore
    ) throws -> TreeDataAnswer? {
        let tree = try store.tree(profile: profile(of: id), client: name(of: id))
        switch request {
        case .open:
            if !read(id, { $0.hasTreeOpen }), let loss = tree.loss { onDataFailure?(loss) }
            nodes[id.rawValue].hasTreeOpen = true
            return .opened(try tree.contents())
        case .change(let changes):
            try tree.apply(changes)
            return nil
        case .read(let number, let queries): return .read(number: number, try tree.storedData(of: queries))
        }
    }

    /// Answers a call on local data. If the call uses a folder, an error of the folder fails only this call; the data
    /// remains usable.
    private func answer(
        _ request: LocalRequest, of user: String, _ data: any UserDataStore, _ store: any ClientStore
    ) throws -> LocalAnswer {
        guard request.call.usesFolder else { return try data.answer(request) }
        let folder = request.text("folderPath")
        do {
            if request.call == .exportLocalMessages {
                let messages = try data.exportedMessages()
                try store.writeExport(messages, of: user, to: folder)
                return LocalAnswer(.ok, [AnswerRow([("count", String(messages.count))])])
            }
            let count = try data.importMessages(try store.readExport(folder, for: user))
            return LocalAnswer(.ok, [AnswerRow([("count", String(count))])])
        } catch {
            onDataFailure?("\(error)")
            return LocalAnswer(.invalidArgument)
        }
    }

    /// Closes the data that a client has open.
    func closeData(of id: NodeID) {
        guard read(id, { $0.dataOwner }) != nil || read(id, { $0.hasTreeOpen }) else { return }
        nodes[id.rawValue].dataOwner = nil
        nodes[id.rawValue].hasTreeOpen = false
        store.closeData(profile: profile(of: id), client: name(of: id))
    }
}
