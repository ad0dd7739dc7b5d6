import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// An import adds only messages that the device does not have. A message that the app inserted itself exists as often
/// as it was inserted (ZIM-9).
struct ImportOracle {
    private struct Inserted: Hashable {
        var conversation: String
        var text: String
    }

    private var inserted: [String: [Inserted: Int]] = [:]
    /// The clients that have imported messages since their last check.
    private var importers: Set<String> = []

    mutating func seeClient(_ event: SessionEvent) {
        guard case .input(.clientCommand(_, .call(let request))) = event.content else { return }
        switch request.call {
        case .insertMessageToLocalDB:
            let thing = Inserted(
                conversation: request.value("conversationID") ?? "", text: request.value("message") ?? "")
            inserted[event.node, default: [:]][thing, default: 0] += 1
        case .importLocalMessages: if inserted[event.node] != nil { importers.insert(event.node) }
        default: break
        }
    }

    func isNews(for name: String) -> Bool { importers.contains(name) }

    /// Call it if the device is online.
    mutating func fault(of name: String, _ database: UserDatabase) -> Violation? {
        guard importers.remove(name) != nil else { return nil }
        var database = database
        for (thing, count) in (inserted[name] ?? [:]).sorted(by: { $0.key.text < $1.key.text }) {
            let place = [("conversationID", thing.conversation), ("count", String(LocalCall.pageMax))]
            let rows = database.answer(LocalRequest(.queryHistoryMessage, place)).rows
            guard rows.count(where: { $0["message"] == thing.text }) > count else { continue }
            return Violation(.localData, "ZIM-9", "an import doubles a message that was put in here", thing.text)
        }
        return nil
    }
}
