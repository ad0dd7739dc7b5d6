import IMProtocol
import SansIO

/// Requests about the tree and values for it, drawn by chance.
enum TreeChance {
    static func request(_ random: inout SeededRandom, under place: String = "") -> TreeRequest {
        let keys = (place.isEmpty ? [] : [place]) + (0..<random.below(4)).map { _ in "k\(random.below(3))" }
        let path = keys.joined(separator: "/")
        switch random.below(10) {
        case 0...2: return .set(path: path, value(&random, depth: 0))
        case 3: return .update(path: path, .children([TreeChild("k0", value(&random, depth: 1))]))
        case 4, 5: return .get(path: path)
        case 6, 7: return .listen(path: path)
        case 8: return .unlisten(path: path)
        default:
            return random.below(2) == 0
                ? .onDisconnect(path: path, value(&random, depth: 0), merges: false) : .cancelOnDisconnect(path: path)
        }
    }

    static func value(_ random: inout SeededRandom, depth: Int) -> TreeValue {
        switch random.below(depth < 3 ? 7 : 5) {
        case 0: .null
        case 1: .bool(random.below(2) == 0)
        case 2, 3: .number(Double(random.below(5)))
        case 4: .text("t\(random.below(3))")
        default:
            .children((0..<random.below(4)).map { TreeChild("k\($0)", value(&random, depth: depth + 1)) })
        }
    }

    /// A value that nobody who keeps to the protocol sends.
    static func wildValue(_ random: inout SeededRandom) -> TreeValue {
        switch random.below(8) {
        case 0: .number([.nan, .infinity, -0.0, 1e308][Int(random.below(4))])
        case 1: .children([TreeChild("b", .null), TreeChild("a", .null)])
        case 2: .children([TreeChild("a", .bool(true)), TreeChild("a", .bool(false))])
        case 3: .children([])
        case 4: (0..<40).reduce(TreeValue.bool(true)) { value, _ in .children([TreeChild("d", value)]) }
        case 5: .text(String(repeating: "x", count: Int(random.below(70_000))))
        default: value(&random, depth: 0)
        }
    }

    static func wildRequest(_ random: inout SeededRandom) -> TreeRequest {
        let paths = ["", "/", "k0", "k0/k1", ".info", ".info/connected", "a//b", "//", "\u{301}", "k0/\u{301}", "#"]
        let path = paths[Int(random.below(UInt64(paths.count)))]
        switch random.below(8) {
        case 0: return .set(path: path, wildValue(&random))
        case 1: return .update(path: path, wildValue(&random))
        case 2: return .get(path: path)
        case 3: return .listen(path: path)
        case 4: return .unlisten(path: path)
        case 5: return .onDisconnect(path: path, wildValue(&random), merges: false)
        case 6: return .onDisconnect(path: path, wildValue(&random), merges: true)
        default: return .cancelOnDisconnect(path: path)
        }
    }
}
