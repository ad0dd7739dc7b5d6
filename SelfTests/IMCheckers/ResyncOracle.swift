import IMClient
import IMProtocol
import IMSession

/// If a client sent two resync requests, only the answer to the later one counts (C-3, C-15).
struct ResyncOracle {
    /// The latest resync request that has no answer.
    private var asked: UInt32?
    /// True if the current effects follow from an answer to an earlier request.
    private var isOld = false

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = ResyncOracle()
        case .input(let input):
            isOld = false
            guard case .frame(_, let frame) = input, case .resyncAck = frame.body else { return }
            isOld = frame.request != asked
            if !isOld { asked = nil }
        case .effect(.send(_, let frame)): if case .resync = frame.body { asked = frame.request }
        case .effect(.notify), .effect(.transition):
            guard isOld else { return }
            faults.append(Violation(.agreement, "C-3", "an answer to an earlier question how things stand counts"))
        default: break
        }
    }
}
