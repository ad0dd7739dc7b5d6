import IMTree

/// The device of a client. One client's device answers at once, one answers on request, and one stores nothing.
struct ModelDevice {
    let isFast: Bool
    /// The storage limit in bytes; nil if the device stores nothing.
    var bytesMax: Int?
    var storage = TreeStorage()
    /// The reads whose answers have not arrived.
    var answers: [(UInt64, [TreeStorage.Held])] = []

    init(_ client: UInt64) {
        isFast = client == 0
        bytesMax = [1 << 20, 1000, nil][Int(client % 3)]
    }

    mutating func read(_ number: UInt64, _ queries: [UInt64]) {
        answers.append((number, storage.storedData(of: queries)))
    }

    /// The differences between the data of the device and the data of the client.
    func differences(from client: TreeClient) -> [String] {
        guard bytesMax != nil else { return storage == TreeStorage() ? [] : ["the device is not to hold anything"] }
        var differences: [String] = []
        let contents = storage.contents
        if contents.writes != client.unanswered { differences.append("the device holds \(contents.writes)") }
        let active = contents.tracked.filter(\.isActive)
        for listen in client.tree.activeListens {
            let held = active.filter { $0.path == listen.path && $0.query == listen.query }
            guard held.count == 1 else {
                differences.append("\(listen) is held \(held.count) times")
                continue
            }
            // The first messages for a new path are stored before the data is complete.
            let known = client.tree.hash(of: listen)
            let node = storage.node(of: held[0].number)
            if held[0].isComplete != (known != nil) { differences.append("\(listen) is held as \(held[0])") }
            if let known, known != node.hash {
                differences.append(
                    "of \(listen) the device holds \(node), not \(client.tree.completeServerNode(at: listen.path).map { "\($0)" } ?? "nothing")"
                )
            }
        }
        if active.count != client.tree.activeListens.count {
            differences.append("the device holds too much: \(active)")
        }
        return differences
    }
}
