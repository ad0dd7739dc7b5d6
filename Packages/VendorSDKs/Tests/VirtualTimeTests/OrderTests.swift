import Testing
import VirtualTime

@Suite struct OrderTests {
    @Test func withoutASeedTheFirstInIsTheFirstOut() async throws {
        let order = try await orderOfHops(seed: nil)
        #expect(order == Array(0..<8))
    }

    @Test func aSeedDeterminesTheOrderOfHops() async throws {
        var orders: Set<[Int]> = []
        for seed in 0..<20 {
            let order = try await orderOfHops(seed: UInt64(seed))
            #expect(order.sorted() == Array(0..<8))
            let again = try await orderOfHops(seed: UInt64(seed))
            #expect(again == order)
            orders.insert(order)
        }
        #expect(orders.count > 15)
    }

    @Test(arguments: [nil, 1, 2, 3, 4, 5, 6, 7] as [UInt64?])
    func tasksOfTheMainActorKeepTheirOrder(seed: UInt64?) async throws {
        let order = try await withVirtualTime(seed: seed) { time in
            var order: [Int] = []
            for number in 0..<8 { Task { @MainActor in order.append(number) } }
            await time.runDueEntries()
            return order
        }
        #expect(order == Array(0..<8))
    }

    @Test(arguments: [nil, 1, 2, 3, 4, 5, 6, 7] as [UInt64?])
    func theOrderThatAContextGuaranteesIsKept(seed: UInt64?) async throws {
        let queue = SerialQueue(label: "queue")
        try await withVirtualTime(seed: seed) { time in
            var onMain: [Int] = []
            var onQueue: [Int] = []
            for number in 0..<20 {
                time.enqueue(at: .main, isOrdered: true, label: EntryLabel("a block")) { onMain.append(number) }
                time.enqueue(at: .queue(queue), isOrdered: true, label: EntryLabel("a block")) {
                    onQueue.append(number)
                }
                Task {}
            }
            await time.runDueEntries()
            #expect(onMain == Array(0..<20))
            #expect(onQueue == Array(0..<20))
        }
    }

    @Test func dueTimeHasPriorityOverRandomOrder() async throws {
        for seed in 0..<20 as Range<UInt64> {
            try await withVirtualTime(seed: seed) { time in
                var order: [UInt64] = []
                for delay in [30, 10, 20, 0] as [UInt64] {
                    time.enqueue(after: delay, at: .anywhere, isOrdered: false, label: EntryLabel("a block")) {
                        order.append(delay)
                    }
                }
                await time.run(for: .nanoseconds(30))
                #expect(order == [0, 10, 20, 30])
            }
        }
    }

    @Test func aBurstOfBlocksIsQuick() async throws {
        for seed in [nil, 1] as [UInt64?] {
            try await withVirtualTime(seed: seed, limits: Limits(entriesPerInstant: 30_000)) { time in
                var count = 0
                for _ in 0..<20_000 {
                    time.enqueue(at: .main, isOrdered: false, label: EntryLabel("a block")) { count += 1 }
                }
                await time.runDueEntries()
                #expect(count == 20_000)
            }
        }
    }

    private func orderOfHops(seed: UInt64?) async throws -> [Int] {
        try await withVirtualTime(seed: seed) { time in
            let order = HopOrder()
            // They hop to the main actor; a task that starts on the main actor keeps its order.
            for number in 0..<8 { Task.detached { await order.append(number) } }
            await time.runDueEntries()
            return order.numbers
        }
    }
}

@MainActor
private final class HopOrder {
    private(set) var numbers: [Int] = []

    func append(_ number: Int) { numbers.append(number) }
}
