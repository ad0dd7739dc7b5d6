import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// A draft stays on its device until the user changes it, whatever happens in its conversation (ZIM-9).
struct DraftOracle {
    private struct Place: Hashable {
        var user: String
        var kind: String
        var id: String

        init(_ user: String, _ request: LocalRequest) {
            self.user = user
            kind = request.value("conversationType") ?? "peer"
            id = request.value("conversationID") ?? ""
        }
    }

    /// The drafts that the app set.
    private var drafts: [Place: String] = [:]
    private var asked: [CommandID: (place: Place, draft: String?)] = [:]

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: asked.removeAll()
        case .input(.clientCommand(let id, .call(let request))):
            guard let user = trace.user else { return }
            switch request.call {
            case .setConversationDraft: asked[id] = (Place(user, request), request.value("draft") ?? "")
            case .queryConversation: asked[id] = (Place(user, request), nil)
            // Other modifications of conversations are not modelled.
            default: if request.call.declaration.changes { drafts = drafts.filter { $0.key.user != user } }
            }
        case .effect(.notify(.dataChanged(let kind, _))):
            if let user = trace.user, kind.removes { drafts = drafts.filter { $0.key.user != user } }
        case .effect(.complete(let id, let completion)):
            guard let (place, draft) = asked.removeValue(forKey: id), completion.status == .ok else { return }
            if let draft {
                drafts[place] = draft
            } else if let right = drafts[place], let row = completion.rows.first, (row["draft"] ?? "") != right {
                let words = "'\(row["draft"] ?? "")' with \(place.id), not '\(right)'"
                faults.append(Violation(.localData, "ZIM-9", "a draft is not what was written", words))
            }
        default: break
        }
    }
}

extension ChangeKind {
    /// True if the change may remove conversations or their messages.
    fileprivate var removes: Bool {
        [.conversationRemoved, .conversationEmptied, .groupRemoved].contains(self)
    }
}
