import IMLocalData
import IMProtocol
import SansIO

// Local data and the calls on it (ZIM-9). The data is open exactly while the login permits reading it (C-13). After a
// login, the client requests the server's changes after the last stored one, in pages. While the client is online, the
// server sends each new change as an event.

extension ClientMachine {
    // MARK: Calls

    /// Handles a call of the app. The store answers most calls. Some calls require the server, or prefer the server's
    /// data.
    mutating func call(
        _ request: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard policy.features.contains(.localCalls), policy.removedCalls?.contains(request.call) != true else {
            return effects.complete(command, .unsupported)
        }
        guard data.owner != nil else { return effects.complete(command, .notLoggedIn) }
        guard request.rejectionReason == nil else { return effects.complete(command, .invalidArgument) }
        if request.queriesServer { return callServer(request, command: command, at: now, into: &effects) }
        if request.prefersServer, fetch(for: request, command: command, at: now, into: &effects) { return }
        passToStore(request, command: command, sending: atServersTime(request, at: now).changesToSend, into: &effects)
    }

    /// The call with the estimated server time if the device's clock is behind it. The server compares the call's time
    /// with the times of messages, which come from the server's clock (C-10). The estimate is behind the server's clock
    /// by the delay of the frame that contained it, so the later of the two times is used.
    private func atServersTime(_ request: LocalRequest, at now: Instant) -> LocalRequest {
        guard wall.isServerTime, let milliseconds = wall.milliseconds(at: now) else { return request }
        var request = request
        request.deviceMilliseconds = max(request.deviceMilliseconds, milliseconds)
        return request
    }

    /// Adds a call to the waiting calls and passes it to the store.
    ///
    /// - Parameter changes: the changes to send to the server after the store has answered.
    private mutating func passToStore(
        _ request: LocalRequest, command: CommandID, sending changes: [ChangeRecord] = [],
        into effects: inout [ClientEffect]
    ) {
        if case .failed(let status) = data.stage { return effects.complete(command, status) }
        guard data.calls.count < ClientData.callsMax else { return effects.complete(command, .limitExceeded) }
        data.lastCall &+= 1
        data.calls.append(
            ClientData.WaitingCall(
                number: data.lastCall, command: command, changes: changes,
                changesConversations: request.call.changesConversations ? true : nil,
                reportsProgress: request.call.usesFolder ? true : nil))
        requestData(.call(number: data.lastCall, request), into: &effects)
    }

    /// Sends a call that requires the server. Without a connection the call fails at once and changes nothing (ZIM-3).
    private mutating func callServer(
        _ request: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) {
        guard openLink != nil else { return effects.complete(command, .networkUnavailable) }
        if request.call == .queryUsersInfo {
            let question = Question.users(request.list("userIDs"))
            return sendRequest(.ask(question), for: PendingRequest(command: command), at: now, into: &effects)
        }
        let changes = atServersTime(request, at: now).serverChanges
        guard let change = changes.first else { return effects.complete(command, .unsupported) }
        sendRequest(.change(change), for: PendingRequest(command: command), at: now, into: &effects)
    }

    private mutating func requestData(_ action: DataRequest.Action, into effects: inout [ClientEffect]) {
        effects.append(.data(DataRequest(generation: data.generation, action)))
    }

    // MARK: The store's answers

    /// True if an answer belongs to the current opening of the data. The tree has openings of its own.
    func isCurrent(_ answer: DataAnswer) -> Bool {
        if case .tree = answer.outcome { return answer.generation == tree.device?.generation }
        return answer.generation == data.generation && data.owner != nil
    }

    /// Handles an answer of the store to the current opening of the data.
    mutating func dataAnswered(_ answer: DataAnswer, at now: Instant, into effects: inout [ClientEffect]) {
        switch answer.outcome {
        case .tree(let answer): treeDeviceAnswered(answer, at: now, into: &effects)
        case .opened(let position):
            guard data.stage == .opening else { return }
            data.stage = .open(position: position)
            if policy.opensDataAtLogin == true, let owner = data.owner {
                effects.append(.notify(.dataOpened(user: owner)))
            }
        case .answered(let number, let answer):
            guard data.calls.first?.number == number else { return }
            let call = data.calls.removeFirst()
            if answer.status == .ok { addUnsent(call.changes, into: &effects) }
            if call.reportsProgress == true { reportProgress(answer, into: &effects) }
            completeCall(call, answer, into: &effects)
        case .failed(let status):
            let failure = status == .ok ? .dataUnavailable : status
            data.stage = .failed(failure)
            failDataCalls(failure, into: &effects)
        }
    }

    /// Completes a call with the store's answer. If the call changed conversations, also notifies the app of each, as
    /// for a change from the server (ZIM-9).
    private func completeCall(
        _ call: ClientData.WaitingCall, _ answer: LocalAnswer, into effects: inout [ClientEffect]
    ) {
        guard call.changesConversations == true, answer.status == .ok else {
            return effects.append(.complete(call.command, Completion(answer.status, rows: answer.rowsAndNext)))
        }
        let isOfMessages = answer.rows.contains { $0["messageID"] != nil }
        effects.append(.complete(call.command, Completion(.ok, rows: isOfMessages ? answer.rows : [])))
        for row in answer.rows {
            effects.append(.notify(.dataChanged(.conversation, row["conversationID"] ?? "")))
        }
    }

