import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// An app that listens to how far its device's clock is off was told what that was when its link was made (SYNC-5).
struct ClockOffsetOracle {
    private static let path = ".info/serverTimeOffset"
    /// What is less is rounding.
    private static let tolerance = 100.0
    /// A word of the server that differs by more is not late: its clock was set.
    private static let delayMax = 60_000.0
    /// How long the word on the server's time was on its way that came fastest in this process, in milliseconds; nil
    /// where none has come.
    private var delay: Double?
    /// What the device's clock showed at instant zero, in milliseconds since 1970; nil while that was not said.
    private var deviceZero: Int64?
    private var due: Double?
    private var told: Double?
    /// Where the server's time was written in the very input, and whether the clock is as it was when that was told.
    private var stamped: String?
    private var isClockKept = true

    mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, epochMilliseconds epoch: Int64, into faults: inout [Violation]
    ) {
        if case .input = event.content { stamped = nil }
        switch event.content {
        case .start, .stop: self = ClockOffsetOracle()
        case .input(.clientCommand(_, .tree(let command, let clock))):
            if case .set(let path, let node) = command, node.leaf == .serverTimestamp { stamped = path }
            guard clock.deviceMilliseconds > 0, deviceZero == nil else { return }
            deviceZero = clock.deviceMilliseconds - event.time.nanoseconds / 1_000_000
        case .input(.app(.clockSet(let interval))):
            deviceZero = deviceZero.map { $0 + interval.inMilliseconds }
            isClockKept = false
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            guard case .loginAck(let reply) = frame.body, reply.status == .ok else { return }
            // An answer that was long on its way says too little, and less than one that was faster.
            let taken = Double(epoch + event.time.nanoseconds / 1_000_000 - reply.serverTimeMilliseconds)
            delay = delay.map { taken - $0 <= Self.delayMax ? min(taken, $0) : taken } ?? taken
            due = deviceZero.map { Double(epoch - $0) }
            isClockKept = true
        case .effect(.notify(.treeValue(Self.path, let node, _))):
            if case .number(let offset)? = node.leaf { told = offset }
        // What is shown until the server has answered is what it will say, about (SYNC-7).
        case .effect(.notify(.treeValue(let path, let node, _))) where path == stamped:
            // A value far from any time of the session was there before the write.
            guard case .number(let value)? = node.leaf, value > Double(epoch) / 2, let delay, isClockKept else {
                return
            }
            let now = Double(epoch + event.time.nanoseconds / 1_000_000)
            guard abs(value - now) > delay + Self.tolerance else { return }
            let words = "\(Int64(value - now)) ms off"
            faults.append(Violation(.tree, "SYNC-7", "a time of the server is estimated wrongly", words))
        default: break
        }
    }

    /// To be called where the client is online.
    var fault: Violation? {
        guard let due, let told, let delay, abs(told - due) > delay + Self.tolerance else { return nil }
        return Violation(.tree, "SYNC-5", "the app was told otherwise of its clock", "\(told), not \(due)")
    }
}
