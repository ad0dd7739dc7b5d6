import IMLocalData
import IMProtocol
import IMServer
import IMSession

/// A redundant operation causes no notification: a block of a blocked user, or an unblock of a user who is not blocked
/// (CHAT-8).
struct IdleOperationOracle {
    private struct Pair: Hashable {
        var user: String
        var other: String
    }

    private var granted = GrantedChanges()
    /// True if the user blocks the other one, as far as it is known.
    private var shutOut: [Pair: Bool] = [:]
    /// The current operation, and whether a device was notified of it.
    private var asked: DeviceOperation?
    private var isTold = false
    /// A repeated operation has the same result as the first one.
    private var answered: Set<String> = []

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace, into faults: inout [Violation]) {
        let change = granted.next(event, trace)
        switch event.content {
        case .input(let input):
            (asked, isTold) = (nil, false)
            switch input {
            case .frame(_, let frame): if case .operation(let operation) = frame.body { asked = operation }
            case .serverCommand(_, .deleteAccount), .serverCommand(_, .putChange), .serverCommand(_, .populateData):
                shutOut.removeAll()
            default: break
            }
        case .effect(.send(_, let frame)):
            if case .operated(let operation) = frame.body, operation.id == asked?.id { isTold = true }
        default: break
        }
        guard let (user, granted) = change, case .blacklisted(let other, let isOn) = granted else { return }
        if let asked, !answered.insert("\(user) \(asked.id)").inserted { return }
        let before = shutOut.updateValue(isOn, forKey: Pair(user: user, other: other))
        guard before == isOn, isTold else { return }
        let words = "\(isOn ? "shut out" : "let in") by \(user): \(other)"
        faults.append(Violation(.messages, "CHAT-8", "what was so already is told", words))
    }
}
