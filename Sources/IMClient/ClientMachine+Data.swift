import IMData
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
        hand(request, command: command, into: &effects)
    }

    private mutating func hand(
        _ request: LocalRequest, command: CommandID, into effects: inout [ClientEffect]
    ) {
        if case .failed(let status) = data.stage { return complete(command, status, into: &effects) }
        guard data.calls.count < ClientData.callsMax else { return complete(command, .limitExceeded, into: &effects) }
        data.lastCall &+= 1
        data.calls.append(ClientData.Waiting(number: data.lastCall, command: command, changes: request.changesToTell))
        ask(.call(number: data.lastCall, request), into: &effects)
    }

    /// A call that asks for the server fails at once where there is none, and changes nothing (ZIM-3).
    private mutating func callServer(
        _ request: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard openLink != nil else { return complete(command, .networkUnavailable, into: &effects) }
        // What is here is what the server has: it is told of each change as it happens.
        guard request.call.declaration.changes else {
            return hand(request.withoutServer, command: command, into: &effects)
        }
        let changes = request.serverChanges
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
            effects.append(.complete(call.command, Completion(answer.status, rows: answer.rowsAndNext)))
        case .failed(let status):
            data.stage = .failed(status == .ok ? .dataUnavailable : status)
            failDataCalls(status, into: &effects)
        }
    }

    private mutating func failDataCalls(_ status: Status, into effects: inout [ClientEffect]) {
        let waiting = data.calls
        data.calls = []
        for call in waiting { complete(call.command, status, into: &effects) }
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
            if data.asked != nil { stopAsking() }
            return
        }
        if data.asked != link.id { stopAsking() }
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
            stopAsking()
        }
        data.owner = owner
        guard let owner else { return }
        data.generation &+= 1
        data.stage = .opening
        ask(.open(user: owner), into: &effects)
    }

    private mutating func stopAsking() {
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
