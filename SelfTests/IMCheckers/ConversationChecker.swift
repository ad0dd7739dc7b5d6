import IMClient
import IMLocalData
import IMProtocol
import IMSession
import SansIO

/// A conversation appears in the list if one of its messages has reached this device and nothing has removed it (ZIM-9,
/// C-13). The checker counts the received changes itself, without gaps, from the position of the fetch request.
struct ConversationChecker {
    /// The peers of each user's conversations.
    private var talks: [String: Set<String>] = [:]
    private var questions: [CommandID: String] = [:]
    /// The latest fetch request for changes.
    private var fetch: UInt32?
    /// The number of the last received change; nil if none was requested.
    private var position: UInt64?
    private let keepsLocalData: Bool

    init(_ policy: ClientPolicy) { keepsLocalData = policy.features.contains(.localCalls) }

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        guard keepsLocalData else { return }
        switch event.content {
        case .start, .stop:
            questions.removeAll()
            (fetch, position) = (nil, nil)
        // Changes on a connection count after the client fetched the earlier ones there.
        case .effect(.connect): (fetch, position) = (nil, nil)
        case .effect(.send(_, let frame)):
            if case .fetchChanges = frame.body { (fetch, position) = (frame.request, nil) }
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            if case .changes(let page) = frame.body { take(page, request: frame.request, trace.user) }
        case .input(.clientCommand(_, .logout)), .input(.clientCommand(_, .login)): (fetch, position) = (nil, nil)
        case .input(.clientCommand(let id, .call(let request))):
            guard let user = trace.user else { return }
            if request.call == .queryConversationList, request.arguments.isEmpty { questions[id] = user }
            // Other modifications of conversations are not modelled.
            if request.call.declaration.changes { talks[user] = nil }
        // Another device made this change.
        case .effect(.notify(.dataChanged(let kind, _))):
            if let user = trace.user, Self.removes.contains(kind) { talks[user] = nil }
        case .effect(.complete(let id, let completion)):
            guard let user = questions.removeValue(forKey: id), completion.status == .ok else { return }
            let shown = completion.rows.compactMap { $0["conversationID"] }
            guard let missing = (talks[user] ?? []).subtracting(shown).min() else { return }
            violations.append(
                Violation(.localData, "ZIM-9", "a conversation is missing in the list", "\(missing)'s, of \(user)"))
        default: break
        }
    }

    private static let removes: [ChangeKind] = [
        .conversationRemoved, .conversationEmptied, .messageRemoved, .messageRevoked, .groupRemoved,
    ]

    /// Applies changes that continue from the last received one, and changes that were requested.
    private mutating func take(_ page: ChangePage, request: UInt32, _ user: String?) {
        guard let user else { return }
        let isAnswer = request != 0 && request == fetch
        guard isAnswer || (request == 0 && position.map { page.after <= $0 } == true) else { return }
        position = max(position ?? 0, page.changes.last?.number ?? page.after)
        for change in page.changes {
            if Self.removes.contains(change.kind) { talks[user] = nil }
            guard change.kind == .message, change.fields["conversationType"] == "peer", change.isTimely else {
                continue
            }
            talks[user, default: []].insert(change.fields["conversationID"] ?? "")
        }
    }
}

extension ChangeRecord {
    /// True if the change was created at its message's timestamp. A message with an earlier timestamp may be older than
    /// the removal of its conversation. Change numbers derive from the server's clock, in microseconds.
    fileprivate var isTimely: Bool {
        guard let time = fields["timestamp"].flatMap({ Int64($0) }) else { return true }
        return time >= Int64(clamping: number / 1000) - 1000
    }
}
