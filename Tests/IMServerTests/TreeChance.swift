import IMClient
import IMProtocol
import IMTree
import SansIO
import TestSupport

/// Random requests about the tree, and random values.
enum TreeChance {
    static func request(_ random: inout SeededRandom) -> TreeRequest {
        let path = path(&random)
        switch random.below(11) {
        case 0...2: return .set(path: path, value(&random, depth: 0))
        case 3: return .update(path: path, parts(&random))
        case 4, 5: return .get(path: path, query(&random))
        case 6, 7: return .listen(path: path, query(&random), number: random.below(20))
        case 8: return .unlisten(path: path, number: random.below(20))
        case 9:
            let hash = random.below(2) == 0 ? TreeNode.null.hash : value(&random, depth: 0).hash
            return .transaction(path: path, value(&random, depth: 0), over: hash)
        default:
            return random.below(2) == 0
                ? .onDisconnect(path: path, value(&random, depth: 0)) : .cancelOnDisconnect(path: path)
        }
    }

    static func command(_ random: inout SeededRandom, under parent: String = "") -> TreeCommand {
        let path = path(&random, under: parent)
        switch random.below(14) {
        case 0...2: return .set(path: path, value(&random, depth: 0))
        case 3: return .set(path: path + "/.priority", .number(Double(random.below(3))))
        case 4: return .update(path: path, TreeUpdate(parts(&random)))
        case 5: return .get(path: path, query(&random))
        case 6, 7, 8: return .listen(path: path, TreeListening(query(&random)))
        case 9: return .unlisten(path: path, random.below(2) == 0 ? nil : query(&random))
        case 10: return .push(path: path, value(&random, depth: 1))
        case 11, 12:
            return .transaction(path: path, expressions[Int(random.below(3))], isHidden: random.below(2) == 0)
        default:
            return random.below(2) == 0
                ? .onDisconnect(path: path, value(&random, depth: 0)) : .cancelOnDisconnect(path: path)
        }
    }

    private static let expressions = ["value + 1", "if exists then abort else \"mine\"", "{\"k0\":1}"].compactMap {
        try? TransactionExpression($0)
    }

    private static func path(_ random: inout SeededRandom, under parent: String = "") -> String {
        ((parent.isEmpty ? [] : [parent]) + (0..<random.below(4)).map { _ in "k\(random.below(3))" })
            .joined(separator: "/")
    }

    private static func parts(_ random: inout SeededRandom) -> [TreeWrite.Part] {
        random.below(2) == 0
            ? .parts(["k0": value(&random, depth: 1)])
            : .parts(["k0/k1": value(&random, depth: 2), "k2": value(&random, depth: 1), "k1/.priority": .number(1)])
    }

    private static func query(_ random: inout SeededRandom) -> TreeQuery {
        switch random.below(8) {
        case 0: TreeQuery(order: .value, limit: .init(.last, 2))
        case 1: TreeQuery(order: .key, start: .init(.text("k1")))
        case 2: TreeQuery(order: .child(["k0"]), limit: .init(.first, 1))
        case 3: TreeQuery(end: .init(.number(1)))
        default: .all
        }
    }

    static func value(_ random: inout SeededRandom, depth: Int) -> TreeNode {
        switch random.below(depth < 3 ? 7 : 5) {
        case 0: .null
        case 1: .bool(random.below(2) == 0)
        case 2, 3: .number(Double(random.below(5)))
        case 4: .text("t\(random.below(3))")
        default:
            .children((0..<random.below(4)).map { ("k\($0)", value(&random, depth: depth + 1)) })
        }
    }

    /// A value that a correct client does not send.
    static func wildValue(_ random: inout SeededRandom) -> TreeNode {
        switch random.below(8) {
        case 0: .number([.nan, .infinity, -0.0, 1e308][Int(random.below(4))])
        case 1: TreeNode(.bool(true), priority: .number(.nan))
        case 2: .children([("a.b", .bool(true))])
        case 3: .children([("", .bool(true))])
        case 4: (0..<40).reduce(TreeNode.bool(true)) { value, _ in .children([("d", value)]) }
        case 5: .text(String(repeating: "x", count: Int(random.below(70_000))))
        default: value(&random, depth: 0)
        }
    }

    private static func wildParts(_ random: inout SeededRandom) -> [TreeWrite.Part] {
        switch random.below(4) {
        case 0: []
        case 1: [TreeWrite.Part([], wildValue(&random))]
        case 2: [TreeWrite.Part(["a"], wildValue(&random)), TreeWrite.Part(["a", "b"], wildValue(&random))]
        default: [TreeWrite.Part(["a", ".priority"], wildValue(&random)), TreeWrite.Part(["#"], .null)]
        }
    }

    /// The command for a random request that a correct client does not send.
    static func wildCommand(_ random: inout SeededRandom) -> TreeCommand {
        switch wildRequest(&random) {
        case .set(let path, let node): .set(path: path, node)
        case .update(let path, let parts): .update(path: path, TreeUpdate(parts))
        case .transaction(let path, let node, _): .push(path: path, node)
        case .get(let path, let query): .get(path: path, query)
        case .listen(let path, let query, _, _): .listen(path: path, TreeListening(query, kinds: []))
        case .unlisten(let path, _): .unlisten(path: path)
        case .onDisconnect(let path, let node): .onDisconnect(path: path, node)
        case .onDisconnectUpdate(let path, let parts): .onDisconnectUpdate(path: path, TreeUpdate(parts))
        case .cancelOnDisconnect(let path): .cancelOnDisconnect(path: path)
        }
    }

    static func wildRequest(_ random: inout SeededRandom) -> TreeRequest {
        let paths = ["", "/", "k0", "k0/k1", ".info", ".info/connected", "a//b", "//", "\u{301}", "k0/\u{301}", "#"]
        let path = paths[Int(random.below(UInt64(paths.count)))]
        switch random.below(9) {
        case 7: return .transaction(path: path, wildValue(&random), over: TreeHash(rawValue: 0))
        case 0: return .set(path: path, wildValue(&random))
        case 1: return .update(path: path, wildParts(&random))
        case 2: return .get(path: path)
        case 3: return .listen(path: path, number: .max)
        case 4: return .unlisten(path: path, number: 0)
        case 5: return .onDisconnect(path: path, wildValue(&random))
        case 6: return .onDisconnectUpdate(path: path, wildParts(&random))
        default: return .cancelOnDisconnect(path: path)
        }
    }
}
