import IMClient
import IMDialects
import IMSession

/// An app is told of a state once: in its vendor's words two changes that look alike to it are one (CHAT-1, C-3).
struct StateToldOracle {
    /// What the running process was told last.
    private var told: Callback?

    mutating func see(_ event: SessionEvent, _ dialect: any Dialect, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: told = nil
        case .effect(.transition(let change)):
            guard let callback = dialect.callback(for: .transition(change)) else { return }
            if callback == told {
                let words = "\(change.from.name) to \(change.to.name)"
                faults.append(Violation(.links, "CHAT-1", "an app is told of the state that it knows of", words))
            }
            told = callback
        default: break
        }
    }
}
