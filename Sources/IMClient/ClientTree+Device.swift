import IMProtocol
import IMTree
import SansIO

// The copy of the tree on the device, which outlives the process (SYNC-2, SYNC-3). The client requests its actions with
// effects; the device's answers are inputs.

extension ClientTree {
    // MARK: Opening

    /// Turns persistence on or off. Refused after the first use of the tree.
    ///
    /// - Parameter bytesMax: the maximum size of stored data without listeners, in bytes; nil to turn persistence off.
    mutating func setPersistence(_ bytesMax: Int?, _ command: CommandID, into effects: inout [ClientEffect]) {
        guard device?.hasReference != true, device?.stage != .opening else {
            return effects.complete(command, .tooLate)
        }
        guard bytesMax.map({ $0 > 0 }) ?? true else { return effects.complete(command, .invalidArgument) }
        var device = device ?? TreeDevice()
        device.bytesMax = bytesMax
        self.device = device
        guard bytesMax != nil, device.stage == .closed else { return effects.complete(command, .ok) }
        self.device?.command = command
        openDevice(into: &effects)
    }

    private mutating func openDevice(into effects: inout [ClientEffect]) {
        device?.generation &+= 1
        device?.stage = .opening
        requestFromDevice(.open, into: &effects)
    }

    /// Makes a request wait until the copy on the device is open, if persistence is on. From now on the persistence
    /// setting cannot change.
    ///
    /// - Returns: true if the request waits, or was refused because too many requests wait.
    mutating func queueUntilOpen(
        with request: TreeCommand, _ clock: TokenClock, _ command: CommandID, _ common: ClientCommon,
        into effects: inout [ClientEffect]
    ) -> Bool {
        var device = device ?? TreeDevice()
        device.hasReference = true
        self.device = device
        guard device.needsOpening else { return false }
        guard device.waiting.count < common.policy.outboxCountMax else {
            effects.complete(command, .limitExceeded)
            return true
        }
        self.device?.waiting.append(TreeDevice.Waiting(request: request, clock: clock, command: command))
        if device.stage == .closed { openDevice(into: &effects) }
        return true
    }

    // MARK: Answers

    /// Handles an answer of the device.
    ///
    /// - Returns: the requests that waited until the copy is open, for the caller to execute.
    mutating func deviceAnswered(
        _ answer: TreeDataAnswer, over connection: ConnectionID?, _ common: inout ClientCommon, at now: Instant,
        into effects: inout [ClientEffect]
    ) -> [TreeDevice.Waiting] {
        let context = TreeContext(connection: connection, now: now)
        switch answer {
        case .opened(let contents):
            guard device?.stage == .opening, let bytesMax = device?.bytesMax else { return [] }
            let time = serverMilliseconds
            execute(
                client.persist(with: contents, bytesMax: bytesMax, serverTime: time), context, &common, into: &effects)
            return deviceOpened(.open, .ok, into: &effects)
        case .read(let number, let storedData):
            execute(client.loaded(number, storedData, serverTime: serverMilliseconds), context, &common, into: &effects)
            return []
        case .failed(let status):
            let isOpening = device?.stage == .opening
            if !isOpening, device?.stage != .open { return [] }
            execute(client.abandonDevice(serverTime: serverMilliseconds), context, &common, into: &effects)
            return deviceOpened(.failed, status == .ok ? .dataUnavailable : status, into: &effects)
        }
    }

    /// Completes the command that turned persistence on, after the copy is open or cannot be opened.
    ///
    /// - Returns: the requests that waited.
    private mutating func deviceOpened(
        _ stage: TreeDevice.Stage, _ status: Status, into effects: inout [ClientEffect]
    ) -> [TreeDevice.Waiting] {
        guard var device else { return [] }
        device.stage = stage
        let waiting = device.waiting
        device.waiting = []
        if let command = device.command { effects.complete(command, status) }
        device.command = nil
        self.device = device
        return waiting
    }

    // MARK: Requests

    private func requestFromDevice(_ request: TreeDataRequest, into effects: inout [ClientEffect]) {
        guard let device else { return }
        effects.append(.data(DataRequest(generation: device.generation, .tree(request))))
    }

    /// Requests the stored data of queries, which ``TreeClient`` identifies by numbers.
    func load(_ number: UInt64, _ queries: [UInt64], into effects: inout [ClientEffect]) {
        requestFromDevice(.read(number: number, queries), into: &effects)
    }

    /// Requests that the device stores the changes. Called before a frame about these changes is sent, so that a
    /// process that is killed in between loses nothing.
    func storeChanges(_ changes: inout [TreeStorage.Change], into effects: inout [ClientEffect]) {
        guard !changes.isEmpty else { return }
        requestFromDevice(.change(changes), into: &effects)
        changes = []
    }

    /// Removes the pending writes of an ended login from the device, so that a later process does not send them (C-4).
    func releaseWrites(into effects: inout [ClientEffect]) {
        guard client.isPersistent, !client.unanswered.isEmpty else { return }
        requestFromDevice(.change(client.unanswered.map { .release($0.id) }), into: &effects)
    }
}
