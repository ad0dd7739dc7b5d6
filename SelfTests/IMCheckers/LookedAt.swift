/// Which clients have been compared with what changes now and then: each is looked at once behind every change.
struct LookedAt {
    private var changes = 0
    /// How many changes there had been when each client was looked at.
    private var looked: [String: Int] = [:]

    mutating func change() { changes += 1 }

    /// Whether there was a change that the client has not been compared with.
    func isNews(for name: String) -> Bool { looked[name] != changes && changes > 0 }

    mutating func look(at name: String) { looked[name] = changes }
}
