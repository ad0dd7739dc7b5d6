import IMClient
import IMProtocol
import IMSession

/// Of two questions how things stand only the answer to the later one says anything (C-3, C-15).
struct ResyncOracle {
    /// The latest question that has no answer.
    private var asked: UInt32?
    /// Whether what is seen follows from an answer to another one.
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