    /// Notifies the app of the progress of an export or import. The store processes all messages in one step, so the
    /// app gets all notifications at once, at most ten.
    private func reportProgress(_ answer: LocalAnswer, into effects: inout [ClientEffect]) {
        guard let all = answer.rows.first.flatMap({ $0["count"] }).flatMap({ Int($0) }), all > 0 else { return }
        for done in stride(from: 0, to: all, by: (all - 1) / 10 + 1).dropFirst() {
            effects.append(.notify(.dataProgress(done: done, all: all)))
        }
        effects.append(.notify(.dataProgress(done: all, all: all)))
    }

    private mutating func failDataCalls(_ status: Status, into effects: inout [ClientEffect]) {
        let waiting = data.calls.map(\.command) + (data.fetchingCalls ?? []).map(\.command)
        data.calls = []
        data.fetchingCalls = nil
        for command in waiting { effects.complete(command, status) }
    }

    // MARK: Opening, closing, requesting changes

    /// Opens the data when the login permits reading it, and closes the data when it does not. Starts a sync when the
    /// client is online. Called after each input, so that the code that starts or ends a login need not call it.
    mutating func refreshData(at now: Instant, into effects: inout [ClientEffect]) {
        guard policy.features.contains(.localCalls) else { return }
        // A logout that requires the server may fail, and the user then stays logged in. So the data stays open until
        // such a logout has succeeded (CHAT-11).
        let isLeaving = phase.leaveCommand != nil && !policy.logoutNeedsServer
        let owner = isDataOpen && !isLeaving ? user : nil
        if data.owner != owner { reopenData(of: owner, into: &effects) }
        guard case .online(_, let link, _) = phase else {
            if data.fetchConnection != nil { stopFetching(into: &effects) }
            return
        }
        if data.fetchConnection != link.id { stopFetching(into: &effects) }
        guard case .open = data.stage, data.owner != nil else { return }
        sendChanges(at: now, into: &effects)
        guard data.fetchConnection == nil else { return }
        data.fetchConnection = link.id
        data.isSyncing = true
        effects.append(.notify(.dataSync(.started)))
        fetchChanges(at: now, into: &effects)
    }

    private mutating func reopenData(of owner: String?, into effects: inout [ClientEffect]) {
        if data.owner != nil {
            failDataCalls(.notLoggedIn, into: &effects)
            requestData(.close, into: &effects)
            stopFetching(into: &effects)
        }
        data.owner = owner
        guard let owner else { return }
        data.generation &+= 1
        data.stage = .opening
        requestData(.open(user: owner), into: &effects)
    }

    private mutating func stopFetching(into effects: inout [ClientEffect]) {
        answerFetching(into: &effects)
        for request in [data.request, data.sending?.request].compactMap(\.self) { timers.cancel(.request(request)) }
        data.request = nil
        data.overtakenBy = nil
        data.sending = nil
        data.fetchConnection = nil
        data.isSyncing = false
    }

    // MARK: Local changes

    private mutating func addUnsent(_ changes: [ChangeRecord], into effects: inout [ClientEffect]) {
        guard let owner = data.owner, !changes.isEmpty else { return }
        for change in changes { local.unsent.add(change, of: owner) }
        effects.append(.persist(local))
    }

    /// Sends the oldest unsent local change to the server, if none is in flight and there is a connection.
    private mutating func sendChanges(at now: Instant, into effects: inout [ClientEffect]) {
        guard data.sending == nil, let owner = data.owner, let change = local.unsent.first(of: owner),
            let connection = openLink?.id
        else { return }
        let number = common.makeRequestNumber()
        data.sending = ClientData.SentChange(request: number, change: change)
        timers.set(.request(number), at: now + policy.requestTimeLimit)
        effects.append(.send(connection, Frame(request: number, .change(change))))
    }

    /// Removes a local change after the server's answer. A refused change is removed too, and not sent again.
    ///
    /// - Returns: true if the request with this number sent a local change.
    mutating func changeAnswered(_ number: UInt32, into effects: inout [ClientEffect]) -> Bool {
        guard let sent = data.sending, sent.request == number else { return false }
        timers.cancel(.request(number))
        data.sending = nil
        if let owner = data.owner { local.unsent.remove(sent.change, of: owner) }
        effects.append(.persist(local))
        return true
    }

    // MARK: Calls that need the server's data

