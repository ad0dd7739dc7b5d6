import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// Values that one process pushes have names in the order of the pushes, even if its clock changes in between (SYNC-7).
struct PushOrderChecker {
    /// The pushes that have no answer yet.
    private var unanswered: Set<CommandID> = []
    /// The names of the answered pushes.
    private var names: [CommandID: String] = [:]

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = PushOrderChecker()
        case .input(.clientCommand(let id, .tree(.push, _))): unanswered.insert(id)
        case .effect(.complete(let id, let completion)):
            guard unanswered.remove(id) != nil, let path = completion.rows.first?["path"] else { return }
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            for (other, known) in names
            where (other.rawValue < id.rawValue) != (known.utf8.lexicographicallyPrecedes(name.utf8)) {
                let detail = other.rawValue < id.rawValue ? "\(known), \(name)" : "\(name), \(known)"
                violations.append(Violation(.tree, "SYNC-7", "what was added later comes first", detail))
                break
            }
            names[id] = name
        default: break
        }
    }
}
