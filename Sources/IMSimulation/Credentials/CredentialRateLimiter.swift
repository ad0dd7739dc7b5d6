/// The rate limit on wrong secrets.
///
/// Wrong secrets are counted for each pair of address and account, for each address over all accounts, and for each
/// account over all addresses. The number of secrets checked at the same time is limited too. Beyond ``freeAttempts`` wrong
/// ones of a pair, or ``freeSharedAttempts`` of the others, the next is not checked before a delay, which grows with each. A
/// bearer who was right before, on the same device and from the same address, is counted apart: strangers who guess at
/// an account, even from the same address, do not lock its user out.
package struct CredentialRateLimiter {
    /// The bearer of a secret.
    package struct BearerKey: Hashable, Sendable {
        /// The source of the connection: an IPv4 address, or an IPv6 network of 64 bits.
        package var address: String
        /// The user that the secret claims; empty if the frame does not name one.
        var user: String
        /// Empty if none is named.
        var device: String

        package init(address: String, user: String, device: String) {
            self.address = address
            self.user = user
            self.device = device
        }
    }

    /// A secret that is being checked.
    struct Ticket: Hashable, Sendable {
        fileprivate var bearerKey: BearerKey
        fileprivate var keys: [Key]
        /// True if the guesser has been right before.
        var isKnown: Bool
    }

    /// The number of wrong secrets without a delay.
    static let freeAttempts = 10
    /// The number of wrong secrets without a delay in counts over many users or addresses: those of one address for all
    /// users, and those of one account from all addresses.
    static let freeSharedAttempts = 100
    static let delayMaxMilliseconds: Int64 = 300_000
    /// A record expires after this time without a wrong secret.
    static let forgottenAfterMilliseconds: Int64 = 900_000
    /// The maximum number of records and of known guessers; the oldest are removed first.
    static let countMax = 10_000

    fileprivate enum Key: Hashable, Sendable {
        case pair(address: String, account: String)
        case address(String)
        case account(String)
        case known(BearerKey)

        var freeAttempts: Int {
            switch self {
            case .pair, .known: CredentialRateLimiter.freeAttempts
            case .address, .account: CredentialRateLimiter.freeSharedAttempts
            }
        }
    }

    private struct Record {
        var wrong = 0
        var runningChecks = 0
        var lastMilliseconds: Int64 = 0
        var notBeforeMilliseconds: Int64 = 0
    }

    private var records: [Key: Record] = [:]
    /// The guessers who have been right, with the time in milliseconds since 1970.
    private var known: [BearerKey: Int64] = [:]

    /// Begins the check of a secret; nil if it may not be checked now. Each ticket must be passed to `end`.
    mutating func begin(_ bearerKey: BearerKey, at wallMilliseconds: Int64) -> Ticket? {
        let keys = keys(of: bearerKey)
        for key in keys {
            guard let record = records[key] else { continue }
            if !isForgotten(record, at: wallMilliseconds) && record.notBeforeMilliseconds > wallMilliseconds {
                return nil
            }
            if record.runningChecks >= key.freeAttempts { return nil }
        }
        for key in keys {
            if records[key] == nil, records.count >= Self.countMax { shrinkRecords() }
            var record = records[key] ?? Record()
            if isForgotten(record, at: wallMilliseconds) { record.wrong = 0 }
            record.runningChecks += 1
            record.lastMilliseconds = wallMilliseconds
            records[key] = record
        }
        return Ticket(bearerKey: bearerKey, keys: keys, isKnown: known[bearerKey] != nil)
    }

    /// - Parameter isRight: nil if the secret is neither a guess nor proof of its bearer.
    mutating func end(_ ticket: Ticket, isRight: Bool?, at wallMilliseconds: Int64) {
        for key in ticket.keys {
            guard var record = records[key] else { continue }
            record.runningChecks = max(0, record.runningChecks - 1)
            if isRight == false {
                record.wrong += 1
                if record.wrong >= key.freeAttempts {
                    let doubled = Int64(1000) << Int64(min(record.wrong - key.freeAttempts, 20))
                    record.notBeforeMilliseconds = wallMilliseconds + min(doubled, Self.delayMaxMilliseconds)
                }
            }
            records[key] = record.wrong == 0 && record.runningChecks == 0 ? nil : record
        }
        // A right secret for one's own account does not excuse the other guesses of an address.
        if isRight == true { noteRight(ticket.bearerKey, at: wallMilliseconds) }
    }

    /// Records that the guesser was right.
    mutating func noteRight(_ bearerKey: BearerKey, at wallMilliseconds: Int64) {
        guard !bearerKey.user.isEmpty else { return }
        records[.known(bearerKey)] = nil
        if known[bearerKey] == nil, known.count >= Self.countMax { shrinkKnown() }
        known[bearerKey] = wallMilliseconds
    }

    /// True if the guesser has been right before.
    func isKnown(_ bearerKey: BearerKey) -> Bool { known[bearerKey] != nil }

    /// The number of records.
    var count: Int { records.count + known.count }

    private func keys(of bearerKey: BearerKey) -> [Key] {
        if known[bearerKey] != nil { return [.known(bearerKey)] }
        guard !bearerKey.user.isEmpty else { return [.address(bearerKey.address)] }
        return [
            .pair(address: bearerKey.address, account: bearerKey.user), .address(bearerKey.address),
            .account(bearerKey.user),
        ]
    }

    private func isForgotten(_ record: Record, at wallMilliseconds: Int64) -> Bool {
        wallMilliseconds - record.lastMilliseconds >= Self.forgottenAfterMilliseconds
    }

    /// Removes half of them at once, so that a flood pays for the sort only once in a while.
    private mutating func shrinkRecords() {
        let median = records.values.map(\.lastMilliseconds).sorted()[records.count / 2]
        records = records.filter { $0.value.lastMilliseconds > median || $0.value.runningChecks > 0 }
    }

    private mutating func shrinkKnown() {
        let median = known.values.sorted()[known.count / 2]
        known = known.filter { $0.value > median }
    }
}
