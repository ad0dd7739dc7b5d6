import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// A redundant operation causes no notification: a block of a blocked user, or an unblock of a user who is not blocked
/// (CHAT-8).
struct IdleOperationChecker {
    private struct Pair: Hashable {
        var user: String
        var other: String
    }

    private var granted = GrantedChanges()
    /// True if the user blocks the other one, as far as it is known.
    private var blocked: [Pair: Bool] = [:]
    /// The current operation, and whether a device was notified of it.
    private var current: DeviceOperation?
    private var isNotified = false
    /// A repeated operation has the same result as the first one.
    private var answered: Set<String> = []

    mutating func observeServer(_ event: SessionEvent, _ trace: ServerTrace, into violations: inout [Violation]) {
        let change = granted.next(event, trace)
        switch event.content {
        case .input(let input):
            (current, isNotified) = (nil, false)
            switch input {
            case .frame(_, let frame): if case .operation(let operation) = frame.body { current = operation }
            case .serverCommand(_, .deleteAccount), .serverCommand(_, .putChange), .serverCommand(_, .populateData):
                blocked.removeAll()
            default: break
            }
        case .effect(.send(_, let frame)):
            if case .operated(let operation) = frame.body, operation.id == current?.id { isNotified = true }
        default: break
        }
        guard let (user, granted) = change, case .blacklisted(let other, let isOn) = granted else { return }
        if let current, !answered.insert("\(user) \(current.id)").inserted { return }
        let before = blocked.updateValue(isOn, forKey: Pair(user: user, other: other))
        guard before == isOn, isNotified else { return }
        let detail = "\(isOn ? "shut out" : "let in") by \(user): \(other)"
        violations.append(Violation(.messages, "CHAT-8", "what was so already is told", detail))
    }
}
