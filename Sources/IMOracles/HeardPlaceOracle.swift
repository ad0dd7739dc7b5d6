import IMClient
import IMProtocol
import IMSession
import IMTree

/// Who reads without a network finds what was told last of a place, and not what was told of it before with the place above
/// (SYNC-2).
struct HeardPlaceOracle {
    private static let root = TreeLedger.heard + "/"

    private struct Told {
        var keys: [TreeKey]
        var node: TreeNode
    }

    /// What the app was told below its own name, oldest first; each place once.
    private var told: [Told] = []
    private var reads: [CommandID: [TreeKey]] = [:]

    /// - Parameters:
    ///   - isReliable: whether no frame can have been lost.
    ///   - isKept: whether what this process is told outlives it.
    mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, into faults: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: reads.removeAll()
        case .input(.clientCommand(let id, .tree(.get(let path, nil), _))):
            if path.hasPrefix(Self.root), trace.openLink == nil { reads[id] = [TreeKey](path: path) }
        case .effect(.notify(.treeValue(let path, let node, nil))):
            guard path.hasPrefix(Self.root), trace.openLink != nil else { return }
            let keys = [TreeKey](path: path)
            // Beside what may have been lost nothing is known of the places above and below either.
            told.removeAll {
                !isKept || (isReliable ? $0.keys == keys : $0.keys.starts(with: keys) || keys.starts(with: $0.keys))
            }
            if isReliable, isKept { told.append(Told(keys: keys, node: node)) }
        case .effect(.complete(let id, let completion)):
            guard let keys = reads.removeValue(forKey: id), completion.status == .ok, isReliable, isKept,
                let shown = completion.rows.first?["value"],
                let last = told.last(where: { keys.starts(with: $0.keys) || $0.keys.starts(with: keys) }),
                keys.starts(with: last.keys)
            else { return }
            let node = last.node[keys.dropFirst(last.keys.count)]
            guard shown != node.description else { return }
            faults.append(
                Violation(.tree, "SYNC-2", "a read finds something older than what was told", "\(shown), not \(node)"))
        default: break
        }
    }
}
