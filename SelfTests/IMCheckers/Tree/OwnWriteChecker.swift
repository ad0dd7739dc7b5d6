import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// At a path where nobody else writes, an app reads the value that it wrote last, with or without a network (SYNC-2,
/// SYNC-4). It does not see data that it may no longer read, whatever its device stores (SYNC-9).
struct OwnWriteChecker {
    private static let root = TreeLedger.own + "/"

    private var written: [String: TreeNode] = [:]
    private var reads: [CommandID: String] = [:]
    private var writes: [CommandID: String] = [:]
    /// Paths of unanswered writes of an earlier process.
    private var left: Set<String> = []
    /// Paths whose last answer was a refusal to read, without a later write of this app.
    private var refused: Set<String> = []
    /// The refused paths that the device has stored.
    private var refusedForGood: Set<String> = []

    /// - Parameters:
    ///   - isReliable: true if no frame can have been lost. Data that was lost with an answer arrives only at the next
    ///     quiescence.
    ///   - isKept: true if the data that this process receives is stored for the next one.
    mutating func observe(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop:
            // The device's data outlives the process, and so may a write that the server has not received.
            let (refused, left) = (refused.intersection(refusedForGood), left.union(writes.values))
            self = OwnWriteChecker()
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
                shows(path, completion.rows.first?["value"] ?? "null", trace, into: &violations)
            }
            // A write that was not accepted is not present.
            if let path = writes.removeValue(forKey: id) {
                if completion.status == .ok { left.remove(path) } else { written[path] = nil }
            }
            guard let path = reads.removeValue(forKey: id), completion.status == .ok, let node = written[path],
                // An unacknowledged write is visible on this device in any case.
                isReliable || writes.values.contains(path),
                let shown = completion.rows.first?["value"], shown != node.description
            else { return }
            violations.append(
                Violation(.tree, "SYNC-4", "a read gives another value than was written", "\(shown), not \(node)"))
        case .effect(.notify(.treeCancelled(let path, _, _))) where path.hasPrefix(Self.root):
            refused.insert(path)
            if isKept { refusedForGood.insert(path) }
        case .effect(.notify(.treeValue(let path, let node, _))) where path.hasPrefix(Self.root):
            shows(path, node.description, trace, into: &violations)
        default: break
        }
    }

    private mutating func shows(
        _ path: String, _ value: String, _ trace: ClientTrace, into violations: inout [Violation]
    ) {
        // An own write that the server has not received yet is shown.
        guard refused.contains(path), !writes.values.contains(path), !left.contains(path) else { return }
        if trace.openLink != nil {
            // The server has allowed the read.
            refused.remove(path)
        } else if value != TreeNode.empty.description {
            violations.append(Violation(.tree, "SYNC-9", "what may not be read is shown from the device", value))
        }
    }
}

/// A read without a network returns the latest notified value of a path, not an older one that came with a path above
/// (SYNC-2).
struct OfflineReadChecker {
    private static let root = TreeLedger.foreign + "/"

    private struct NotifiedValue {
        var keys: [TreeKey]
        var node: TreeNode
    }

    /// The notified values below the app's own path, oldest first, one per path.
    private var notified: [NotifiedValue] = []
    private var reads: [CommandID: [TreeKey]] = [:]

    /// - Parameters:
    ///   - isReliable: true if no frame can have been lost.
    ///   - isKept: true if the data that this process receives is stored for the next one.
    mutating func observe(
        _ event: SessionEvent, _ trace: ClientTrace, isReliable: Bool, isKept: Bool, into violations: inout [Violation]
    ) {
        switch event.content {
        case .start, .stop: reads.removeAll()
        case .input(.clientCommand(let id, .tree(.get(let path, nil), _))):
            if path.hasPrefix(Self.root), trace.openLink == nil { reads[id] = [TreeKey](path: path) }
        case .effect(.notify(.treeValue(let path, let node, nil))):
            guard path.hasPrefix(Self.root), trace.openLink != nil else { return }
            let keys = [TreeKey](path: path)
            // If a frame may have been lost, the values above and below are unknown, too.
            notified.removeAll {
                !isKept || (isReliable ? $0.keys == keys : $0.keys.starts(with: keys) || keys.starts(with: $0.keys))
            }
            if isReliable, isKept { notified.append(NotifiedValue(keys: keys, node: node)) }
        case .effect(.complete(let id, let completion)):
            guard let keys = reads.removeValue(forKey: id), completion.status == .ok, isReliable, isKept,
                let shown = completion.rows.first?["value"],
                let last = notified.last(where: { keys.starts(with: $0.keys) || $0.keys.starts(with: keys) }),
                keys.starts(with: last.keys)
            else { return }
            let node = last.node[keys.dropFirst(last.keys.count)]
            guard shown != node.description else { return }
            violations.append(
                Violation(.tree, "SYNC-2", "a read finds something older than what was told", "\(shown), not \(node)"))
        default: break
        }
    }
}
