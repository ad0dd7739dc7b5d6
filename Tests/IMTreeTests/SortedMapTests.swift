import IMTree
import SansIO
import Testing

@Suite struct SortedMapTests {
    /// After any insertions and removals, the map equals a dictionary that is sorted each time.
    @Test func agreesWithADictionary() {
        var random = SeededRandom(seed: 1)
        var (map, plain) = (SortedMap<Int, Int>(), [Int: Int]())
        for step in 0..<5000 {
            let key = Int(random.below(300))
            if random.below(3) == 0 {
                map.remove(key)
                plain[key] = nil
            } else {
                map.set(key, step)
                plain[key] = step
            }
            guard step % 50 == 0 else { continue }
            let sorted = plain.sorted { $0.key < $1.key }
            #expect(map.map(\.key) == sorted.map(\.key) && map.map(\.value) == sorted.map(\.value))
            #expect(map.count == plain.count)
            #expect(map.first?.key == sorted.first?.key && map.last?.key == sorted.last?.key)
            #expect(map.first(after: key)?.key == sorted.first { $0.key > key }?.key)
            #expect(map.last(before: key)?.key == sorted.last { $0.key < key }?.key)
        }
    }

    /// Ascending keys are the worst case. The depth of the tree must stay low, because its methods are recursive.
    @Test func staysBalanced() {
        var map = SortedMap<Int, Int>()
        for key in 0..<100_000 { map.set(key, key) }
        #expect(map.depth < 40)
        for key in 0..<99_000 { map.remove(key) }
        #expect(map.depth < 25 && map.count == 1000)
        #expect(SortedMap(ascending: (0..<1000).map { (key: $0, value: $0) }).depth == 10)
    }

    @Test func aCopyKeepsItsElements() {
        var map = SortedMap<Int, Int>(ascending: (0..<100).map { (key: $0, value: $0) })
        let copy = map
        map.set(50, 0)
        map.remove(3)
        #expect(copy[50] == 50 && copy[3] == 3 && copy.count == 100)
        #expect(map[50] == 0 && map[3] == nil && map != copy)
        map.set(50, 50)
        map.set(3, 3)
        #expect(map == copy)
    }

    /// Nodes that no copy shares are changed in place. Nodes that a copy or an iterator shares are not changed.
    @Test func manyCopiesKeepTheirElements() {
        var random = SeededRandom(seed: 2)
        var (map, plain) = (SortedMap<Int, Int>(), [Int: Int]())
        var copies: [(map: SortedMap<Int, Int>, plain: [Int: Int])] = []
        for step in 0..<20_000 {
            let key = Int(random.below(500))
            if random.below(2) == 0 {
                map.remove(key)
                plain[key] = nil
            } else {
                map.set(key, step)
                plain[key] = step
            }
            if random.below(20) == 0 { copies.append((map, plain)) }
            if copies.count > 10 { copies.remove(at: Int(random.below(10))) }
            if random.below(500) == 0, let copy = copies.last { (map, plain) = copy }
            guard step % 200 == 0 else { continue }
            for copy in copies + [(map, plain)] {
                let sorted = copy.plain.sorted { $0.key < $1.key }
                #expect(copy.map.map(\.key) == sorted.map(\.key) && copy.map.map(\.value) == sorted.map(\.value))
                #expect(copy.map.count == sorted.count && copy.map.depth < 16)
            }
            var visitedCount = 0
            let before = map.count
            for (key, _) in map {
                visitedCount += 1
                if visitedCount % 2 == 0 { map.remove(key) } else { map.set(key + 1000, 0) }
            }
            #expect(visitedCount == before)
            for key in plain.keys { map.set(key, plain[key] ?? 0) }
            for key in 1000..<1500 { map.remove(key) }
        }
    }
}
