import IMProtocol

/// The ids received from the processes of a device, so that a resent message is stored once, however many came in
/// between (C-14).
struct TakenIDs: Hashable, Sendable, Codable, EmptyWhenAbsent {
    private struct Process: Hashable, Sendable, Codable {
        var process: String
        var numbers = NumberRanges()
    }

    /// The process that sent most recently is the last.
    private var processes: [Process] = []

    init() {}

    func finding(_ id: String) -> NumberRanges.Finding {
        let id = OwnID(id)
        return processes.last { $0.process == id.process }?.numbers.finding(id.number) ?? .new
    }

    mutating func take(_ id: String, _ policy: ServerPolicy) {
        let id = OwnID(id)
        if let index = processes.lastIndex(where: { $0.process == id.process }) {
            if index != processes.count - 1 { processes.append(processes.remove(at: index)) }
        } else {
            processes.append(Process(process: id.process))
            if processes.count > policy.senderProcessesMax { processes.removeFirst() }
        }
        processes[processes.count - 1].numbers.take(id.number, rangesMax: policy.senderGapsMax + 1)
    }
}

/// Gives increasing numbers.
///
/// The first is the time at which it was given, in microseconds: a device or a channel that is created again under the
/// same name continues above all the numbers of the earlier one.
struct Numbering: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The number given last; 0 before the first.
    private(set) var last: UInt64 = 0

    init() {}

    /// - Parameter clock: the wall clock, milliseconds since 1970.
    mutating func next(clock: Int64) -> UInt64 {
        if last == 0 { last = UInt64(clamping: clock) &* 1000 }
        last &+= 1
        return last
    }
}
