import IMClient
import IMProtocol
import IMSession

/// The end of a pull is announced behind its beginning; one that breaks off has no end, and the next one a beginning of its
/// own (CHAT-12).
struct SyncAnnouncementOracle {
    private var hasBegun = false

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop, .effect(.closeLink): hasBegun = false
        case .input(.linkClosed), .input(.linkFailed): if !trace.isInputStale { hasBegun = false }
        case .effect(.notify(.syncStarted)):
            if hasBegun { faults.append(Violation(.messages, "CHAT-12", "a pull begins twice")) }
            hasBegun = true
        case .effect(.notify(.syncFinished)):
            if !hasBegun { faults.append(Violation(.messages, "CHAT-12", "a pull ends that never began")) }
            hasBegun = false
        default: break
        }
    }
}
