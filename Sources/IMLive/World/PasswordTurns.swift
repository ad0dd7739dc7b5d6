/// The order in which passwords are checked: one of each address that waits, and then again. Whoever floods a server from
/// one address holds up nobody elsewhere. Confined to the world's loop.
final class PasswordTurns {
    /// Checked at once.
    static let underWayMax = 4
    /// Of one address; one more is refused.
    static let waitingPerAddressMax = 64

    private var waiting: [String: [() -> Void]] = [:]
    /// The addresses that wait, each once.
    private var order: [String] = []
    private var underWay = 0
    private var isStarting = false

    /// Puts a check behind those of its address; ``start()`` begins it when its turn has come, and it ends with ``end()``.
    ///
    /// - Returns: false where too many of the address wait.
    func add(_ address: String, _ work: @escaping () -> Void) -> Bool {
        guard waiting[address, default: []].count < Self.waitingPerAddressMax else { return false }
        if waiting[address] == nil { order.append(address) }
        waiting[address, default: []].append(work)
        return true
    }

    /// Begins as many as may be under way.
    func start() {
        // A check that ends at once comes back here.
        guard !isStarting else { return }
        isStarting = true
        defer { isStarting = false }
        while underWay < Self.underWayMax, !order.isEmpty {
            let address = order.removeFirst()
            guard var list = waiting[address], !list.isEmpty else { continue }
            let work = list.removeFirst()
            waiting[address] = list.isEmpty ? nil : list
            if !list.isEmpty { order.append(address) }
            underWay += 1
            work()
        }
    }

    /// One has ended.
    func end() {
        underWay -= 1
        start()
    }
}
