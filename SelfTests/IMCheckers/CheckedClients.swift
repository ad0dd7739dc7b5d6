/// Tracks which clients have been compared with rarely changing data: each client is checked once after every change.
struct CheckedClients {
    private var changes = 0
    /// The number of changes at each client's last check.
    private var lastChecks: [String: Int] = [:]

    mutating func change() { changes += 1 }

    /// True if there was a change after the client's last check.
    func needsCheck(for name: String) -> Bool { lastChecks[name] != changes && changes > 0 }

    mutating func markChecked(at name: String) { lastChecks[name] = changes }
}
