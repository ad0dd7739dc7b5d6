import IMClient
import IMProtocol
import IMSession

/// What the server says to a listen that has ended, and that comes behind its end, is nobody's: no app is told of it (C-3,
/// SYNC-10).
struct EndedListenOracle {
    /// The numbers of the listens that were asked for over this link.
    private var asked: Set<UInt64> = []
    /// Those of them that were taken back.
    private var ended: Set<UInt64> = []
    private var isLate = false

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop, .effect(.connect): self = EndedListenOracle()
        case .effect(.send(_, let frame)):
            guard case .tree(let request) = frame.body else { return }
            switch request {
            case .listen(_, _, let number, _): asked.insert(number)
            case .unlisten(_, let number): ended.insert(number)
            default: break
            }
        case .input(let input):
            isLate = false
            if case .frame(_, let frame) = input, case .treeData(let data) = frame.body {
                isLate = asked.contains(data.listen) && ended.contains(data.listen)
            }
        case .effect(.notify(.treeValue(let path, _, _))) where isLate: told(path, into: &faults)
        case .effect(.notify(.treeChild(let notice))) where isLate: told(notice.path, into: &faults)
        default: break
        }
    }

    private func told(_ path: String, into faults: inout [Violation]) {
        faults.append(Violation(.tree, "SYNC-10", "what comes for a listen that has ended is told", path))
    }
}
