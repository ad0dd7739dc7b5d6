import IMClient
import IMProtocol
import IMSession
import SansIO

/// What a user does on one device is told to each of the user's others, once, whatever was lost on its way (CHAT-8,
/// CHAT-9).
struct OperationOracle {
    private typealias Place = ServerTrace.Place

    /// What the server has handed to each device, by its id.
    private var handed: [Place: Set<String>] = [:]
    /// What each client's process was told, and what was told ever.
    private var toldNow: [String: Set<String>] = [:]
    private var toldEver: [String: Set<String>] = [:]

    mutating func seeServer(_ event: SessionEvent, _ trace: ServerTrace) {
        switch event.content {
        case .input(.serverCommand(_, .deleteAccount(let user))): handed = handed.filter { $0.key.user != user }
        case .effect(.send(let connection, let frame)):
            guard case .operated(let operation) = frame.body, let place = trace.carried[connection]?.place else {
                return
            }
            handed[place, default: []].insert(operation.id)
        default: break
        }
    }

    mutating func seeClient(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: toldNow[event.node] = nil
        case .effect(.notify(.operated(let operation))):
            toldEver[event.node, default: []].insert(operation.id)
            guard !toldNow[event.node, default: []].insert(operation.id).inserted else { return }
            let words = "\(operation.kind.name) of '\(operation.target)'"
            faults.append(Violation(.messages, "CHAT-8", "what was done on another device is told twice", words))
        default: break
        }
    }

    /// To be called where the client is online and nothing is under way.
    func fault(of node: String, user: String, device: String) -> Violation? {
        guard let handed = handed[Place(user: user, device: device)],
            let missing = handed.subtracting(toldEver[node] ?? []).min()
        else { return nil }
        return Violation(.messages, "CHAT-8", "what was done on another device was never told", missing)
    }
}
