import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// What a user drafts on a device stays there until it is drafted anew, whatever is said of its conversation (ZIM-9).
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

    /// As the app set them.
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
            // What else is done to conversations is not modelled.
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
    /// Whether conversations, or what was said in them, may be gone with it.
    fileprivate var removes: Bool {
        [.conversationRemoved, .conversationEmptied, .groupRemoved].contains(self)
    }
}
