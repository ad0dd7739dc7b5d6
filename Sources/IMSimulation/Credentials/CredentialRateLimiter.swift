/// The rate limit on wrong secrets.
///
/// Wrong secrets are counted for each pair of address and account, for each address over all accounts, and for each
/// account over all addresses. After ``freeAttempts`` wrong secrets of a pair, or ``freeSharedAttempts`` of an address
/// or of an account, the next secret is refused until a delay has passed. The delay doubles with each further wrong
/// secret. The number of secrets that are checked at the same time is limited too.
///
/// A sender who has sent a right secret, from the same device and the same address, has a count of its own. So
/// strangers who guess the secret of an account, even from the same address, do not lock its user out.
package struct CredentialRateLimiter {
    /// Identifies the sender of a secret. Attempts are counted for each sender.
    package struct BearerKey: Hashable, Sendable {
        /// The source of the connection: an IPv4 address, or an IPv6 network of 64 bits.
        package var address: String
        /// The user that the secret claims; empty if the frame does not name one.
        var user: String
        /// The device that the frame names; empty if the frame names none.
        var device: String

        package init(address: String, user: String, device: String) {
            self.address = address
            self.user = user
            self.device = device
        }
    }

    /// A running check of a secret.
    struct Ticket: Hashable, Sendable {
        fileprivate var bearerKey: BearerKey
        fileprivate var keys: [Key]
        /// True if the sender has sent a right secret before.
        var isKnown: Bool
    }

    /// The number of wrong secrets of one pair of address and account that cause no delay.
    static let freeAttempts = 10
    /// The number of wrong secrets that cause no delay in a count over many users or addresses: the count of one
    /// address for all users, and the count of one account from all addresses.
    static let freeSharedAttempts = 100
    static let delayMaxMilliseconds: Int64 = 300_000
    /// A record expires if no secret is checked for this time.
    static let forgottenAfterMilliseconds: Int64 = 900_000
    /// The maximum number of records, and of senders in `knownSenders`; the oldest are removed first.
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
        var wrongCount = 0
        var runningChecks = 0
        var lastMilliseconds: Int64 = 0
        var notBeforeMilliseconds: Int64 = 0
    }

    private var records: [Key: Record] = [:]
    /// The senders who have sent a right secret, with the time of the last one in milliseconds since 1970.
    private var knownSenders: [BearerKey: Int64] = [:]

    /// Begins the check of a secret. Returns nil if the secret may not be checked now. Pass each ticket to `end`.
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
            if isForgotten(record, at: wallMilliseconds) { record.wrongCount = 0 }
            record.runningChecks += 1
            record.lastMilliseconds = wallMilliseconds
            records[key] = record
        }
        return Ticket(bearerKey: bearerKey, keys: keys, isKnown: knownSenders[bearerKey] != nil)
    }

    /// - Parameter isRight: true for a right secret, false for a wrong one. Nil for a secret that is no guess and
    ///   proves nothing about its sender, such as an expired one.
    mutating func end(_ ticket: Ticket, isRight: Bool?, at wallMilliseconds: Int64) {
        for key in ticket.keys {
            guard var record = records[key] else { continue }
            record.runningChecks = max(0, record.runningChecks - 1)
            if isRight == false {
                record.wrongCount += 1
                if record.wrongCount >= key.freeAttempts {
                    let doubled = Int64(1000) << Int64(min(record.wrongCount - key.freeAttempts, 20))
                    record.notBeforeMilliseconds = wallMilliseconds + min(doubled, Self.delayMaxMilliseconds)
                }
            }
            records[key] = record.wrongCount == 0 && record.runningChecks == 0 ? nil : record
        }
        // Only the count of this sender is reset. The counts of its address and account remain, because others share
        // them.
        if isRight == true { noteRightSecret(ticket.bearerKey, at: wallMilliseconds) }
    }

    /// Records that the sender has sent a right secret, and resets its own count.
    mutating func noteRightSecret(_ bearerKey: BearerKey, at wallMilliseconds: Int64) {
        guard !bearerKey.user.isEmpty else { return }
        records[.known(bearerKey)] = nil
        if knownSenders[bearerKey] == nil, knownSenders.count >= Self.countMax { shrinkKnown() }
        knownSenders[bearerKey] = wallMilliseconds
    }

    /// True if the sender has sent a right secret before.
    func isKnown(_ bearerKey: BearerKey) -> Bool { knownSenders[bearerKey] != nil }

    /// The number of records and of known senders.
    var count: Int { records.count + knownSenders.count }

    private func keys(of bearerKey: BearerKey) -> [Key] {
        if knownSenders[bearerKey] != nil { return [.known(bearerKey)] }
        guard !bearerKey.user.isEmpty else { return [.address(bearerKey.address)] }
        return [
            .pair(address: bearerKey.address, account: bearerKey.user), .address(bearerKey.address),
            .account(bearerKey.user),
        ]
    }

    private func isForgotten(_ record: Record, at wallMilliseconds: Int64) -> Bool {
        wallMilliseconds - record.lastMilliseconds >= Self.forgottenAfterMilliseconds
    }

    /// Removes the older half of the records at once, so that a flood of wrong secrets does not cause a sort for each.
    private mutating func shrinkRecords() {
        let median = records.values.map(\.lastMilliseconds).sorted()[records.count / 2]
        records = records.filter { $0.value.lastMilliseconds > median || $0.value.runningChecks > 0 }
    }

    private mutating func shrinkKnown() {
        let median = knownSenders.values.sorted()[knownSenders.count / 2]
        knownSenders = knownSenders.filter { $0.value > median }
    }
}
