import IMClient
import IMProtocol
import IMSession
import IMTree

/// If a device lacks room for all received data, the least recently used data is removed first (SYNC-3). A read without
/// a network must not find older data while newer data of the same size is missing.
struct EvictionOrderChecker {
    private static let root = TreeLedger.recent + "/"

    /// The order in which the paths were last used.
    private var uses: [String: Int] = [:]
    private var useCount = 0
    /// The paths whose data this process has received completely.
    private var received: Set<String> = []
    /// The paths at which the app has listened since the start of its process.
    private var listened: Set<String> = []
    /// The paths with a listener. Their data is never removed, however full the device is.
    private var active: Set<String> = []
    private var reads: [CommandID: String] = [:]
    private var found: Set<String> = []
    private var missing: Set<String> = []

    mutating func observe(_ event: SessionEvent, _ trace: ClientTrace, into violations: inout [Violation]) {
        switch event.content {
        case .start, .stop, .input(.linkOpened):
            reads.removeAll()
            (found, missing) = ([], [])
            if case .input = event.content { return }
            for path in active { uses[path] = nil }
            (active, listened, received) = ([], [], [])
        case .input(.clientCommand(let id, .tree(let command, _))):
            switch command {
            case .listen(let path, _):
                listened.insert(path)
                // If the device shows stored data, the data was used; if it has none, it was not. This cannot be
                // observed.
                if active.insert(path).inserted {
                    uses[path] = nil
                    received.remove(path)
                }
            case .unlisten(let path, _):
                active.remove(path)
                if received.contains(path) { use(path) }
            case .get(let path, nil) where path.hasPrefix(Self.root) && trace.openLink == nil:
                if !listened.contains(path) { reads[id] = path }
            default: break
            }
        case .input(.frame(_, let frame)) where !trace.isInputStale:
            guard case .treeData(let data) = frame.body, data.path.hasPrefix(Self.root),
                active.contains(data.path), case .set(let node) = data.change, !node.isEmpty
            else { return }
            received.insert(data.path)
            use(data.path)
        case .effect(.complete(let id, let completion)):
            guard let path = reads.removeValue(forKey: id), let use = uses[path] else { return }
            if completion.status == .ok, let value = completion.rows.first?["value"], value != "null" {
                found.insert(path)
                check(path, missing.contains { uses[$0] ?? 0 > use }, into: &violations)
            } else {
                missing.insert(path)
                check(path, found.contains { uses[$0] ?? use < use }, into: &violations)
            }
        default: break
        }
    }

    private mutating func use(_ path: String) {
        useCount += 1
        uses[path] = useCount
    }

    private func check(_ path: String, _ isWrong: Bool, into violations: inout [Violation]) {
        guard isWrong else { return }
        violations.append(Violation(.tree, "SYNC-3", "a device forgets what was used last before what is older", path))
    }
}
