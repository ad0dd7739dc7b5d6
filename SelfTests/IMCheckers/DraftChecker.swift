import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// A draft stays on its device until the user changes it, whatever happens in its conversation (ZIM-9).
struct DraftChecker {
    private struct ConversationKey: Hashable {
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
    private var drafts: [ConversationKey: String] = [:]
    private var calls: [CommandID: (conversationKey: ConversationKey, draft: String?)] = [:]

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: calls.removeAll()
        case .input(.clientCommand(let id, .call(let request))):
            guard let user = trace.user else { return }
            switch request.call {
            case .setConversationDraft: calls[id] = (ConversationKey(user, request), request.value("draft") ?? "")
            case .queryConversation: calls[id] = (ConversationKey(user, request), nil)
            // Other modifications of conversations are not modelled.
            default: if request.call.declaration.changes { drafts = drafts.filter { $0.key.user != user } }
            }
        case .effect(.notify(.dataChanged(let kind, _))):
            if let user = trace.user, kind.removes { drafts = drafts.filter { $0.key.user != user } }
        case .effect(.complete(let id, let completion)):
            guard let (conversationKey, draft) = calls.removeValue(forKey: id), completion.status == .ok else { return }
            if let draft {
                drafts[conversationKey] = draft
            } else if let right = drafts[conversationKey], let row = completion.rows.first,
                (row["draft"] ?? "") != right
            {
                let detail = "'\(row["draft"] ?? "")' with \(conversationKey.id), not '\(right)'"
                violations.append(Violation(.localData, "ZIM-9", "a draft is not what was written", detail))
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
