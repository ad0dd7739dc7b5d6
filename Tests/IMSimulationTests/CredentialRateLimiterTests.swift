import IMProtocol
import Testing

@testable import IMSimulation

/// How often somebody may be wrong about a secret, and whom it keeps out.
@Suite struct GuessLimitTests {
    private func bearerKey(_ address: String = "a", _ user: String = "alice", _ device: String = "d")
        -> CredentialRateLimiter.BearerKey
    {
        CredentialRateLimiter.BearerKey(address: address, user: user, device: device)
    }

    /// Tries once; nil where it was not even looked at.
    private func attempt(
        _ limit: inout CredentialRateLimiter, _ bearerKey: CredentialRateLimiter.BearerKey, isRight: Bool = false,
        at wall: Int64
    ) -> Bool? {
        guard let ticket = limit.begin(bearerKey, at: wall) else { return nil }
        limit.end(ticket, isRight: isRight, at: wall)
        return isRight
    }

    @Test("D: ten wrong ones cost nothing but being wrong; then each makes the next wait twice as long, at most 5 min")
    func grows() {
        var limit = CredentialRateLimiter()
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey(), at: 0) == false) }
        var wall: Int64 = 0
        for delay: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(attempt(&limit, bearerKey(), at: wall + delay * 1000 - 1) == nil)
            wall += delay * 1000
            #expect(attempt(&limit, bearerKey(), at: wall) == false)
        }
        // A quarter of an hour without one, and all is forgotten.
        wall += CredentialRateLimiter.forgottenAfterMilliseconds
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey(), at: wall) == false) }
        #expect(attempt(&limit, bearerKey(), at: wall) == nil)
    }

    @Test(
        "D: the limit is the account's, wherever the guesses come from, and the address's, whatever account they are at"
    )
    func perAccountAndAddress() {
        var limit = CredentialRateLimiter()
        for index in 0..<100 { #expect(attempt(&limit, bearerKey("a\(index)", "alice", "d\(index)"), at: 0) == false) }
        #expect(attempt(&limit, bearerKey("b", "alice"), at: 0) == nil)
        #expect(attempt(&limit, bearerKey("b", "bob"), at: 0) == false)
        var other = CredentialRateLimiter()
        for index in 0..<100 { #expect(attempt(&other, bearerKey("a", "user\(index)"), at: 0) == false) }
        #expect(attempt(&other, bearerKey("a", "alice"), at: 0) == nil)
        #expect(attempt(&other, bearerKey("b", "alice"), at: 0) == false)
    }

    @Test("D: ten wrong ones of one address keep out neither the user elsewhere nor another one there")
    func others() {
        var limit = CredentialRateLimiter()
        for _ in 0..<20 { _ = attempt(&limit, bearerKey("a", "alice"), at: 0) }
        #expect(attempt(&limit, bearerKey("a", "alice", "e"), isRight: true, at: 0) == nil)
        #expect(attempt(&limit, bearerKey("b", "alice"), isRight: true, at: 0) == true)
        #expect(attempt(&limit, bearerKey("a", "bob"), isRight: true, at: 0) == true)
    }

    @Test("D: strangers who guess do not keep out who has been right before, from the same address or another")
    func known() {
        var limit = CredentialRateLimiter()
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), isRight: true, at: 0) == true)
        for index in 0..<20 { _ = attempt(&limit, bearerKey("a", "alice", "d\(index)"), at: 0) }
        #expect(attempt(&limit, bearerKey("a", "alice", "d"), at: 0) == nil)
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), isRight: true, at: 0) == true)
        // Known is not free to guess for ever.
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey("a", "alice", "phone"), at: 0) == false) }
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), at: 0) == nil)
    }

    @Test("D: guesses that are being looked at count, so that asking many times at once is no way around")
    func atOnce() {
        var limit = CredentialRateLimiter()
        let tickets = (0..<100).compactMap { limit.begin(bearerKey("a", "alice", "d\($0)"), at: 0) }
        #expect(tickets.count == 10)
        for ticket in tickets { limit.end(ticket, isRight: false, at: 0) }
        #expect(limit.begin(bearerKey(), at: 999) == nil)
        #expect(limit.begin(bearerKey(), at: 1000) != nil)
    }

    @Test("D: what is remembered is bounded, however many ask")
    func bounded() {
        var limit = CredentialRateLimiter()
        for index in 0..<30_000 {
            _ = attempt(&limit, bearerKey("a\(index)", "u\(index)"), isRight: index % 2 == 0, at: Int64(index))
        }
        #expect(limit.count <= 2 * CredentialRateLimiter.countMax + 3)
    }
}
