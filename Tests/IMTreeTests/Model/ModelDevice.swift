import IMTree

/// The device of a client: one answers at once, one when it is let, one holds nothing.
struct ModelDevice {
    let isFast: Bool
    /// Nil where nothing outlives a process.
    var bytesMax: Int?
    var storage = TreeStorage()
    /// What was read and has not arrived.
    var answers: [(UInt64, [TreeStorage.Held])] = []

    init(_ client: UInt64) {
        isFast = client == 0
        bytesMax = [1 << 20, 1000, nil][Int(client % 3)]
    }

    mutating func read(_ number: UInt64, _ queries: [UInt64]) {
        answers.append((number, storage.held(queries)))
    }

    /// What the device holds besides what the client knows.
    func differences(from client: TreeClient) -> [String] {
        guard bytesMax != nil else { return storage == TreeStorage() ? [] : ["the device is not to hold anything"] }
        var differences: [String] = []
        let contents = storage.contents
        if contents.writes != client.unanswered { differences.append("the device holds \(contents.writes)") }
        let active = contents.tracked.filter(\.isActive)
        for listen in client.tree.activeListens {
            let held = active.filter { $0.place == listen.place && $0.query == listen.query }
            guard held.count == 1 else {
                differences.append("\(listen) is held \(held.count) times")
                continue
            }
            // What the server has said so far of something new is held, and means nothing yet.
            let known = client.tree.hash(of: listen)
            let node = storage.node(of: held[0].number)
            if held[0].isComplete != (known != nil) { differences.append("\(listen) is held as \(held[0])") }
            if let known, known != node.hash {
                differences.append(
                    "of \(listen) the device holds \(node), not \(client.tree.completeServerNode(at: listen.place).map { "\($0)" } ?? "nothing")"
                )
            }
        }
        if active.count != client.tree.activeListens.count {
            differences.append("the device holds too much: \(active)")
        }
        return differences
    }
}
