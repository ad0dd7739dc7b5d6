import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// What an app reads where nobody else writes is what it wrote there last, with a network or without (SYNC-2, SYNC-4).
struct OwnPlaceOracle {
    private static let root = TreeLedger.own + "/"

    private var written: [String: TreeNode] = [:]
    private var reads: [CommandID: String] = [:]
    private var writes: [CommandID: String] = [:]

    /// - Parameter isReliable: whether no frame can have been lost: what an answer went with comes at the next quiet moment.
    mutating func see(_ event: SessionEvent, isReliable: Bool, into faults: inout [Violation]) {
        switch event.content {
        case .start, .stop: self = OwnPlaceOracle()
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .set(let path, let node) where path.hasPrefix(Self.root):
                written[path] = node
                writes[id] = path
            case .get(let path, nil) where path.hasPrefix(Self.root): reads[id] = path
            default: break
            }
        case .effect(.complete(let id, let completion)):
            // What was not taken is not there.
            if let path = writes.removeValue(forKey: id), completion.status != .ok { written[path] = nil }
            guard let path = reads.removeValue(forKey: id), completion.status == .ok, let node = written[path],
                // What has not been taken is seen here all the same.
                isReliable || writes.values.contains(path),
                let shown = completion.rows.first?["value"], shown != node.description
            else { return }
            faults.append(
                Violation(.tree, "SYNC-4", "a read gives another value than was written", "\(shown), not \(node)"))
        default: break
        }
    }
}
