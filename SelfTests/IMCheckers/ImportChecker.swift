import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// An import adds only messages that the device does not have. A message that the app inserted itself exists as often
/// as it was inserted (ZIM-9).
struct ImportChecker {
    private struct Inserted: Hashable {
        var conversation: String
        var text: String
    }

    private var inserted: [String: [Inserted: Int]] = [:]
    /// The clients that have imported messages since their last check.
    private var importers: Set<String> = []

    mutating func observeClient(_ event: SessionEvent) {
        guard case .input(.clientCommand(_, .call(let request))) = event.content else { return }
        switch request.call {
        case .insertMessageToLocalDB:
            let message = Inserted(
                conversation: request.value("conversationID") ?? "", text: request.value("message") ?? "")
            inserted[event.node, default: [:]][message, default: 0] += 1
        case .importLocalMessages: if inserted[event.node] != nil { importers.insert(event.node) }
        default: break
        }
    }

    func needsCheck(for name: String) -> Bool { importers.contains(name) }

    /// Call it if the device is online.
    mutating func violation(of name: String, _ database: UserDatabase) -> Violation? {
        guard importers.remove(name) != nil else { return nil }
        var database = database
        for (message, count) in (inserted[name] ?? [:]).sorted(by: { $0.key.text < $1.key.text }) {
            let conversationKey = [("conversationID", message.conversation), ("count", String(LocalCall.pageMax))]
            let rows = database.answer(LocalRequest(.queryHistoryMessage, conversationKey)).rows
            guard rows.count(where: { $0["message"] == message.text }) > count else { continue }
            return Violation(.localData, "ZIM-9", "an import doubles a message that was put in here", message.text)
        }
        return nil
    }
}
