import IMProtocol

/// The ids of the messages and operations that were received from the processes of a device. A message that arrives
/// again is stored once, even if many others arrived in between (C-14).
struct TakenIDs: Hashable, Sendable, Codable, EmptyWhenAbsent {
    private struct Process: Hashable, Sendable, Codable {
        var process: String
        var numbers = NumberRanges()
    }

    /// The processes that have sent messages; the one that sent most recently is the last.
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

/// A generator of increasing numbers.
///
/// The first number is the current time in microseconds. If a device or a channel is created again with the same name,
/// its numbers are therefore above all earlier ones.
struct Numbering: Hashable, Sendable, Codable, EmptyWhenAbsent {
    /// The latest number; 0 before the first.
    private(set) var last: UInt64 = 0

    init() {}

    /// - Parameter clock: the wall clock, milliseconds since 1970. Only the first call uses it.
    mutating func next(clock: Int64) -> UInt64 {
        if last == 0 { last = UInt64(clamping: clock) &* 1000 }
        last &+= 1
        return last
    }
}
