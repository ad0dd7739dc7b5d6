/// The order of password checks: round robin, one for each waiting address, so that a flood from one address does not
/// delay others. Confined to the world's loop.
final class PasswordCheckQueue {
    /// The maximum number of checks that run at the same time.
    static let runningMax = 4
    /// The maximum number of waiting checks of one address. Further ones are refused.
    static let waitingPerAddressMax = 64

    private var waiting: [String: [() -> Void]] = [:]
    /// The addresses with waiting checks, each once, in the order in which they get their turn.
    private var order: [String] = []
    private var runningChecks = 0
    private var isStarting = false

    /// Queues a check after the other checks of its address. ``start()`` runs the check when the address has its turn,
    /// and the check must call ``end()`` when it is finished.
    ///
    /// - Returns: false if too many checks of the address wait.
    func add(_ address: String, _ work: @escaping () -> Void) -> Bool {
        guard waiting[address, default: []].count < Self.waitingPerAddressMax else { return false }
        if waiting[address] == nil { order.append(address) }
        waiting[address, default: []].append(work)
        return true
    }

    /// Starts waiting checks up to the maximum.
    func start() {
        // A check that finishes immediately calls this method again.
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while runningChecks < Self.runningMax, !order.isEmpty {
            let address = order.removeFirst()
            guard var list = waiting[address], !list.isEmpty else { continue }
            let work = list.removeFirst()
            waiting[address] = list.isEmpty ? nil : list
            if !list.isEmpty { order.append(address) }
            runningChecks += 1
            work()
        }
    }

    /// Called when a check has finished.
    func end() {
        runningChecks -= 1
        start()
    }
}
