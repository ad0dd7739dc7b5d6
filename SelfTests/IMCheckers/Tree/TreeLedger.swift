import IMClient
import IMProtocol
import IMSession
import IMTree
import SansIO

/// What apps wrote into the tree where nothing else is written: a counter that only transactions change says how many of
/// them took place, and a place that is written once is there (SYNC-4, SYNC-2, P15).
package struct TreeLedger {
    /// Only transactions that add one are run here.
    package static let counter = "n"
    /// Each place below is written once.
    package static let once = "w"
    /// Below, each client writes the place of its own name, and has the server write there when it is gone (SYNC-6).
    package static let presence = "p"
    /// Where clients write and read, each below its own name.
    package static let own = "o"
    /// Where a client reads, below its own name, what others write.
    package static let heard = "h"
    /// Where clients write and query, each below its own name, and take nothing away.
    package static let window = "q"
    /// Where a client has more than its device has room for, each below its own name; all of the same size.
    package static let recent = "r"

    private struct Asked {
        var path: String
        var isCounted: Bool
    }

    private struct Process {
        var open: [CommandID: Asked] = [:]
        var isKept = false
        /// Whether it has asked for anything of the tree before.
        var hasBegun = false
    }

    /// What a client last wrote at its own place, and over which link that was acknowledged.
    private struct OwnWord {
        var value: TreeNode
        var link: ConnectionID?
    }

    private var ownWords: [String: OwnWord] = [:]
    private var ownOpen: [String: [CommandID: TreeNode]] = [:]
    private var ownLast: [String: CommandID] = [:]
    private var processes: [String: Process] = [:]
    /// Whether so few writes may be made within a time that what is sent at once may be refused.
    package var areWritesFew = false
    private var counted = 0
    /// Transactions of which nobody knows how they ended.
    private var uncertain = 0
    /// Places that have to be there, with the client whose word they are.
    private var written: [String: String] = [:]
    /// Places that a process left behind for the next one that keeps what is written.
    private var left: [String: [String]] = [:]

    /// Whether what the client is told of the tree outlives its process.
    package func isKept(_ node: String) -> Bool { processes[node]?.isKept ?? false }

    package init() {}

    package mutating func seeClient(_ event: SessionEvent, _ trace: ClientTrace) {
        let node = event.node
        switch event.content {
        case .input(.clientCommand(let id, .tree(.set(Self.presence + "/" + node, let value), _))):
            ownOpen[node, default: [:]][id] = value
            ownLast[node] = id
            ownWords[node] = nil
            processes[node, default: Process()].hasBegun = true
        case .effect(.complete(let id, let completion)) where ownOpen[node]?[id] != nil:
            // Of several the last one holds, whichever answer comes last.
            guard let value = ownOpen[node]?.removeValue(forKey: id), completion.status == .ok, ownLast[node] == id
            else { return }
            ownWords[node] = OwnWord(value: value, link: trace.acceptedLink)
        case .start: processes[node] = Process()
        case .stop: stop(node)
        case .input(.clientCommand(let id, .tree(let command, _))): asked(id, command, node)
        case .effect(.complete(let id, let completion)): ended(id, completion, node)
        default: break
        }
    }

    private mutating func stop(_ node: String) {
        ownOpen[node] = nil
        ownWords[node] = nil
        guard let process = processes.removeValue(forKey: node) else { return }
        for asked in process.open.values {
            if asked.isCounted { uncertain += 1 }
            if !asked.isCounted, process.isKept { left[node, default: []].append(asked.path) }
        }
    }

    private mutating func asked(_ id: CommandID, _ command: TreeCommand, _ node: String) {
        var process = processes[node] ?? Process()
        defer { processes[node] = process }
        switch command {
        case .persistence(let bytes):
            if !process.hasBegun { process.isKept = bytes != nil }
        case .transaction(let path, _, _) where path == Self.counter:
            process.open[id] = Asked(path: path, isCounted: true)
        case .set(let path, _) where path.hasPrefix(Self.once + "/"):
            process.open[id] = Asked(path: path, isCounted: false)
        case .update(Self.once, let update) where update.parts.count == 1:
            let path = TreePath(keys: [TreeKey(Self.once)] + update.parts[0].keys).text
            process.open[id] = Asked(path: path, isCounted: false)
        default: break
        }
        process.hasBegun = true
    }

    private mutating func ended(_ id: CommandID, _ completion: Completion, _ node: String) {
        guard let asked = processes[node]?.open.removeValue(forKey: id) else { return }
        if completion.status == .ok {
            if asked.isCounted { counted += 1 } else { written[asked.path] = node }
        } else if asked.isCounted {
            // A link that broke with the answer leaves it open.
            uncertain += 1
        }
    }

    /// To be called where the client is online, nothing is under way and nothing has been wrong for long enough.
    package func faults(of node: String, root: TreeNode, link: ConnectionID?, isAlone: Bool) -> [Violation] {
        var faults: [Violation] = []
        // What the server writes at the end of an older link comes before anything that the newer one says (P8).
        if ownOpen[node]?.isEmpty ?? true, let own = ownWords[node], own.link != nil, own.link == link {
            let there = root[[TreeKey](path: "\(Self.presence)/\(node)")[...]]
            if there != own.value {
                faults.append(
                    Violation(.tree, "P8", "an order of an older link comes late", "\(there), not \(own.value)"))
            }
        }
        for (path, writer) in written.sorted(by: { $0.key < $1.key }) where writer == node {
            guard root[[TreeKey](path: path)[...]].isEmpty else { continue }
            faults.append(Violation(.tree, "SYNC-4", "a write that was acknowledged is not there", path))
        }
        if processes[node]?.isKept == true, !areWritesFew {
            for path in left[node] ?? [] where root[[TreeKey](path: path)[...]].isEmpty {
                faults.append(Violation(.tree, "SYNC-2", "a write that outlives its process was not sent", path))
            }
        }
        if isAlone, let value = root[TreeKey(Self.counter)].leaf {
            guard case .number(let number) = value else { return faults }
            if Int(number) < counted || Int(number) > counted + uncertain {
                let words = "\(Int(number)) after \(counted) transactions"
                faults.append(Violation(.tree, "SYNC-5", "transactions were lost or counted twice", words))
            }
        }
        return faults
    }
}

extension [TreeKey] {
    /// The place that a path of a scenario names.
    package init(path: String) { self = TreePath(path)?.keys ?? [] }
}
