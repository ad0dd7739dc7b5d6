import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// What an app writes itself goes before what its transactions would make there: one that was begun before is not sent
/// from then on (SYNC-5).
struct TransactionOracle {
    private struct Begun {
        var id: CommandID
        var place: [TreeKey]
        var isOverridden = false
    }

    private var begun: [Begun] = []

    mutating func see(_ event: SessionEvent, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: begun.removeAll()
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .transaction(let path, _, _): begun.append(Begun(id: id, place: [TreeKey](path: path)))
            case .set(let path, _): override([TreeKey](path: path))
            case .update(let path, let update): for part in update.parts { override([TreeKey](path: path) + part.keys) }
            default: break
            }
        case .effect(.complete(let id, _)): begun.removeAll { $0.id == id }
        case .effect(.send(_, let frame)):
            guard case .tree(.transaction(let path, _, _)) = frame.body else { return }
            let place = [TreeKey](path: path)
            guard !begun.contains(where: { $0.place == place && !$0.isOverridden }) else { return }
            faults.append(Violation(.tree, "SYNC-5", "a transaction is sent behind a write of the app's own", path))
        default: break
        }
    }

    private mutating func override(_ place: [TreeKey]) {
        for index in begun.indices {
            let common = zip(begun[index].place, place).prefix { $0 == $1 }.count
            if common == min(begun[index].place.count, place.count) { begun[index].isOverridden = true }
        }
    }
}
