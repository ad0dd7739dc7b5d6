/// Tracks which clients have been compared with rarely changing data: each client is checked once after every change.
struct LookedAt {
    private var changes = 0
    /// The number of changes at each client's last check.
    private var looked: [String: Int] = [:]

    mutating func change() { changes += 1 }

    /// True if there was a change after the client's last check.
    func isNews(for name: String) -> Bool { looked[name] != changes && changes > 0 }

    mutating func look(at name: String) { looked[name] = changes }
}
