import IMLocalData
import IMProtocol
import SansIO

// Local data and the calls on it (ZIM-9). The data is open exactly as long as the login lets it be read (C-13); what
// changed on the server comes in pages behind what is here, and while the client is online as it happens.

extension ClientMachine {
    // MARK: Calls

    /// Hands a call to the store, unless it can be answered without. No frame goes out for one.
    mutating func call(
        _ request: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.localCalls) else { return complete(command, .unsupported, into: &effects) }
        guard data.owner != nil else { return complete(command, .notLoggedIn, into: &effects) }
        guard request.objection == nil else { return complete(command, .invalidArgument, into: &effects) }
        if request.asksServer { return callServer(request, command: command, at: now, into: &effects) }
        if request.prefersServer, fetch(for: request, command: command, at: now, into: &effects) { return }
        hand(request, command: command, telling: atServersTime(request, at: now).changesToTell, into: &effects)
    }

    /// The call by the server's clock where the device's is behind: the server compares the time with those of messages,
    /// which are its own (C-10). What is known of the server's clock is late by the time that its word took.
    private func atServersTime(_ request: LocalRequest, at now: Instant) -> LocalRequest {
        guard wall.isServers, let milliseconds = wall.milliseconds(at: now) else { return request }
        var request = request
        request.deviceMilliseconds = max(request.deviceMilliseconds, milliseconds)
        return request
    }

    private mutating func hand(
        _ request: LocalRequest, command: CommandID, telling changes: [ChangeRecord] = [],
        into effects: inout [ClientEffect]
    ) {
        if case .failed(let status) = data.stage { return complete(command, status, into: &effects) }
        guard data.calls.count < ClientData.callsMax else { return complete(command, .limitExceeded, into: &effects) }
        data.lastCall &+= 1
        data.calls.append(
            ClientData.Waiting(
                number: data.lastCall, command: command, changes: changes,
                changesConversations: request.call.changesConversations ? true : nil,
                reportsProgress: request.call.usesFolder ? true : nil))
        ask(.call(number: data.lastCall, request), into: &effects)
    }

    /// A call that asks for the server fails at once where there is none, and changes nothing (ZIM-3).
    private mutating func callServer(
        _ request: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard openLink != nil else { return complete(command, .networkUnavailable, into: &effects) }
        if request.call == .queryUsersInfo {
            let question = Question.users(request.list("userIDs"))
            return ask(.ask(question), for: PendingRequest(command: command), at: now, into: &effects)
        }
        let changes = atServersTime(request, at: now).serverChanges
        guard let change = changes.first else { return complete(command, .unsupported, into: &effects) }
        ask(.change(change), for: PendingRequest(command: command), at: now, into: &effects)
    }

    private mutating func ask(_ action: DataRequest.Action, into effects: inout [ClientEffect]) {
        effects.append(.data(DataRequest(generation: data.generation, action)))
    }

    // MARK: The store's answers

    /// Whether an answer belongs to what is open now.
    func isAwaited(_ answer: DataAnswer) -> Bool {
        if case .tree = answer.outcome { return answer.generation == tree.device?.generation }
        return answer.generation == data.generation && data.owner != nil
    }

    /// The store has done something; answers to an earlier opening have been dropped.
    mutating func dataAnswered(_ answer: DataAnswer, at now: Instant, into effects: inout [ClientEffect]) {
        switch answer.outcome {
        case .tree(let answer): treeDeviceAnswered(answer, at: now, into: &effects)
        case .opened(let position):
            if data.stage == .opening { data.stage = .open(position: position) }
        case .answered(let number, let answer):
            guard data.calls.first?.number == number else { return }
            let call = data.calls.removeFirst()
            if answer.status == .ok { note(call.changes, into: &effects) }
            if call.reportsProgress == true { reportProgress(answer, into: &effects) }
            complete(call, answer, into: &effects)
        case .failed(let status):
            data.stage = .failed(status == .ok ? .dataUnavailable : status)
            failDataCalls(status, into: &effects)
        }
    }

    /// The app is told of the conversations that it has changed itself, as of others (ZIM-9).
    private func complete(_ call: ClientData.Waiting, _ answer: LocalAnswer, into effects: inout [ClientEffect]) {
        guard call.changesConversations == true, answer.status == .ok else {
            return effects.append(.complete(call.command, Completion(answer.status, rows: answer.rowsAndNext)))
        }
        let isOfMessages = answer.rows.contains { $0["messageID"] != nil }
        effects.append(.complete(call.command, Completion(.ok, rows: isOfMessages ? answer.rows : [])))
        for row in answer.rows {
            effects.append(.notify(.dataChanged(.conversation, row["conversationID"] ?? "")))
        }
    }

    /// The store moves the messages in one step, so that the app is notified of the parts at once: at most ten.
    private func reportProgress(_ answer: LocalAnswer, into effects: inout [ClientEffect]) {
        guard let all = answer.rows.first.flatMap({ $0["count"] }).flatMap({ Int($0) }), all > 0 else { return }
        for done in stride(from: 0, to: all, by: (all - 1) / 10 + 1).dropFirst() {
            effects.append(.notify(.dataProgress(done: done, all: all)))
        }
        effects.append(.notify(.dataProgress(done: all, all: all)))
    }

    private mutating func failDataCalls(_ status: Status, into effects: inout [ClientEffect]) {
        let waiting = data.calls.map(\.command) + (data.fetching ?? []).map(\.command)
        data.calls = []
        data.fetching = nil
        for command in waiting { complete(command, status, into: &effects) }
    }

    // MARK: Opening, closing, asking what changed

    /// Has the data open exactly as long as the login lets it be read, and asks for what changed as soon as there is
    /// somebody to ask. To be called behind each input: no way in or out of a login can forget it.
    mutating func settleData(at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.localCalls) else { return }
        // A logout that may fail takes nothing away before it has succeeded (CHAT-11).
        let isLeaving = phase.leaveCommand != nil && !policy.logoutNeedsServer
        let owner = isDataOpen && !isLeaving ? user : nil
        if data.owner != owner { reopenData(of: owner, into: &effects) }
        guard case .online(_, let link, _) = phase else {
            if data.asked != nil { stopAsking(into: &effects) }
            return
        }
        if data.asked != link.id { stopAsking(into: &effects) }
        guard case .open = data.stage, data.owner != nil else { return }
        tellServer(at: now, into: &effects)
        guard data.asked == nil else { return }
        data.asked = link.id
        data.isSyncing = true
        effects.append(.notify(.dataSync(.started)))
        fetchChanges(at: now, into: &effects)
    }

    private mutating func reopenData(of owner: String?, into effects: inout [ClientEffect]) {
        if data.owner != nil {
            failDataCalls(.notLoggedIn, into: &effects)
            ask(.close, into: &effects)
            stopAsking(into: &effects)
        }
        data.owner = owner
        guard let owner else { return }
        data.generation &+= 1
        data.stage = .opening
        ask(.open(user: owner), into: &effects)
    }

    private mutating func stopAsking(into effects: inout [ClientEffect]) {
        answerFetching(into: &effects)
        for request in [data.request, data.telling?.request].compactMap(\.self) { timers.cancel(.request(request)) }
        data.request = nil
        data.overtakenBy = nil
        data.telling = nil
        data.asked = nil
        data.isSyncing = false
    }

    // MARK: What was done here

    private mutating func note(_ changes: [ChangeRecord], into effects: inout [ClientEffect]) {
        guard let owner = data.owner, !changes.isEmpty else { return }
        for change in changes { local.unsent.add(change, of: owner) }
        effects.append(.persist(local))
    }

    /// Tells the server what was done here, one after the other, as soon as there is somebody to tell.
    private mutating func tellServer(at now: Instant, into effects: inout [ClientEffect]) {
        guard data.telling == nil, let owner = data.owner, let change = local.unsent.first(of: owner),
            let connection = openLink?.id
        else { return }
        let number = makeRequestNumber()
        data.telling = ClientData.Telling(request: number, change: change)
        timers.set(.request(number), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: number, .change(change))))
    }

    /// The server has been told, whatever it makes of it.
    ///
    /// - Returns: whether the number is that of such a request.
    mutating func changeTold(_ number: UInt32, into effects: inout [ClientEffect]) -> Bool {
        guard let telling = data.telling, telling.request == number else { return false }
        timers.cancel(.request(number))
        data.telling = nil
        if let owner = data.owner { local.unsent.remove(telling.change, of: owner) }
        effects.append(.persist(local))
        return true
    }

    // MARK: Calls that are to have what the server has

    /// Asks the server what is new before a call is answered from local data (ZIMMessageQueryModePreferServer).
    ///
    /// - Returns: false where there is nobody to ask now: local data answers then.
    private mutating func fetch(
        for call: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        guard case .online(_, let link, _) = phase, case .open = data.stage, data.asked == link.id,
            (data.fetching ?? []).count < ClientData.callsMax
        else { return false }
        data.fetching = (data.fetching ?? []) + [ClientData.Fetching(command: command, call: call)]
        fetchChanges(at: now, into: &effects)
        return true
    }

    /// The server has said what is new, or cannot: the calls that waited for it are answered with what is here now.
    private mutating func answerFetching(into effects: inout [ClientEffect]) {
        guard let waiting = data.fetching else { return }
        data.fetching = nil
        for call in waiting { hand(call.call, command: call.command, into: &effects) }
    }

    // MARK: What changed

    /// Asks for what is behind what is here, unless that is under way.
    mutating func fetchChanges(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .online(_, let link, _) = phase, case .open(let position) = data.stage, data.asked == link.id,
            data.request == nil
        else { return }
        let number = makeRequestNumber()
        data.request = number
        data.overtakenBy = nil
        timers.set(.request(number), at: now + policy.requestTimeLimit)
        effects.append(.send(link.id, Frame(request: number, .fetchChanges(after: position))))
    }

    /// The page did not come: it is asked for again, and nothing of it is here twice.
    ///
    /// - Returns: whether the number is that of such a request.
    mutating func fetchTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        if data.telling?.request == number {
            // Behind this input it is told again.
            data.telling = nil
            return true
        }
        guard data.request == number else { return false }
        data.request = nil
        answerFetching(into: &effects)
        fetchChanges(at: now, into: &effects)
        return true
    }

    /// A part of what changed has come: one that was asked for, or, while the client is online, an event. One that does
    /// not go on where the data ends is an event whose predecessor got lost: what is missing is asked for (C-15).
    mutating func changesCame(
        _ page: ChangePage, request: UInt32, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if request != 0 {
            guard request == data.request else { return }
            timers.cancel(.request(request))
            data.request = nil
        }
        guard case .open(let position) = data.stage, data.asked != nil else { return }
        guard page.after <= position else {
            if data.request != nil { data.overtakenBy = max(data.overtakenBy ?? 0, page.changes.last?.number ?? 0) }
            return fetchChanges(at: now, into: &effects)
        }
        var last = position
        let news = page.changes.filter { change in
            guard change.number > last else { return false }
            last = change.number
            return true
        }
        // A server that says that there is more, and brings nothing, is not asked for ever.
        let isMore = request != 0 && !page.isLast && !news.isEmpty
        if !news.isEmpty {
            data.stage = .open(position: last)
            // The server makes the next page ready while this one is taken in.
            if isMore { fetchChanges(at: now, into: &effects) }
            ask(.apply(ChangePage(after: position, changes: news, isLast: page.isLast)), into: &effects)
            tell(of: told(news, request: request, after: position), into: &effects)
        }
        guard request != 0, !isMore else { return }
        if let event = data.overtakenBy, last < event { return fetchChanges(at: now, into: &effects) }
        answerFetching(into: &effects)
        guard data.isSyncing else { return }
        data.isSyncing = false
        effects.append(.notify(.dataSync(.finished)))
    }

    /// The changes that the app is told of. What a sync brings, the app reads by itself after it; what a lost event makes
    /// the client ask for is an event (C-15), and so is a receipt that came while the device was away (CHAT-8).
    private func told(_ news: [ChangeRecord], request: UInt32, after position: UInt64) -> [ChangeRecord] {
        if request == 0 || !data.isSyncing { return news }
        guard position != 0 else { return [] }
        return news.filter { $0.kind == .delivered || $0.kind == .conversationRead }
    }

    /// Tells the app what has changed, each thing once; that it has read something itself is no news to it.
    private func tell(of changes: [ChangeRecord], into effects: inout [ClientEffect]) {
        var told: [(ChangeKind, String)] = []
        for change in changes {
            let name = change.mainName
            guard !told.contains(where: { $0 == (change.kind, name) }), change.kind != .read || name != data.owner
            else { continue }
            told.append((change.kind, name))
            effects.append(.notify(.dataChanged(change.kind, name)))
        }
    }
}
