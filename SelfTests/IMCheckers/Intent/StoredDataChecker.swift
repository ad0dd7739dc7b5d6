import IMClient
import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// Maintains a second copy of each user's data on a device and applies the app's requests to it. Compares the client's
/// store with the copy: each answer, and all data at quiescence, also after a restart and after a login of another user
/// (ZIM-9, C-13). Checks that the client stores the changes of a call that the server must receive.
struct StoredDataChecker: Checker {
    private var owner: String?
    private var generation: UInt32 = 0
    private var copies: [String: UserDatabase] = [:]
    /// The expected answers, in order.
    private var expected: [DataAnswer] = []
    /// The exported messages and the user who exported them, by folder.
    private var exports: [String: (user: String, messages: [LocalMessage])] = [:]
    /// The changes of each call in progress, by number, and those that must be stored by the end of the current input.
    private var changes: [UInt32: [ChangeRecord]] = [:]
    private var unstoredChanges: [ChangeRecord] = []

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: (owner, expected, changes, unstoredChanges) = (nil, [], [:], [])
        case .effect(.data(let request)): handle(request)
        case .effect(.persist(let data)):
            let kept = data.unsent.changes.filter { $0.user == owner }.map(\.change)
            unstoredChanges.removeAll { change in
                kept.contains { $0.kind == change.kind && $0.subject == change.subject }
            }
        case .input(let input):
            if let missing = unstoredChanges.first {
                violations.add(
                    .localData, "ZIM-9", "the client does not keep a change for the server", missing.kind.name)
            }
            unstoredChanges = []
            if case .data(let answer) = input { answered(answer, into: &violations) }
        default: break
        }
    }

    private mutating func handle(_ request: DataRequest) {
        func expect(_ outcome: DataAnswer.Outcome) {
            expected.append(DataAnswer(generation: request.generation, outcome))
        }
        switch request.action {
        case .open(let user):
            (owner, generation, changes) = (user, request.generation, [:])
            expect(.opened(position: copies[user]?.position ?? 0))
        case .close: owner = nil
        case .apply(let page):
            guard let owner, let last = page.changes.last else { return }
            let changes = page.changes.compactMap(LocalChange.init)
            copies[owner, default: UserDatabase(owner: owner)].apply(changes, upTo: last.number)
        case .call(let number, let call):
            guard let owner else { return }
            expect(.answered(number: number, answer(to: call, of: owner)))
            changes[number] = call.changesToSend
        case .tree: break
        }
    }

    private mutating func answer(to call: LocalRequest, of user: String) -> LocalAnswer {
        guard call.call.usesFolder else { return copies[user, default: UserDatabase(owner: user)].answer(call) }
        let folder = call.arguments["folderPath"] ?? ""
        var count = 0
        if call.call == .exportLocalMessages {
            let messages = copies[user]?.exportedMessages ?? []
            exports[folder] = (user, messages)
            count = messages.count
        } else {
            // Another user cannot import this user's export.
            guard let export = exports[folder], export.user == user else { return LocalAnswer(.invalidArgument) }
            count = copies[user, default: UserDatabase(owner: user)].importMessages(export.messages)
        }
        return LocalAnswer(.ok, [AnswerRow([("count", String(count))])])
    }

    private mutating func answered(_ answer: DataAnswer, into violations: inout [Violation]) {
        if case .tree = answer.outcome { return }
        guard !expected.isEmpty else { return }
        if expected.removeFirst() != answer { violations.add(.localData, "ZIM-9", "the store gives a wrong answer") }
        guard case .answered(let number, let result) = answer.outcome, answer.generation == generation, owner != nil,
            let changes = changes.removeValue(forKey: number), result.status == .ok
        else { return }
        unstoredChanges = changes
    }

    func checkAtQuiescence(_ client: IdleClient, _ machine: ClientMachine, _ server: ServerMachine) -> [Violation] {
        guard let owner, let database = client.database(),
            database != copies[owner] ?? UserDatabase(owner: owner)
        else { return [] }
        return [Violation(.localData, "ZIM-9", "the stored data differs from the changes so far", owner)]
    }
}
