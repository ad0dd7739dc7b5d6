import IMClient
import IMProtocol
import IMSession
import IMTree

/// Writes are sent in the order of the app's calls. Over each new connection the unanswered ones are sent again, so
/// that the app's last write reaches the server last (SYNC-10). The client leaves server timestamps to the server
/// (SYNC-7).
struct WriteOrderChecker {
    private struct Write: Equatable {
        var treePath: [TreeKey]
        var change: TreeWrite.Change

        /// True if a path of one write is at, above or below a path of the other.
        func meets(_ other: Write) -> Bool {
            treePaths.contains { own in other.treePaths.contains { $0.starts(with: own) || own.starts(with: $0) } }
        }

        private var treePaths: [[TreeKey]] {
            switch change {
            case .set: [treePath]
            case .update(let parts): parts.map { treePath + $0.keys }
            }
        }
    }

    /// All writes, oldest first. An answered write may be sent once more after an unanswered one.
    private var written: [(id: CommandID, write: Write)] = []
    /// Writes that were made twice, so that the two cannot be distinguished.
    private var repeated: [Write] = []
    /// The newest write that was sent over the open connection.
    private var last: CommandID?
    /// The writes that were sent over any connection, and those that a repeated earlier write has undone.
    private var sent: Set<CommandID> = []
    private var undone: Set<CommandID> = []

    mutating func observe(_ event: SessionEvent, into violations: inout [Violation]) {
        switch event.content {
        // Stored writes are sent by the next process, with other numbers.
        case .start, .stop:
            repeated += written.map(\.write)
            (written, last, sent, undone) = ([], nil, [], [])
        case .input(.linkOpened): last = nil
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .set(let path, let node): wrote(Write(treePath: [TreeKey](path: path), change: .set(node)), id)
            case .update(let path, let update):
                wrote(Write(treePath: [TreeKey](path: path), change: .update(update.parts)), id)
            default: break
            }
        case .effect(.send(_, let frame)):
            guard !written.isEmpty, case .tree(let request) = frame.body, let write = Self.write(request),
                !repeated.contains(write)
            else { return }
            guard let id = written.first(where: { $0.write == write })?.id else {
                if isTimeOfItsOwn(write) {
                    let detail = TreePath(keys: write.treePath).text
                    violations.append(Violation(.tree, "SYNC-7", "a client says what the server's time is", detail))
                }
                return
            }
            if let last, id.rawValue < last.rawValue {
                let detail = TreePath(keys: write.treePath).text
                violations.append(Violation(.tree, "SYNC-10", "writes go out in another order", detail))
            }
            last = id
            for later in written where later.id.rawValue > id.rawValue && sent.contains(later.id) {
                if later.write.meets(write) { undone.insert(later.id) }
            }
            sent.insert(id)
            undone.remove(id)
        case .effect(.complete(let id, let completion)) where completion.status != .ok:
            sent.remove(id)
            undone.remove(id)
        default: break
        }
    }

    /// Call it if no tree write waits.
    var violation: Violation? {
        undone.isEmpty ? nil : Violation(.tree, "SYNC-10", "an earlier write is sent again behind a later one")
    }

    private mutating func wrote(_ write: Write, _ id: CommandID) {
        for same in written where same.write == write {
            repeated.append(write)
            sent.remove(same.id)
            undone.remove(same.id)
        }
        written.append((id, write))
    }

    /// True if the client sends a time where the app wrote a server timestamp.
    private func isTimeOfItsOwn(_ write: Write) -> Bool {
        guard case .set(let node) = write.change, case .number(let number)? = node.leaf, number > 1e9 else {
            return false
        }
        return written.contains {
            $0.write == Write(treePath: write.treePath, change: .set(TreeNode(.serverTimestamp)))
        }
    }

    private static func write(_ request: TreeRequest) -> Write? {
        switch request {
        case .set(let path, let node): Write(treePath: [TreeKey](path: path), change: .set(node))
        case .update(let path, let parts): Write(treePath: [TreeKey](path: path), change: .update(parts))
        default: nil
        }
    }
}
