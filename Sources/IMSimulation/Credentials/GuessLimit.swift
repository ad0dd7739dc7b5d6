/// How often somebody may be wrong about a secret.
///
/// Wrong ones are counted for an address at an account, for the address wherever else it guesses, and for the account
/// wherever the guesses come from; only so many are looked at together. Beyond ``free`` of the first, or ``freeOfMany``
/// of the others, the next is not even looked at before a while has passed, which grows with each. Whoever has been
/// right before, on the same device and from the same address, is counted apart: strangers who guess at an account,
/// also from the same address, do not keep its user out.
package struct GuessLimit {
    /// Who shows a secret.
    package struct Guesser: Hashable, Sendable {
        /// Where the connection comes from: an IPv4 address, or an IPv6 network of 64 bits.
        package var address: String
        /// Whom the secret is said to speak for; empty where the frame does not say it.
        var user: String
        /// Empty where none is named.
        var device: String

        package init(address: String, user: String, device: String) {
            self.address = address
            self.user = user
            self.device = device
        }
    }

    /// A secret that is being looked at.
    struct Ticket: Hashable, Sendable {
        fileprivate var guesser: Guesser
        fileprivate var keys: [Key]
        /// The guesser has been right before.
        var isKnown: Bool
    }

    /// Wrong ones that cost nothing but being wrong.
    static let free = 10
    /// The same where the wrong ones may be of many: of an address with many users, of an account guessed at from
    /// everywhere.
    static let freeOfMany = 100
    static let delayMaxMilliseconds: Int64 = 300_000
    /// After so long without a wrong one nothing is remembered.
    static let forgottenAfterMilliseconds: Int64 = 900_000
    /// Addresses, accounts and known guessers that are remembered; the oldest go first.
    static let countMax = 10_000

    fileprivate enum Key: Hashable, Sendable {
        case pair(address: String, account: String)
        case address(String)
        case account(String)
        case known(Guesser)

        var free: Int {
            switch self {
            case .pair, .known: GuessLimit.free
            case .address, .account: GuessLimit.freeOfMany
            }
        }
    }

    private struct Record {
        var wrong = 0
        var underWay = 0
        var lastMilliseconds: Int64 = 0
        var notBeforeMilliseconds: Int64 = 0
    }

    private var records: [Key: Record] = [:]
    /// Who has been right; with when, in milliseconds since 1970.
    private var known: [Guesser: Int64] = [:]

    /// Begins to look at a secret; nil when it may not be looked at now. Each ticket is handed back.
    mutating func begin(_ guesser: Guesser, at wallMilliseconds: Int64) -> Ticket? {
        let keys = keys(of: guesser)
        for key in keys {
            guard let record = records[key] else { continue }
            if !isForgotten(record, at: wallMilliseconds) && record.notBeforeMilliseconds > wallMilliseconds {
                return nil
            }
            if record.underWay >= key.free { return nil }
        }
        for key in keys {
            if records[key] == nil, records.count >= Self.countMax { shrinkRecords() }
            var record = records[key] ?? Record()
            if isForgotten(record, at: wallMilliseconds) { record.wrong = 0 }
            record.underWay += 1
            record.lastMilliseconds = wallMilliseconds
            records[key] = record
        }
        return Ticket(guesser: guesser, keys: keys, isKnown: known[guesser] != nil)
    }

    /// - Parameter isRight: nil where the secret shows neither a guess nor its bearer.
    mutating func end(_ ticket: Ticket, isRight: Bool?, at wallMilliseconds: Int64) {
        for key in ticket.keys {
            guard var record = records[key] else { continue }
            record.underWay = max(0, record.underWay - 1)
            if isRight == false {
                record.wrong += 1
                if record.wrong >= key.free {
                    let doubled = Int64(1000) << Int64(min(record.wrong - key.free, 20))
                    record.notBeforeMilliseconds = wallMilliseconds + min(doubled, Self.delayMaxMilliseconds)
                }
            }
            records[key] = record.wrong == 0 && record.underWay == 0 ? nil : record
        }
        // Being right about one's own account says nothing of the other guesses of an address.
        if isRight == true { noteRight(ticket.guesser, at: wallMilliseconds) }
    }

    /// Somebody was right.
    mutating func noteRight(_ guesser: Guesser, at wallMilliseconds: Int64) {
        guard !guesser.user.isEmpty else { return }
        records[.known(guesser)] = nil
        if known[guesser] == nil, known.count >= Self.countMax { shrinkKnown() }
        known[guesser] = wallMilliseconds
    }

    /// Whether somebody has been right before.
    func isKnown(_ guesser: Guesser) -> Bool { known[guesser] != nil }

    /// How much is remembered.
    var count: Int { records.count + known.count }

    private func keys(of guesser: Guesser) -> [Key] {
        if known[guesser] != nil { return [.known(guesser)] }
        guard !guesser.user.isEmpty else { return [.address(guesser.address)] }
        return [
            .pair(address: guesser.address, account: guesser.user), .address(guesser.address), .account(guesser.user),
        ]
    }

    private func isForgotten(_ record: Record, at wallMilliseconds: Int64) -> Bool {
        wallMilliseconds - record.lastMilliseconds >= Self.forgottenAfterMilliseconds
    }

    /// Half of them at once, so that a flood pays for it once in a while and not each time.
    private mutating func shrinkRecords() {
        let median = records.values.map(\.lastMilliseconds).sorted()[records.count / 2]
        records = records.filter { $0.value.lastMilliseconds > median || $0.value.underWay > 0 }
    }

    private mutating func shrinkKnown() {
        let median = known.values.sorted()[known.count / 2]
        known = known.filter { $0.value > median }
    }
}
