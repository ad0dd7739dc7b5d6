import IMClient
import IMProtocol
import IMSession

/// What was done on a device is told to the server until it answers, whatever link it was told over (ZIM-9, C-15).
struct TellingOracle {
    private struct Thing: Hashable {
        var user: String
        var subject: String
    }

    /// What was told and has no answer, with the number that it was last told under.
    private var untold: [Thing: UInt32] = [:]
    /// What was told ever, by those numbers.
    private var told: [UInt32: Thing] = [:]
    /// The conversations that each user did anything to here.
    private var touched: [String: Set<String>] = [:]
    /// What the device keeps to be told, as it was last written.
    private var kept: [UnsentChanges.Change] = []
    /// As many as are surely kept.
    private static let countMax = 100

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        // A process counts its questions anew.
        case .start(let start):
            told.removeAll()
            if case .client(_, _, let local, _, _, _) = start.body { kept = local.unsent.changes }
        case .stop: told.removeAll()
        case .effect(.persist(let data)): keeps(data.unsent.changes, trace.input, into: &faults)
        case .input(.frame(_, let frame)):
            guard case .changeAck = frame.body, let thing = told[frame.request], untold[thing] == frame.request else {
                return
            }
            untold[thing] = nil
        case .input(.clientCommand(_, .call(let request))):
            guard request.call.declaration.changes, let user = trace.user else { return }
            touched[user, default: []].insert(request.value("conversationID") ?? "*")
        case .effect(.send(_, let frame)):
            // What the app asks of the server itself fails with its link.
            if case .clientCommand? = trace.input { return }
            guard case .change(let change) = frame.body, let user = trace.user, untold.count < Self.countMax else {
                return
            }
            if let conversation = change.fields["conversationID"], case let own = touched[user] ?? [],
                !own.contains("*"), !own.contains(conversation)
            {
                let words = "\(change.kind.name) \(conversation), by \(user)"
                faults.append(Violation(.localData, "C-13", "what another user did is told as this one's", words))
            }
            let thing = Thing(user: user, subject: change.subject ?? "\(change.kind.name) \(change.fields)")
            untold[thing] = frame.request
            told[frame.request] = thing
        default: break
        }
    }

    /// What was to be told is kept until the server has answered, or until the same user does the same again.
    private mutating func keeps(
        _ changes: [UnsentChanges.Change], _ input: NodeInput?, into faults: inout [Violation]
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
            let words = "\(old.change.kind.name), by \(old.user)"
            faults.append(
                Violation(.localData, "ZIM-9", "what was done on a device is forgotten before it is told", words))
        }
    }

    /// To be called where the client is online and nothing is under way.
    func fault(of user: String) -> Violation? {
        guard let thing = untold.keys.filter({ $0.user == user }).map(\.subject).min() else { return nil }
        let words = thing.split(separator: "\0").joined(separator: " ")
        return Violation(.localData, "ZIM-9", "what was done on a device is not told to its end", words)
    }
}