    /// Requests changes from the server for a call that prefers the server's data (ZIMMessageQueryModePreferServer).
    /// The store answers the call after the changes have arrived.
    ///
    /// - Returns: false if the client is not online. The caller then passes the call to the store at once.
    private mutating func fetch(
        for call: LocalRequest, command: CommandID, at now: Instant, into effects: inout [ClientEffect]
    ) -> Bool {
        guard case .online(_, let link, _) = phase, case .open = data.stage, data.fetchConnection == link.id,
            (data.fetchingCalls ?? []).count < ClientData.callsMax
        else { return false }
        data.fetchingCalls = (data.fetchingCalls ?? []) + [ClientData.FetchingCall(command: command, call: call)]
        fetchChanges(at: now, into: &effects)
        return true
    }

    /// Passes the calls that waited for the server's changes to the store, because the changes have arrived or failed
    /// to arrive.
    private mutating func answerFetching(into effects: inout [ClientEffect]) {
        guard let waiting = data.fetchingCalls else { return }
        data.fetchingCalls = nil
        for call in waiting { passToStore(call.call, command: call.command, into: &effects) }
    }

    // MARK: Changes from the server

    /// Requests the changes after the local position, unless a request is in flight.
    mutating func fetchChanges(at now: Instant, into effects: inout [ClientEffect]) {
        guard case .online(_, let link, _) = phase, case .open(let position) = data.stage,
            data.fetchConnection == link.id, data.request == nil
        else { return }
        let number = common.makeRequestNumber()
        data.request = number
        data.overtakenBy = nil
        timers.set(.request(number), at: now + policy.requestTimeLimit)
        effects.append(.send(link.id, Frame(request: number, .fetchChanges(after: position))))
    }

    /// Handles the time limit of a request for changes, or of a request that sends a local change. The request is sent
    /// again. No change is applied twice, because changes up to the local position are skipped.
    ///
    /// - Returns: true if the number belongs to such a request.
    mutating func fetchTimedOut(_ number: UInt32, at now: Instant, into effects: inout [ClientEffect]) -> Bool {
        if data.sending?.request == number {
            // After this input, `refreshData` sends the change again.
            data.sending = nil
            return true
        }
        guard data.request == number else { return false }
        data.request = nil
        answerFetching(into: &effects)
        fetchChanges(at: now, into: &effects)
        return true
    }

    /// Handles a page of changes: the answer to a request, or an event while the client is online. If an event starts
    /// after the local position, an earlier event was lost, and the client requests the missing changes (C-15).
    ///
    /// - Parameter request: the number of the answered request; 0 for an event.
    mutating func changesArrived(
        _ page: ChangePage, request: UInt32, at now: Instant, into effects: inout [ClientEffect]
    ) {
        if request != 0 {
            guard request == data.request else { return }
            timers.cancel(.request(request))
            data.request = nil
        }
        guard case .open(let position) = data.stage, data.fetchConnection != nil else { return }
        guard page.after <= position else {
            if data.request != nil { data.overtakenBy = max(data.overtakenBy ?? 0, page.changes.last?.number ?? 0) }
            return fetchChanges(at: now, into: &effects)
        }
        var last = position
        let newChanges = page.changes.filter { change in
            guard change.number > last else { return false }
            last = change.number
            return true
        }
        // An empty page ends the sync even if it is not marked as the last one. Otherwise a faulty server could make
        // the client request pages forever.
        let hasMore = request != 0 && !page.isLast && !newChanges.isEmpty
        if !newChanges.isEmpty {
            data.stage = .open(position: last)
            // Requested before the store applies this page, so that the server can prepare the next page meanwhile.
            if hasMore { fetchChanges(at: now, into: &effects) }
            requestData(.apply(ChangePage(after: position, changes: newChanges, isLast: page.isLast)), into: &effects)
            reportChanges(of: changesToReport(newChanges, request: request, after: position), into: &effects)
        }
        guard request != 0, !hasMore else { return }
        if let event = data.overtakenBy, last < event { return fetchChanges(at: now, into: &effects) }
        answerFetching(into: &effects)
        guard data.isSyncing else { return }
        data.isSyncing = false
        effects.append(.notify(.dataSync(.finished)))
    }

    /// The changes that the app is notified of: all changes of an event, and all changes that were requested because an
    /// event was lost (C-15). Of the changes of a sync, only receipts from the time when the device was offline are
    /// reported (CHAT-8), because the app reads the data after the sync.
    private func changesToReport(
        _ newChanges: [ChangeRecord], request: UInt32, after position: UInt64
    ) -> [ChangeRecord] {
        if request == 0 || !data.isSyncing { return newChanges }
        guard position != 0 else { return [] }
        return newChanges.filter { $0.kind == .delivered || $0.kind == .conversationRead }
    }

    /// Notifies the app of changes, once for each kind and object. Skips the user's own reads of messages.
    private func reportChanges(of changes: [ChangeRecord], into effects: inout [ClientEffect]) {
        var reported: [(ChangeKind, String)] = []
        for change in changes {
            let name = change.mainName
            guard !reported.contains(where: { $0 == (change.kind, name) }), change.kind != .read || name != data.owner
            else { continue }
            reported.append((change.kind, name))
            effects.append(.notify(.dataChanged(change.kind, name)))
        }
    }
}
