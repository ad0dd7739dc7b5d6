import IMClient
import IMProtocol
import IMSession

/// If a client sent two resync requests, only the answer to the later one counts (C-3, C-15).
struct ResyncChecker {
    /// The latest resync request that has no answer.
    private var latestRequest: UInt32?
    /// True if the current effects follow from an answer to an earlier request.
    private var isOld = false

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = ResyncChecker()
        case .input(let input):
            isOld = false
            guard case .frame(_, let frame) = input, case .resyncAck = frame.body else { return }
            isOld = frame.request != latestRequest
            if !isOld { latestRequest = nil }
        case .effect(.send(_, let frame)): if case .resync = frame.body { latestRequest = frame.request }
        case .effect(.notify), .effect(.transition):
            guard isOld else { return }
            violations.append(Violation(.agreement, "C-3", "an answer to an earlier question how things stand counts"))
        default: break
        }
    }
}
