import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// Changes on the server reach the device's data once and without a gap: each page continues from the last stored
/// change (ZIM-9, C-15).
struct ChangeOracle {
    /// The number of the last change in the open data; nil if it is not known.
    private var position: UInt64?
    /// The last change that the server pushed over this connection.
    private var heard: UInt64?
    /// The fetch request that has no answer yet.
    private var asked: UInt32?
    /// True if changes were requested over this connection. Changes pushed before that request are covered by its
    /// answer.
    private var hasAsked = false

    mutating func see(_ event: SessionEvent, _ trace: ClientTrace, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = ChangeOracle()
        case .input(let input):
            if let position, let heard, heard > position, asked == nil {
                self.heard = nil
                let words = "\(heard), where the data ends with \(position)"
                faults.append(
                    Violation(.localData, "C-15", "a change that has come is neither taken in nor asked for", words))
            }
            given(input, trace)
        case .effect(.data(let request)):
            switch request.action {
            case .open, .close: self = ChangeOracle()
            case .apply(let page): taken(page, trace.input, into: &faults)
            case .call, .tree: break
            }
        case .effect(.send(_, let frame)):
            if case .fetchChanges = frame.body { (asked, hasAsked) = (frame.request, true) }
        case .effect(.closeLink), .effect(.connect): forgetLink()
        case .effect(.transition(let change)): if change.to != .online { forgetLink() }
        default: break
        }
    }

    private mutating func forgetLink() { (heard, asked, hasAsked) = (nil, nil, false) }

    private mutating func given(_ input: NodeInput, _ trace: ClientTrace) {
        switch input {
        case .data(let answer): if case .opened(let opened) = answer.outcome { position = opened }
        case .linkClosed, .linkFailed: if !trace.isInputStale { forgetLink() }
        // After a logout no more changes are applied.
        case .clientCommand(_, .logout): forgetLink()
        case .frame(_, let frame) where !trace.isInputStale:
            guard case .changes(let page) = frame.body else { return }
            if frame.request == asked { asked = nil }
            if frame.request == 0, hasAsked, trace.state == .online, position != nil {
                heard = page.changes.last?.number ?? heard
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
