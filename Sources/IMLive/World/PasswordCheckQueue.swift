/// The order of password checks: round robin, one for each waiting address. A flood from one address does not delay
/// others. Confined to the world's loop.
final class PasswordCheckQueue {
    /// The maximum number of checks at once.
    static let underWayMax = 4
    /// The maximum number of waiting checks for one address; further ones are refused.
    static let waitingPerAddressMax = 64

    private var waiting: [String: [() -> Void]] = [:]
    /// The waiting addresses, each once.
    private var order: [String] = []
    private var runningChecks = 0
    private var isStarting = false

    /// Queues a check after those of its address. ``start()`` starts it when it is its address's turn, and ``end()``
    /// ends it.
    ///
    /// - Returns: false if too many checks of the address wait.
    func add(_ address: String, _ work: @escaping () -> Void) -> Bool {
        guard waiting[address, default: []].count < Self.waitingPerAddressMax else { return false }
        if waiting[address] == nil { order.append(address) }
        waiting[address, default: []].append(work)
        return true
    }

    /// Begins checks up to the maximum.
    func start() {
        // A check that ends at once calls this again.
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while runningChecks < Self.underWayMax, !order.isEmpty {
            let address = order.removeFirst()
            guard var list = waiting[address], !list.isEmpty else { continue }
            let work = list.removeFirst()
            waiting[address] = list.isEmpty ? nil : list
            if !list.isEmpty { order.append(address) }
            runningChecks += 1
            work()
        }
    }

    /// A check has ended.
    func end() {
        runningChecks -= 1
        start()
    }
}
