import IMProtocol
import Testing

@testable import IMSimulation

/// How often somebody may be wrong about a secret, and whom it keeps out.
@Suite struct GuessLimitTests {
    private func guesser(_ address: String = "a", _ user: String = "alice", _ device: String = "d")
        -> GuessLimit.Guesser
    {
        GuessLimit.Guesser(address: address, user: user, device: device)
    }

    /// Tries once; nil where it was not even looked at.
    private func attempt(
        _ limit: inout GuessLimit, _ guesser: GuessLimit.Guesser, isRight: Bool = false, at wall: Int64
    ) -> Bool? {
        guard let ticket = limit.begin(guesser, at: wall) else { return nil }
        limit.end(ticket, isRight: isRight, at: wall)
        return isRight
    }

    @Test("D: ten wrong ones cost nothing but being wrong; then each makes the next wait twice as long, at most 5 min")
    func grows() {
        var limit = GuessLimit()
        for _ in 0..<10 { #expect(attempt(&limit, guesser(), at: 0) == false) }
        var wall: Int64 = 0
        for delay: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(attempt(&limit, guesser(), at: wall + delay * 1000 - 1) == nil)
            wall += delay * 1000
            #expect(attempt(&limit, guesser(), at: wall) == false)
        }
        // A quarter of an hour without one, and all is forgotten.
        wall += GuessLimit.forgottenAfterMilliseconds
        for _ in 0..<10 { #expect(attempt(&limit, guesser(), at: wall) == false) }
        #expect(attempt(&limit, guesser(), at: wall) == nil)
    }

    @Test(
        "D: the limit is the account's, wherever the guesses come from, and the address's, whatever account they are at"
    )
    func perAccountAndAddress() {
        var limit = GuessLimit()
        for index in 0..<100 { #expect(attempt(&limit, guesser("a\(index)", "alice", "d\(index)"), at: 0) == false) }
        #expect(attempt(&limit, guesser("b", "alice"), at: 0) == nil)
        #expect(attempt(&limit, guesser("b", "bob"), at: 0) == false)
        var other = GuessLimit()
        for index in 0..<100 { #expect(attempt(&other, guesser("a", "user\(index)"), at: 0) == false) }
        #expect(attempt(&other, guesser("a", "alice"), at: 0) == nil)
        #expect(attempt(&other, guesser("b", "alice"), at: 0) == false)
    }

    @Test("D: ten wrong ones of one address keep out neither the user elsewhere nor another one there")
    func others() {
        var limit = GuessLimit()
        for _ in 0..<20 { _ = attempt(&limit, guesser("a", "alice"), at: 0) }
        #expect(attempt(&limit, guesser("a", "alice", "e"), isRight: true, at: 0) == nil)
        #expect(attempt(&limit, guesser("b", "alice"), isRight: true, at: 0) == true)
        #expect(attempt(&limit, guesser("a", "bob"), isRight: true, at: 0) == true)
    }

    @Test("D: strangers who guess do not keep out who has been right before, from the same address or another")
    func known() {
        var limit = GuessLimit()
        #expect(attempt(&limit, guesser("a", "alice", "phone"), isRight: true, at: 0) == true)
        for index in 0..<20 { _ = attempt(&limit, guesser("a", "alice", "d\(index)"), at: 0) }
        #expect(attempt(&limit, guesser("a", "alice", "d"), at: 0) == nil)
        #expect(attempt(&limit, guesser("a", "alice", "phone"), isRight: true, at: 0) == true)
        // Known is not free to guess for ever.
        for _ in 0..<10 { #expect(attempt(&limit, guesser("a", "alice", "phone"), at: 0) == false) }
        #expect(attempt(&limit, guesser("a", "alice", "phone"), at: 0) == nil)
    }

    @Test("D: guesses that are being looked at count, so that asking many times at once is no way around")
    func atOnce() {
        var limit = GuessLimit()
        let tickets = (0..<100).compactMap { limit.begin(guesser("a", "alice", "d\($0)"), at: 0) }
        #expect(tickets.count == 10)
        for ticket in tickets { limit.end(ticket, isRight: false, at: 0) }
        #expect(limit.begin(guesser(), at: 999) == nil)
        #expect(limit.begin(guesser(), at: 1000) != nil)
    }

    @Test("D: what is remembered is bounded, however many ask")
    func bounded() {
        var limit = GuessLimit()
        for index in 0..<30_000 {
            _ = attempt(&limit, guesser("a\(index)", "u\(index)"), isRight: index % 2 == 0, at: Int64(index))
        }
        #expect(limit.count <= 2 * GuessLimit.countMax + 3)
    }
}
