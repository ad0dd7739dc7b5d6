import IMClient
import IMProtocol
import IMSession
import OrderedCollections
import Recorder
import SansIO

/// The events of a recording, in memory. A fork, or a rerun of the recorded scenario, starts from them.
public struct DecodedSession: Sendable {
    /// The session's header.
    public let header: SessionHeader
    /// All events; the first has the number 1.
    public let events: [SessionEvent]

    /// - Throws: ``SessionError`` for a damaged file, and for a file of another format.
    public init(_ reader: SessionReader) throws {
        // A recording of another behaviour version is permitted: a fork continues with the machines of this version
        // anyway.
        try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        header = reader.header
        var events: [SessionEvent] = []
        let schema = IMSessionSchema()
        try reader.forEach { view in
            events.append(SessionEvent(view, node: reader.name(of: view.node), schema: schema))
        }
        self.events = events
    }

    /// The time of the last event.
    public var end: Instant { events.last?.time ?? .zero }

    /// An event by its number.
    public subscript(number: UInt64) -> SessionEvent? {
        guard number > 0, number <= UInt64(events.count) else { return nil }
        return events[Int(number) - 1]
    }

    /// The reason why no fork can continue this recording; nil if a fork can.
    public var rejectionReason: String? {
        var begun: OrderedSet<String> = []
        for event in events {
            switch event.content {
            case .start(let start):
                if case .server = start.body { return nil }
                begun.append(event.node)
            case .input, .effect:
                // The node's machine started before the recording, so its state is unknown.
                guard begun.contains(event.node) else {
                    return "this recording begins in the middle of a scenario: 'rec start' came after the first client"
                }
            case .header, .clock, .stop, .environment, .mark, .keyframe, .closing, .unreadable: continue
            }
        }
        return "this recording does not contain the server, so no client would get an answer"
    }

    /// The index of the first command, or of the first foreground or background change, that the user gave to a
    /// sleeping device; nil for none. The recording does not contain when the user gave it: it is recorded when the
    /// client receives it after waking. A rerun therefore gives it at that time, after the inputs that queued during
    /// the sleep.
    ///
    /// - Parameter start: the index from which to search.
    package func commandDuringSleep(from start: Int = 0) -> Int? {
        var woken: OrderedDictionary<String, Instant> = [:]
        return events.indices.first { position in
            let event = events[position]
            if case .input(.app(.woke)) = event.content { woken[event.node] = event.time }
            switch event.content {
            case .input(.clientCommand), .input(.app(.foreground)), .input(.app(.background)):
                return position >= start && woken[event.node] == event.time
            default: return false
            }
        }
    }

    /// True if there are clients whose states and callbacks can be compared.
    package var hasClients: Bool {
        events.contains { event in
            guard case .start(let start) = event.content, case .client = start.body else { return false }
            return true
        }
    }

    /// The index after the batch of event `number`. A batch is an event with the effects and consequences that directly
    /// follow it, also across keyframes. No other event can happen within a batch, so no fork can start there.
    public func batchEnd(after number: UInt64) -> Int {
        var end = min(Int(clamping: number), events.count)
        for position in end..<events.count {
            switch events[position].content {
            case .keyframe: continue
            case .effect: end = position + 1
            default:
                guard isConsequence(position) else { return end }
                end = position + 1
            }
        }
        return end
    }

    /// True if the input at that index is a consequence of the user's change of a network or of a clock: the world
    /// sends it to its nodes as part of that change.
    public func isConsequence(_ position: Int) -> Bool { cause(ofConsequence: position) != nil }

    /// The index of the user's action of which the input at this index is a consequence; nil if there is none.
    func cause(ofConsequence position: Int) -> Int? {
        guard mayBeConsequence(events[position]) else { return nil }
        let failed: ConnectionID? =
            if case .input(.linkFailed(let id, _)) = events[position].content { id } else { nil }
        var earlier = position - 1
        while earlier >= 0, events[earlier].time == events[position].time {
            let event = events[earlier]
            switch event.content {
            case .environment(let action):
                guard event.node == events[position].node || action == .net(.reset) else { return nil }
                return notifiesNodes(action) ? earlier : nil
            // The connection attempt came after the action, so its failure is no consequence of the action.
            case .effect(.connect(let id)): if id == failed, event.node == events[position].node { return nil }
            case .effect, .keyframe: break
            case .input: if !mayBeConsequence(event) { return nil }
            case .header, .clock, .start, .stop, .mark, .closing, .unreadable: return nil
            }
            earlier -= 1
        }
        return nil
    }

    private func mayBeConsequence(_ event: SessionEvent) -> Bool {
        switch event.content {
        case .input(.network), .input(.app(.clockSet)), .input(.linkFailed(_, .networkDown)),
            .input(.linkClosed(_, .networkDown)), .input(.linkFailed(_, .reset)), .input(.linkClosed(_, .reset)):
            true
        default: false
        }
    }

    /// True if nodes are notified of the user's action at once.
    private func notifiesNodes(_ action: EnvironmentAction) -> Bool {
        switch action {
        case .clockSkew, .net(.down), .net(.up), .net(.switchNetwork), .net(.reset), .net(.clear): true
        case .net, .sleep, .other, .observed: false
        }
    }
}
