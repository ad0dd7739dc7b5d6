import IMClient
import IMLocalData
import IMProtocol
import IMSession

/// Changes on the server reach the device's data once and without a gap: each page continues from the last stored
/// change (ZIM-9, C-15).
struct ChangeChecker {
    /// The number of the last change in the open data; nil if it is not known.
    private var position: UInt64?
    /// The last change that the server pushed over this connection.
    private var pushed: UInt64?
    /// The fetch request that has no answer yet.
    private var fetchRequest: UInt32?
    /// True if changes were requested over this connection. Changes pushed before that request are covered by its
    /// answer.
    private var hasFetched = false

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = ChangeChecker()
        case .input(let input):
            if let position, let pushed, pushed > position, fetchRequest == nil {
                self.pushed = nil
                let detail = "\(pushed), where the data ends with \(position)"
                violations.append(
                    Violation(.localData, "C-15", "a change that has come is neither taken in nor asked for", detail))
            }
            handleInput(input, trace)
        case .effect(.data(let request)):
            switch request.action {
            case .open, .close: self = ChangeChecker()
            case .apply(let page): applied(page, trace.input, into: &violations)
            case .call, .tree: break
            }
        case .effect(.send(_, let frame)):
            if case .fetchChanges = frame.body { (fetchRequest, hasFetched) = (frame.request, true) }
        case .effect(.closeLink), .effect(.connect): forgetLink()
        case .effect(.transition(let change)): if change.to != .online { forgetLink() }
        default: break
        }
    }

    private mutating func forgetLink() { (pushed, fetchRequest, hasFetched) = (nil, nil, false) }

    private mutating func handleInput(_ input: NodeInput, _ trace: ClientTrace) {
        switch input {
        case .data(let answer): if case .opened(let opened) = answer.outcome { position = opened }
        case .linkClosed, .linkFailed: if !trace.isInputStale { forgetLink() }
        // After a logout no more changes are applied.
        case .clientCommand(_, .logout): forgetLink()
        case .frame(_, let frame) where !trace.isInputStale:
            guard case .changes(let page) = frame.body else { return }
            if frame.request == fetchRequest { fetchRequest = nil }
            if frame.request == 0, hasFetched, trace.state == .online, position != nil {
                pushed = page.changes.last?.number ?? pushed
            }
        default: break
        }
    }

    private mutating func applied(_ page: ChangePage, _ input: NodeInput?, into violations: inout [Violation]) {
        guard let position, case .frame(_, let frame)? = input, case .changes(let received) = frame.body else { return }
        if received.after > position {
            let detail = "behind \(received.after), where the data ends with \(position)"
            violations.append(Violation(.localData, "C-15", "a change is taken in without the one before it", detail))
        }
        if page.changes != received.changes.filter({ $0.number > position }) {
            let detail = "\(page.changes.count) of \(received.changes.count), behind \(position)"
            violations.append(Violation(.localData, "ZIM-9", "what is taken in is not what came", detail))
        }
        self.position = max(position, page.changes.last?.number ?? position)
    }
}
