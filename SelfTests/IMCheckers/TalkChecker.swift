import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// A conversation on the device is one that its user has had (C-13).
struct TalkChecker {
    /// The pairs of users with a message in either direction, or of whom one changed a conversation with the other,
    /// even an empty one.
    private var talks: Set<String> = []
    /// All users who sent or received a message.
    private var talkers: Set<String> = []
    private var queries: [String: Set<CommandID>] = [:]

    mutating func observeServer(_ event: SessionEvent) {
        guard case .input(.serverCommand(_, .putChange(let user, let change))) = event.content,
            change.kind == .message, let other = change.fields["conversationID"]
        else { return }
        talks.insert("\(user) \(other)")
    }

    /// - Parameter user: the user who is logged in on the client.
    mutating func observeClient(_ event: SessionEvent, user: String?, into violations: inout [Violation]) {
        switch event.content {
        case .stop: queries.removeValue(forKey: event.node)
        case .input(.clientCommand(let id, let command)):
            if let user { handleCommand(command, id, by: user, on: event.node) }
        case .effect(.complete(let id, let completion)):
            guard queries[event.node]?.remove(id) != nil else { return }
            for row in completion.rows { found(row, user ?? "-", into: &violations) }
        default: break
        }
    }

    private mutating func handleCommand(_ command: ClientCommand, _ id: CommandID, by user: String, on node: String) {
        switch command {
        case .send(let to, _, let isToChannel): if !isToChannel { talk(user, MessageChecker.address(to).user) }
        case .change(let record):
            guard let other = record.fields["conversationID"] else { return }
            if record.kind == .message, record.fields["conversationType"] != ConversationID.Kind.group.name {
                talk(user, other)
            } else {
                talks.insert("\(user) \(other)")
            }
        case .operate(_, let target, _): talks.insert("\(user) \(target)")
        case .call(let request):
            switch request.call {
            case .queryConversationList: queries[node, default: []].insert(id)
            case .setConversationDraft, .insertMessageToLocalDB:
                if let other = request.value("conversationID") { talks.insert("\(user) \(other)") }
            default: break
            }
        default: break
        }
    }

    private mutating func talk(_ user: String, _ other: String) {
        talks.formUnion(["\(user) \(other)", "\(other) \(user)"])
        talkers.formUnion([user, other])
    }

    private func found(_ row: AnswerRow, _ user: String, into violations: inout [Violation]) {
        guard let other = row["conversationID"], row["conversationType"] == "peer", talkers.contains(other),
            !talks.contains("\(user) \(other)")
        else { return }
        violations.append(
            Violation(.localData, "C-13", "another user's conversation is read", "\(other)'s, by \(user)"))
    }
}
