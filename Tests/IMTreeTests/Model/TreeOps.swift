import IMTree
import SansIO

/// A random event for three clients and a server.
enum TreeOp: Sendable {
    case listen(client: Int, [TreeKey], TreeQuery)
    case unlisten(client: Int, Int)
    case set(client: Int, [TreeKey], TreeNode, isVisible: Bool)
    case update(client: Int, [TreeKey], [TreeWrite.Part])
    case run(client: Int, [TreeKey], TransactionExpression, isVisible: Bool)
    /// This number of messages arrives.
    case arrive(client: Int, atServer: Bool, Int)
    /// All messages in flight arrive.
    case deliverAll
    case drop(client: Int)
    case connect(client: Int)
    /// This number of answers of the device arrives.
    case read(client: Int, Int)
    case keepSynced(client: Int, [TreeKey], TreeQuery, isOn: Bool)
    /// The process restarts, perhaps without the device's data.
    case kill(client: Int, losesDevice: Bool)
    /// The server refuses the next write, or the next listen if `listen` is true.
    case refuse(listen: Bool)
}

/// Generates random events.
struct TreeOpSource {
    var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    private static let expressions = [
        "value + 1", "if exists then abort else \"mine\"", "{\"a\": value/a + 1, \"b\": value/b}", "null", "timestamp",
        "if value/a > 1 then null else {\"a\": 2, \"c\": true}",
    ].compactMap { try? TransactionExpression($0) }

    private mutating func below(_ bound: Int) -> Int { Int(random.below(UInt64(bound))) }

    private mutating func one<Element>(of elements: [Element]) -> Element { elements[below(elements.count)] }

    private mutating func key() -> TreeKey { TreeKey(one(of: ["a", "b", "c", "d", "1", "2", "10"])) }

    private mutating func path(_ most: Int) -> [TreeKey] { (0..<below(most + 1)).map { _ in key() } }

    private mutating func leaf() -> TreeLeaf {
        switch below(8) {
        case 0: .bool(below(2) == 0)
        case 1: .text(one(of: ["x", "y"]))
        default: .number(Double(below(4)))
        }
    }

    private mutating func node(_ depth: Int) -> TreeNode {
        var node = TreeNode.empty
        switch below(depth > 0 ? 8 : 3) {
        case 0: return .empty
        case 1, 2: node = TreeNode(below(20) == 0 ? .serverTimestamp : leaf())
        default: for _ in 0...below(4) { node = node.setting(key(), to: self.node(depth - 1)) }
        }
        return below(4) == 0 ? node.with(priority: leaf()) : node
    }

    private mutating func query() -> TreeQuery {
        var query = TreeQuery()
        if below(3) == 0 { return query }
        query.order = one(of: [.priority, .key, .value, .child(["a"]), .child(["b", "a"])])
        if below(2) == 0 { query.limit = .init(one(of: [.first, .last]), 1 + below(3)) }
        if below(3) == 0 { query.start = bound(query.order) }
        if below(3) == 0 { query.end = bound(query.order) }
        return query
    }

    private mutating func bound(_ order: TreeOrder) -> TreeQuery.Bound {
        if order == .key { return TreeQuery.Bound(.text(key().text)) }
        return TreeQuery.Bound(below(6) == 0 ? nil : leaf(), key: below(3) == 0 ? key() : nil)
    }

    private mutating func parts() -> [TreeWrite.Part] {
        var parts: [TreeWrite.Part] = []
        for _ in 0...below(3) {
            let keys = [key()] + path(1)
            let isFree = !parts.contains { $0.keys.starts(with: keys) || keys.starts(with: $0.keys) }
            if isFree { parts.append(TreeWrite.Part(keys, node(1))) }
        }
        return parts
    }

    mutating func next() -> TreeOp {
        let client = below(3)
        switch below(47) {
        case 0..<6: return .listen(client: client, path(2), query())
        case 6..<8: return .unlisten(client: client, below(8))
        case 8..<15: return .set(client: client, path(3), node(2), isVisible: below(6) > 0)
        case 15, 16:
            return .set(
                client: client, path(2) + [.priority], below(3) == 0 ? .empty : TreeNode(leaf()), isVisible: true)
        case 17..<21: return .update(client: client, path(2), parts())
        case 21..<32: return .arrive(client: client, atServer: below(2) == 0, 1 + below(3))
        case 32..<36: return .deliverAll
        case 40, 41:
            return .run(client: client, path(2), one(of: TreeOpSource.expressions), isVisible: below(4) > 0)
        case 36: return .drop(client: client)
        case 37: return .connect(client: client)
        case 42, 43: return .read(client: client, 1 + below(3))
        case 44: return .keepSynced(client: client, path(2), query(), isOn: below(3) > 0)
        case 45, 46: return .kill(client: client, losesDevice: below(5) == 0)
        default: return .refuse(listen: below(3) == 0)
        }
    }
}
