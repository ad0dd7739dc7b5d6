import IMProtocol
import Testing

@testable import IMSimulation

/// Tests of how many wrong secrets are allowed, and which clients the limit affects.
@Suite struct CredentialRateLimiterTests {
    private func bearerKey(_ address: String = "a", _ user: String = "alice", _ device: String = "d")
        -> CredentialRateLimiter.BearerKey
    {
        CredentialRateLimiter.BearerKey(address: address, user: user, device: device)
    }

    /// Tries a secret once. Returns whether it was right; nil if it was not checked.
    private func attempt(
        _ limit: inout CredentialRateLimiter, _ bearerKey: CredentialRateLimiter.BearerKey, isRight: Bool = false,
        at wall: Int64
    ) -> Bool? {
        guard let ticket = limit.begin(bearerKey, at: wall) else { return nil }
        limit.end(ticket, isRight: isRight, at: wall)
        return isRight
    }

    @Test("D: ten wrong credentials cause no delay; then each doubles the delay, up to 5 min")
    func grows() {
        var limit = CredentialRateLimiter()
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey(), at: 0) == false) }
        var wall: Int64 = 0
        for delay: Int64 in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] {
            #expect(attempt(&limit, bearerKey(), at: wall + delay * 1000 - 1) == nil)
            wall += delay * 1000
            #expect(attempt(&limit, bearerKey(), at: wall) == false)
        }
        // After a quarter of an hour without a wrong secret, the count starts again.
        wall += CredentialRateLimiter.forgottenAfterMilliseconds
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey(), at: wall) == false) }
        #expect(attempt(&limit, bearerKey(), at: wall) == nil)
    }

    @Test(
        "D: the limit is per account, from any address, and per address, for any account"
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

    @Test("D: ten wrong credentials from one address delay neither the user elsewhere nor another user there")
    func others() {
        var limit = CredentialRateLimiter()
        for _ in 0..<20 { _ = attempt(&limit, bearerKey("a", "alice"), at: 0) }
        #expect(attempt(&limit, bearerKey("a", "alice", "e"), isRight: true, at: 0) == nil)
        #expect(attempt(&limit, bearerKey("b", "alice"), isRight: true, at: 0) == true)
        #expect(attempt(&limit, bearerKey("a", "bob"), isRight: true, at: 0) == true)
    }

    @Test("D: guesses by strangers do not delay a client that was right before")
    func known() {
        var limit = CredentialRateLimiter()
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), isRight: true, at: 0) == true)
        for index in 0..<20 { _ = attempt(&limit, bearerKey("a", "alice", "d\(index)"), at: 0) }
        #expect(attempt(&limit, bearerKey("a", "alice", "d"), at: 0) == nil)
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), isRight: true, at: 0) == true)
        // A client that was right before has a limit too.
        for _ in 0..<10 { #expect(attempt(&limit, bearerKey("a", "alice", "phone"), at: 0) == false) }
        #expect(attempt(&limit, bearerKey("a", "alice", "phone"), at: 0) == nil)
    }

    @Test("D: guesses during their check count, so that concurrent requests do not bypass the limit")
    func atOnce() {
        var limit = CredentialRateLimiter()
        let tickets = (0..<100).compactMap { limit.begin(bearerKey("a", "alice", "d\($0)"), at: 0) }
        #expect(tickets.count == 10)
        for ticket in tickets { limit.end(ticket, isRight: false, at: 0) }
        #expect(limit.begin(bearerKey(), at: 999) == nil)
        #expect(limit.begin(bearerKey(), at: 1000) != nil)
    }

    @Test("D: the memory is limited, for any number of clients")
    func bounded() {
        var limit = CredentialRateLimiter()
        for index in 0..<30_000 {
            _ = attempt(&limit, bearerKey("a\(index)", "u\(index)"), isRight: index % 2 == 0, at: Int64(index))
        }
        #expect(limit.count <= 2 * CredentialRateLimiter.countMax + 3)
    }
}
