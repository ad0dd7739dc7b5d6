import IMClient
import IMData
import IMProtocol
import IMSession
import IMTraces

/// What changed on the server comes to the device's data without a gap and once: each part behind what is there (ZIM-9,
/// C-15).
struct ChangeOracle {
    /// The number of the last change that is in the open data; nil while that is not known.
    private var position: UInt64?

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: position = nil
        case .input(.data(let answer)): if case .opened(let opened) = answer.outcome { position = opened }
        case .effect(.data(let request)):
            switch request.action {
            case .open, .close: position = nil
            case .apply(let page): taken(page, trace.input, into: &faults)
            case .call, .tree: break
            }
        default: break
        }
    }

    private mutating func taken(_ page: ChangePage, _ input: NodeInput?, into faults: inout [Violation]) {
        guard let position, case .frame(_, let frame)? = input, case .changes(let came) = frame.body else { return }
        if came.after > position {
            let words = "behind \(came.after), where the data ends with \(position)"
            faults.append(Violation(.localData, "C-15", "a change is taken in without the one before it", words))
        }
        if page.changes != came.changes.filter({ $0.number > position }) {
            let words = "\(page.changes.count) of \(came.changes.count), behind \(position)"
            faults.append(Violation(.localData, "ZIM-9", "what is taken in is not what came", words))
        }
        self.position = max(position, page.changes.last?.number ?? position)
    }
}
