import IMText
import Recorder

/// Fields that come and go. A field that is missing now may appear later; a field that never appears is a mistake.
extension DebugSession {
    /// At most this many states are checked before a field counts as unknown. For a longer recording, this many samples
    /// are.
    static let statesLookedAtMax = 2000
    static let statesSampled = 100

    /// - Throws: ``DebuggerError`` if a node has no such field anywhere in the recording.
    package func refuseUnknown(_ path: StatePath) throws {
        if try path.value(in: timeline.state()) != nil { return }
        let node = reader.name(of: path.node)
        let (numbers, areAll) = try statesToLookAt(of: path.node)
        var search = FieldSearch(path: path.path)
        for number in numbers {
            let machine = try timeline.state(at: number)[path.node]
            guard let machine, let tree = StateTree(machine) else { continue }
            if search.look(at: tree) { return }
        }
        guard search.hasLooked else { throw DebuggerError("\(node) does not run anywhere in this recording") }
        // The samples may have missed a short-lived field below a field that is present.
        if !areAll, !search.known.isEmpty { return }
        throw DebuggerError(search.refusal(of: node))
    }

    /// The events at which a node's state may have changed, or a sample of them.
    private func statesToLookAt(of node: NodeIndex) throws -> (numbers: [UInt64], areAll: Bool) {
        var numbers: [UInt64] = []
        try timeline.scan(after: 0, upTo: count) { view in
            if view.node == node, view.role == .start || view.role == .input { numbers.append(view.number) }
            return true
        }
        guard numbers.count > Self.statesLookedAtMax else { return (numbers, true) }
        let step = numbers.count / Self.statesSampled
        return (stride(from: 0, to: numbers.count, by: step).map { numbers[$0] }, false)
    }
}

/// Searches states for a path, one after the other, and keeps the longest part that was present.
private struct FieldSearch {
    let path: String
    private(set) var hasLooked = false
    /// The longest part of the path that was present.
    private(set) var known: Substring = ""
    /// The names that followed it, in any of the states.
    private var names: [String] = []

    init(path: String) { self.path = path }

    /// - Returns: true if the path is present.
    mutating func look(at tree: StateTree) -> Bool {
        if tree[path: path[...]] != nil { return true }
        var part = path[...]
        while !part.isEmpty, tree[path: part] == nil {
            part = part.lastIndex(of: ".").map { part[..<$0] } ?? ""
        }
        if part.count > known.count || !hasLooked {
            known = part
            names = []
        }
        hasLooked = true
        if part == known {
            for name in tree[path: part]?.names ?? [] where !names.contains(name) { names.append(name) }
        }
        return false
    }

    func refusal(of node: String) -> String {
        let word = String(path.dropFirst(known.isEmpty ? 0 : known.count + 1).prefix { $0 != "." })
        let hint = Suggestion.nearest(to: word, among: names).map { "did you mean '\($0)'?" }
        let choice = names.isEmpty ? "it has no fields" : "available: \(names.joined(separator: ", "))"
        return
            "\(([node] + (known.isEmpty ? [] : [String(known)])).joined(separator: ".")) has no '\(word)' anywhere in "
            + "this recording; \(hint ?? choice)"
    }
}
