import SansIO
import Testing

@Suite struct SeededRandomTests {
    @Test("design 2: the numbers are those of SplitMix64, on every machine")
    func knownValues() {
        var zero = SeededRandom(seed: 0)
        #expect(
            (0..<3).map { _ in zero.next() } == [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F])
        var other = SeededRandom(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in other.next() }
                == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423])
    }

    @Test("design 2: a copy continues like the original")
    func copiesAgree() {
        var original = SeededRandom(seed: 42)
        _ = original.next()
        var copy = original
        #expect((0..<10).map { _ in original.next() } == (0..<10).map { _ in copy.next() })
        #expect(original == copy)
    }

    @Test("design 2: draws from a fork do not shift the draws of its parent")
    func forksAreIndependent() {
        var used = SeededRandom(seed: 42)
        var unused = used
        var fork = used.fork()
        _ = unused.fork()
        let drawn = (0..<10).map { _ in fork.next() }
        let parent = (0..<10).map { _ in used.next() }
        #expect(parent == (0..<10).map { _ in unused.next() })
        #expect(parent != drawn)
    }

    @Test("design 2: a random number is below its limit, and a limit of zero gives zero")
    func boundsHold() {
        var random = SeededRandom(seed: 3)
        var seen: [Int] = Array(repeating: 0, count: 6)
        for _ in 0..<6000 { seen[Int(random.below(6))] += 1 }
        #expect(seen.allSatisfy { (800...1200).contains($0) })
        #expect(random.below(0) == 0)
        #expect(random.below(1) == 0)
        #expect(random.interval(upTo: .zero) == .zero)
        #expect(random.interval(upTo: .seconds(-1)) == .zero)
        for _ in 0..<1000 {
            let short = random.interval(upTo: .nanoseconds(2))
            #expect(short >= .zero && short <= .nanoseconds(2))
            #expect(random.interval(upTo: .nanoseconds(.max)) >= .zero)
        }
        #expect((0..<1000).allSatisfy { _ in !random.chance(partsPerMillion: 0) })
        #expect((0..<1000).allSatisfy { _ in random.chance(partsPerMillion: 1_000_000) })
    }
}
