import IMClient
import IMData
import IMProtocol
import IMSession
import SansIO

/// Whom a user has had a message of on this device, and never took off the list, stands in the list of conversations
/// (ZIM-9, C-13).
struct ConversationOracle {
    /// With whom, by user.
    private var talks: [String: Set<String>] = [:]
    private var questions: [CommandID: String] = [:]
    private let keepsLocalData: Bool

    init(_ policy: ClientPolicy) { keepsLocalData = policy.features.contains(.localCalls) }

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        guard keepsLocalData else { return }
        switch event.content {
        case .start, .stop: questions.removeAll()
        case .effect(.notify(.messageReceived(let message))):
            guard let user = trace.user, message.to == user, message.from != user, !message.isToChannel,
                !message.isToGroup
            else { return }
            talks[user, default: []].insert(message.from)
        case .input(.clientCommand(let id, .call(let request))):
            guard let user = trace.user else { return }
            switch request.call {
            case .queryConversationList: questions[id] = user
            case .queryGroupList, .queryHistoryMessage: break
            // What else is done to conversations is not modelled.
            default: talks[user] = nil
            }
        // Done on another device.
        case .effect(.notify(.dataChanged(let kind, _))):
            let removes: [ChangeKind] = [
                .conversationRemoved, .conversationEmptied, .messageRemoved, .messageRevoked, .groupRemoved,
            ]
            if let user = trace.user, removes.contains(kind) { talks[user] = nil }
        case .effect(.complete(let id, let completion)):
            guard let user = questions.removeValue(forKey: id), completion.status == .ok else { return }
            let shown = completion.rows.flatMap(\.fields).filter { $0.name == "conversationID" }.map(\.value)
            guard let missing = (talks[user] ?? []).subtracting(shown).min() else { return }
            faults.append(
                Violation(.localData, "ZIM-9", "a conversation is missing in the list", "\(missing)'s, of \(user)"))
        default: break
        }
    }
}
