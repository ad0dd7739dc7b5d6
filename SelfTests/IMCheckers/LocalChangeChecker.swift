import IMClient
import IMProtocol
import IMSession

/// A local change is sent to the server until the server answers, over any connection (ZIM-9, C-15).
struct LocalChangeChecker {
    private struct ChangeKey: Hashable {
        var user: String
        var subject: String
    }

    /// The unanswered changes, with the last request number of each.
    private var unanswered: [ChangeKey: UInt32] = [:]
    /// All changes that were ever sent, by request number.
    private var sent: [UInt32: ChangeKey] = [:]
    /// The conversations that each user changed on this client.
    private var touched: [String: Set<String>] = [:]
    /// The unsent changes that the device stored last.
    private var kept: [UnsentChanges.Change] = []
    /// The number of changes that are certainly stored.
    private static let countMax = 100

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        // A new process starts its request numbers again.
        case .start(let start):
            sent.removeAll()
            if case .client(_, _, let local, _, _, _) = start.body { kept = local.unsent.changes }
        case .stop: sent.removeAll()
        case .effect(.persist(let data)): keeps(data.unsent.changes, trace.input, into: &violations)
        case .input(.frame(_, let frame)):
            guard case .changeAck = frame.body, let key = sent[frame.request], unanswered[key] == frame.request else {
                return
            }
            unanswered[key] = nil
        case .input(.clientCommand(_, .call(let request))):
            guard request.call.declaration.changes, let user = trace.user else { return }
            touched[user, default: []].insert(request.value("conversationID") ?? "*")
        case .effect(.send(_, let frame)):
            // A request by the app itself fails with its connection.
            if case .clientCommand? = trace.input { return }
            guard case .change(let change) = frame.body, let user = trace.user, unanswered.count < Self.countMax else {
                return
            }
            if let conversation = change.fields["conversationID"], case let own = touched[user] ?? [],
                !own.contains("*"), !own.contains(conversation)
            {
                let detail = "\(change.kind.name) \(conversation), by \(user)"
                violations.append(Violation(.localData, "C-13", "what another user did is told as this one's", detail))
            }
            let key = ChangeKey(user: user, subject: change.subject ?? "\(change.kind.name) \(change.fields)")
            unanswered[key] = frame.request
            sent[frame.request] = key
        default: break
        }
    }

    /// An unsent change is stored until the server answers, or until the same user makes the same change again.
    private mutating func keeps(
        _ changes: [UnsentChanges.Change], _ input: NodeInput?, into violations: inout [Violation]
    ) {
        defer { kept = changes }
        guard kept != changes, kept.count <= Self.countMax else { return }
        var isAnswered = false
        if case .frame(_, let frame)? = input, case .changeAck = frame.body { isAnswered = true }
        for old in kept where !changes.contains(old) {
            let isAgain = changes.contains { new in
                new.user == old.user && new.change.subject != nil && new.change.subject == old.change.subject
            }
            if isAgain { continue }
            if isAnswered {
                isAnswered = false
                continue
            }
            let detail = "\(old.change.kind.name), by \(old.user)"
            violations.append(
                Violation(.localData, "ZIM-9", "what was done on a device is forgotten before it is told", detail))
        }
    }

    /// Call it if the client is online and nothing is in flight.
    func violation(of user: String) -> Violation? {
        guard let key = unanswered.keys.filter({ $0.user == user }).map(\.subject).min() else { return nil }
        let detail = key.split(separator: "\0").joined(separator: " ")
        return Violation(.localData, "ZIM-9", "what was done on a device is not told to its end", detail)
    }
}
