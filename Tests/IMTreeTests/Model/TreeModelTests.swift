import Foundation
import IMTree
import SansIO
import Testing

/// Three clients and a server get random inputs. Their listeners must agree with a model that computes everything again
/// each time. `make test-deep` runs more seeds. IMREPL_TREE_SEED sets the first seed.
@Suite struct TreeModelTests {
    static let seeds = number("IMREPL_TREE_SEEDS") ?? 100
    static let first = number("IMREPL_TREE_SEED") ?? 1

    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    @Test func listenersAgreeWithTheModel() {
        for seed in Self.first..<Self.first + Self.seeds {
            var source = TreeOpSource(seed: seed)
            let ops = (0..<300).map { _ in source.next() }
            guard faults(ops) != nil else { continue }
            let (short, faults) = shortened(ops)
            let steps = short.map { "  \($0)" }.joined(separator: "\n")
            Issue.record("seed \(seed):\n\(steps)\n\(faults.joined(separator: "\n"))")
            return
        }
    }

    /// After any broken connections, the counter equals the number of accepted transactions, and each client has
    /// received the results of its transactions.
    @Test func countsEveryTransaction() throws {
        let count = try TransactionExpression("value + 1")
        for seed in Self.first..<Self.first + Self.seeds {
            var random = SeededRandom(seed: seed)
            var world = TreeWorld()
            for _ in 0..<200 {
                let client = Int(random.below(3))
                switch random.below(8) {
                case 0, 1, 2: world.take(.run(client: client, ["n"], count, isVisible: random.below(2) == 0))
                case 3: world.take(random.below(4) == 0 ? .drop(client: client) : .connect(client: client))
                default: world.take(.arrive(client: client, atServer: random.below(2) == 0, 1 + Int(random.below(4))))
                }
            }
            world.reachQuiescence()
            let committed = world.clients.flatMap(\.outcomes).filter {
                if case .committed = $0 { true } else { false }
            }
            let unsure = world.clients.flatMap(\.outcomes).filter { $0 == .disconnected }
            #expect(world.faults == [])
            #expect(world.plain.at(["n"]).leaf ?? .number(0) == .number(Double(world.acceptedCount)), "seed \(seed)")
            #expect((committed.count...committed.count + unsure.count).contains(world.acceptedCount), "seed \(seed)")
        }
    }

    /// - Returns: the violations; nil if there are none.
    private func faults(_ ops: [TreeOp]) -> [String]? {
        var world = TreeWorld()
        for op in ops {
            world.take(op)
            if !world.faults.isEmpty { return world.faults }
        }
        world.reachQuiescence()
        return world.faults.isEmpty ? nil : world.faults
    }

    /// Removes steps that are not needed for the violation.
    private func shortened(_ ops: [TreeOp]) -> (ops: [TreeOp], faults: [String]) {
        var (ops, found) = (ops, faults(ops) ?? [])
        var size = ops.count / 2
        while size > 0 {
            var start = 0
            while start < ops.count {
                let fewer = Array(ops[..<start] + ops.dropFirst(start + size))
                if let faults = faults(fewer) { (ops, found) = (fewer, faults) } else { start += size }
            }
            size /= 2
        }
        return (ops, found)
    }
}
