import Recorder

/// The check that a watched field exists. A field that is missing now may appear later. A field that never appears in
/// the recording is a user's mistake.
extension DebugSession {
    /// The maximum number of states that are checked for a field. If a node has more states, only `sampledStatesCount`
    /// of them are checked.
    static let checkedStatesMax = 2000
    static let sampledStatesCount = 100

    /// - Throws: ``DebuggerError`` if the node has no such field in any state of the recording that is checked.
    package func requireField(_ path: StatePath) throws {
        if try path.value(in: timeline.state()) != nil { return }
        let node = reader.name(of: path.node)
        let (numbers, areAll) = try statesToCheck(of: path.node)
        var search = FieldSearch(path: path.path)
        for number in numbers {
            let machine = try timeline.state(at: number)[path.node]
            guard let machine, let tree = StateTree(machine) else { continue }
            if search.check(tree) { return }
        }
        guard search.hasChecked else { throw DebuggerError("\(node) does not run anywhere in this recording") }
        // A field may exist so briefly that the samples miss it. If the samples contain the first part of the path, the
        // path is therefore accepted.
        if !areAll, !search.existingPart.isEmpty { return }
        throw DebuggerError(search.errorText(for: node))
    }

    /// The numbers of the events at which a node's state may have changed, or a sample of these numbers.
    private func statesToCheck(of node: NodeIndex) throws -> (numbers: [UInt64], areAll: Bool) {
        var numbers: [UInt64] = []
        try timeline.scan(after: 0, upTo: count) { view in
            if view.node == node, view.role == .start || view.role == .input { numbers.append(view.number) }
            return true
        }
        guard numbers.count > Self.checkedStatesMax else { return (numbers, true) }
        let step = numbers.count / Self.sampledStatesCount
        return (stride(from: 0, to: numbers.count, by: step).map { numbers[$0] }, false)
    }
}

/// Searches the states of a node for a path, one after the other, and stores the longest part of the path that exists.
private struct FieldSearch {
    let path: String
    private(set) var hasChecked = false
    /// The longest first part of the path that exists in any of the states.
    private(set) var existingPart: Substring = ""
    /// The names of the fields below `existingPart`, in any of the states.
    private var names: [String] = []

    init(path: String) { self.path = path }

    /// - Returns: true if the whole path exists in the state.
    mutating func check(_ tree: StateTree) -> Bool {
        if tree[path: path[...]] != nil { return true }
        let part = tree.existingPart(of: path)
        if part.count > existingPart.count || !hasChecked {
            existingPart = part
            names = []
        }
        hasChecked = true
        if part == existingPart {
            for name in tree[path: part]?.names ?? [] where !names.contains(name) { names.append(name) }
        }
        return false
    }

    func errorText(for node: String) -> String {
        let word = String(path.dropFirst(existingPart.isEmpty ? 0 : existingPart.count + 1).prefix { $0 != "." })
        let parent = existingPart.isEmpty ? node : "\(node).\(existingPart)"
        return "\(parent) has no '\(word)' anywhere in this recording; \(StatePath.hint(for: word, among: names))"
    }
}
