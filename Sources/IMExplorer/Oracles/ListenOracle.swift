import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// A client listens where its app listens, or has something kept up to date, and nowhere else (SYNC-3, SYNC-4).
struct ListenOracle {
    private var listening: [(path: String, query: TreeQuery)] = []
    private var kept: [(path: String, query: TreeQuery)] = []

    mutating func see(_ event: SessionEvent) {
        switch event.content {
        case .start, .stop: self = ListenOracle()
        case .input(.clientCommand(_, .tree(let command, _))):
            switch command {
            case .listen(let path, let listening): self.listening.append((path, listening?.query ?? .all))
            case .unlisten(let path, let query):
                listening.removeAll { $0.path == path && (query == nil || $0.query == query) }
            case .keep(let path, let query, let isOn):
                kept.removeAll { $0.path == path && $0.query == query ?? .all }
                if isOn { kept.append((path, query ?? .all)) }
            default: break
            }
        default: break
        }
    }

    /// To be called where no transaction waits: those listen for themselves.
    func fault(_ listens: [TreeListen]) -> Violation? {
        let asked = Set((listening + kept).map { TreePath(keys: [TreeKey](path: $0.path)).text })
        for listen in listens {
            let path = TreePath(keys: listen.place).text
            guard !asked.contains(path) else { continue }
            return Violation(.tree, "SYNC-3", "a place is listened to that nobody asked for", path)
        }
        return nil
    }
}
