import IMSession
import Recorder

/// The changes that each input made in the state of its node, for the page's side panel.
struct PageStates {
    struct Change {
        /// The index of the event in the session.
        var event: Int
        var node: NodeIndex
        /// Paths with their new values, in the order of the state's JSON; nil for a removed value.
        var leaves: [(path: String, value: String?)]
    }

    /// The maximum number of events. For a longer session, the page shows only the names of states.
    static let eventsMax = 5_000
    /// The maximum size of all paths and values in bytes, so that a server with many accounts does not make a page of
    /// hundreds of megabytes.
    static let bytesMax = 4 << 20

    private(set) var changes: [Change] = []
    /// Why changes are missing; nil if all are included.
    private(set) var absence: String?

    init(_ session: ExportedSession) {
        guard session.reader.eventCount <= UInt64(Self.eventsMax) else {
            absence = "the session is too long to include the whole state at each event"
            return
        }
        do throws(SessionError) {
            try read(session)
        } catch {
            absence = "this version cannot replay the recording: \(error)"
        }
    }

    private mutating func read(_ session: ExportedSession) throws(SessionError) {
        let schema = IMSessionSchema()
        if let difference = try session.reader.behaviourDifference(), difference.divergence != nil {
            absence = "\(difference)"
            return
        }
        var replay = Replay<IMSessionSchema>()
        var effects: [NodeEffect] = []
        var known: [NodeIndex: [String: String]] = [:]
        var eventIndex = 0
        var bytes = 0
        let scanner = session.reader.makeScanner()
        while let view = try scanner.next() {
            defer { eventIndex += 1 }
            try schema.apply(view, to: &replay, effects: &effects, nodeNames: session.reader.nodes)
            switch view.role {
            case .start, .input, .stop: break
            case .header, .clock, .effect, .environment, .mark, .keyframe, .closing: continue
            }
            let json = replay[view.node].flatMap { try? schema.encodeState($0) } ?? []
            let change = Self.change(from: &known[view.node, default: [:]], to: StateLeaves.read(json))
            if change.isEmpty { continue }
            bytes += change.reduce(0) { $0 + $1.path.utf8.count + ($1.value?.utf8.count ?? 0) }
            guard bytes <= Self.bytesMax else {
                absence = "from event \(view.number) on, the states are too large for a page"
                return
            }
            changes.append(Change(event: eventIndex, node: view.node, leaves: change))
        }
    }

    private static func change(
        from known: inout [String: String], to leaves: [StateLeaves.Leaf]
    ) -> [(path: String, value: String?)] {
        var change: [(path: String, value: String?)] = []
        var left = known
        for leaf in leaves {
            // The first part of a path is the kind of machine. The panel shows the node's name instead.
            let path = leaf.path.drop { $0 != "." }.dropFirst()
            let name = path.isEmpty ? leaf.path : String(path)
            if left.removeValue(forKey: name) != leaf.value { change.append((name, leaf.value)) }
            known[name] = leaf.value
        }
        // Removed paths are sorted, because a hash table has another order in every process.
        for path in left.keys.sorted() {
            known[path] = nil
            change.append((path, nil))
        }
        return change
    }
}
