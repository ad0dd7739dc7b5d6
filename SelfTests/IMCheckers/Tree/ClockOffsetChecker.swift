import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// An app that listens to the offset of its device's clock is notified of the value at the time of the connection
/// (SYNC-5).
struct ClockOffsetChecker {
    private static let path = ".info/serverTimeOffset"
    /// A smaller difference is rounding.
    private static let tolerance = 100.0
    /// An answer whose delay differs by more was not delayed: the server's clock was changed.
    private static let delayMax = 60_000.0
    /// The smallest delay of the server's time in this process, in milliseconds; nil if it has not arrived.
    private var delay: Double?
    /// The device's clock at instant zero, in milliseconds since 1970; nil if not known.
    private var deviceZero: Int64?
    private var due: Double?
    private var notifiedOffset: Double?
    /// The path at which the server's time was written in the current input, and whether the clock is unchanged after
    /// the notification.
    private var stamped: String?
    private var isClockKept = true

    mutating func observe(
        _ event: SessionEvent, _ trace: ClientTrace, epochMilliseconds epoch: Int64, into violations: inout [Violation]
    ) {
        if case .input = event.content { stamped = nil }
        switch event.content {
        case .start, .stop: self = ClockOffsetChecker()
        case .input(.clientCommand(_, .tree(let command, let clock))):
            if case .set(let path, let node) = command, node.leaf == .serverTimestamp { stamped = path }
            guard clock.deviceMilliseconds > 0, deviceZero == nil else { return }
            deviceZero = clock.deviceMilliseconds - event.time.nanoseconds / 1_000_000
        case .input(.app(.clockSet(let interval))):
            deviceZero = deviceZero.map { $0 + interval.inMilliseconds }
            isClockKept = false
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            guard case .loginAck(let reply) = frame.body, reply.status == .ok else { return }
            // An answer with a long delay is less exact than a faster one.
            let taken = Double(epoch + event.time.nanoseconds / 1_000_000 - reply.serverTimeMilliseconds)
            delay = delay.map { taken - $0 <= Self.delayMax ? min(taken, $0) : taken } ?? taken
            due = deviceZero.map { Double(epoch - $0) }
            isClockKept = true
        case .effect(.notify(.treeValue(Self.path, let node, _))):
            if case .number(let offset)? = node.leaf { notifiedOffset = offset }
        // The value shown before the server's answer is approximately the answer (SYNC-7).
        case .effect(.notify(.treeValue(let path, let node, _))) where path == stamped:
            // A value far from the times of the session was present before the write.
            guard case .number(let value)? = node.leaf, value > Double(epoch) / 2, let delay, isClockKept else {
                return
            }
            let now = Double(epoch + event.time.nanoseconds / 1_000_000)
            guard abs(value - now) > delay + Self.tolerance else { return }
            let detail = "\(Int64(value - now)) ms off"
            violations.append(Violation(.tree, "SYNC-7", "a time of the server is estimated wrongly", detail))
        default: break
        }
    }

    /// Call it if the client is online.
    var violation: Violation? {
        guard let due, let notifiedOffset, let delay, abs(notifiedOffset - due) > delay + Self.tolerance else {
            return nil
        }
        return Violation(.tree, "SYNC-5", "the app was told otherwise of its clock", "\(notifiedOffset), not \(due)")
    }
}
