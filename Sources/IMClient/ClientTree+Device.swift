import IMProtocol
import IMTree
import SansIO

// The part of the tree that outlives the process (SYNC-2, SYNC-3): requests to the device are effects, its answers
// inputs.

extension ClientTree {
    // MARK: Opening

    /// Turns persistence on or off, before the first use of the tree.
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
        ask(.open, into: &effects)
    }

    /// Makes a request wait if the device is not open yet; from now on the persistence setting is fixed.
    ///
    /// - Returns: true if it waits, or was refused because too many do.
    mutating func isWaiting(
        with request: TreeCommand, _ clock: TokenClock, _ command: CommandID, _ common: ClientCommon,
        into effects: inout [ClientEffect]
    ) -> Bool {
        var device = device ?? TreeDevice()
        device.hasReference = true
        self.device = device
        guard device.isAwaited else { return false }
        guard device.waiting.count < common.policy.outboxCountMax else {
            effects.complete(command, .limitExceeded)
            return true
        }
        self.device?.waiting.append(TreeDevice.Waiting(request: request, clock: clock, command: command))
        if device.stage == .closed { openDevice(into: &effects) }
        return true
    }

    // MARK: Answers

    /// - Returns: the requests that waited for the opening.
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
        case .read(let number, let held):
            execute(client.loaded(number, held, serverTime: serverMilliseconds), context, &common, into: &effects)
            return []
        case .failed(let status):
            let isOpening = device?.stage == .opening
            if !isOpening, device?.stage != .open { return [] }
            execute(client.abandonDevice(serverTime: serverMilliseconds), context, &common, into: &effects)
            return deviceOpened(.failed, status == .ok ? .dataUnavailable : status, into: &effects)
        }
    }

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

    private func ask(_ request: TreeDataRequest, into effects: inout [ClientEffect]) {
        guard let device else { return }
        effects.append(.data(DataRequest(generation: device.generation, .tree(request))))
    }

    func load(_ number: UInt64, _ queries: [UInt64], into effects: inout [ClientEffect]) {
        ask(.read(number: number, queries), into: &effects)
    }

    /// Stores the changes on the device before a frame about them is sent.
    func keep(_ changes: inout [TreeStorage.Change], into effects: inout [ClientEffect]) {
        guard !changes.isEmpty else { return }
        ask(.change(changes), into: &effects)
        changes = []
    }

    /// Removes the writes of an ended login from the device, too (C-4).
    func releaseWrites(into effects: inout [ClientEffect]) {
        guard client.isPersistent, !client.unanswered.isEmpty else { return }
        ask(.change(client.unanswered.map { .release($0.id) }), into: &effects)
    }
}
