import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// What an app reads where nobody else writes is what it wrote there last, with a network or without (SYNC-2, SYNC-4);
/// and what it may not read any more it does not see, whatever its device held (SYNC-9).
struct OwnPlaceOracle {
    private static let root = TreeLedger.own + "/"

    private var written: [String: TreeNode] = [:]
    private var reads: [CommandID: String] = [:]
    private var writes: [CommandID: String] = [:]
    /// Where a process before has written something that the server has not answered.
    private var left: Set<String> = []
    /// Where the last thing that the server said is that it may not read, and it has written nothing since.
    private var refused: Set<String> = []
    /// Those of them of which the device knows.
    private var refusedForGood: Set<String> = []

    /// - Parameters:
    ///   - isReliable: whether no frame can have been lost: what an answer went with comes at the next quiet moment.
    ///   - isKept: whether what this process is told outlives it.
    mutating func see(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, into faults: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop:
            // What its device holds outlives the process, and so may a write that nobody has heard of.
            let (refused, left) = (refused.intersection(refusedForGood), left.union(writes.values))
            self = OwnPlaceOracle()
            (self.refused, refusedForGood, self.left) = (refused, refused, left)
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .set(let path, let node) where path.hasPrefix(Self.root):
                written[path] = node
                writes[id] = path
                refused.remove(path)
            case .get(let path, nil) where path.hasPrefix(Self.root): reads[id] = path
            default: break
            }
        case .effect(.complete(let id, let completion)):
            if let path = reads[id], completion.status == .ok {
                shows(path, completion.rows.first?["value"] ?? "null", trace, into: &faults)
            }
            // What was not taken is not there.
            if let path = writes.removeValue(forKey: id) {
                if completion.status == .ok { left.remove(path) } else { written[path] = nil }
            }
            guard let path = reads.removeValue(forKey: id), completion.status == .ok, let node = written[path],
                // What has not been taken is seen here all the same.
                isReliable || writes.values.contains(path),
                let shown = completion.rows.first?["value"], shown != node.description
            else { return }
            faults.append(
                Violation(.tree, "SYNC-4", "a read gives another value than was written", "\(shown), not \(node)"))
        case .effect(.notify(.treeCancelled(let path, _, _))) where path.hasPrefix(Self.root):
            refused.insert(path)
            if isKept { refusedForGood.insert(path) }
        case .effect(.notify(.treeValue(let path, let node, _))) where path.hasPrefix(Self.root):
            shows(path, node.description, trace, into: &faults)
        default: break
        }
    }

    private mutating func shows(
        _ path: String, _ value: String, _ trace: ClientTrace, into faults: inout [Violation]
    ) {
        // An own word of which nobody has heard yet is shown.
        guard refused.contains(path), !writes.values.contains(path), !left.contains(path) else { return }
        if trace.openLink != nil {
            // The server has let it.
            refused.remove(path)
        } else if value != TreeNode.empty.description {
            faults.append(Violation(.tree, "SYNC-9", "what may not be read is shown from the device", value))
        }
    }
}

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
