import IMClient
import IMProtocol
import IMSession
import OrderedCollections
import Recorder
import SansIO

/// The events of a recording in memory, for those who go on from one of them or play its scenario again.
public struct DecodedSession: Sendable {
    /// What the session says about itself.
    public let header: SessionHeader
    /// All events, the first has the number 1.
    public let events: [SessionEvent]

    /// - Throws: ``SessionError`` for a damaged file and for one of other machines.
    public init(_ reader: SessionReader) throws {
        // Who goes on from it does so with the machines of this version.
        try reader.requireFormat(of: IMSessionSchema(), sameBehaviour: false)
        header = reader.header
        var events: [SessionEvent] = []
        let schema = IMSessionSchema()
        try reader.forEach { view in
            events.append(SessionEvent(view, node: reader.name(of: view.node), schema: schema))
        }
        self.events = events
    }

    /// The moment of the last event.
    public var end: Instant { events.last?.time ?? .zero }

    /// An event by its number.
    public subscript(number: UInt64) -> SessionEvent? {
        guard number > 0, number <= UInt64(events.count) else { return nil }
        return events[Int(number) - 1]
    }

    /// Why nobody could go on from this recording; nil when one can.
    public var objection: String? {
        var begun: OrderedSet<String> = []
        for event in events {
            switch event.content {
            case .start(let start):
                if case .server = start.body { return nil }
                begun.append(event.node)
            case .input, .effect:
                // Its machines began before it did.
                guard begun.contains(event.node) else {
                    return "this recording begins in the middle of a scenario: 'rec start' came after the first client"
                }
            case .header, .clock, .stop, .environment, .mark, .keyframe, .closing, .unreadable: continue
            }
        }
        return "the server is not in this recording, so that nobody would answer"
    }

    /// The place of the first command that was given to a sleeping device, or the first word to its app; nil for none. When
    /// it was given, no recording says: it stands where the client hears of it, and told anew it is given then, behind
    /// what had come in meanwhile.
    ///
    /// - Parameter start: the place from which one is looked for.
    package func commandInSleep(from start: Int = 0) -> Int? {
        var woken: OrderedDictionary<String, Instant> = [:]
        return events.indices.first { place in
            let event = events[place]
            if case .input(.app(.woke)) = event.content { woken[event.node] = event.time }
            switch event.content {
            case .input(.clientCommand), .input(.app(.foreground)), .input(.app(.background)):
                return place >= start && woken[event.node] == event.time
            default: return false
            }
        }
    }

    /// Whether there is anybody whose states and callbacks could be compared.
    package var hasClients: Bool {
        events.contains { event in
            guard case .start(let start) = event.content, case .client = start.body else { return false }
            return true
        }
    }

    /// The events that one and the same cause has at once: the place behind event `number` and what follows from it in
    /// the same batch, also behind keyframes. Between them nothing else can happen, so nobody can go on from there.
    public func batchEnd(after number: UInt64) -> Int {
        var end = min(Int(clamping: number), events.count)
        var place = end
        while place < events.count {
            let isOfBatch = isEffect(place) || isConsequence(place)
            guard isOfBatch || isKeyframe(place) else { break }
            place += 1
            if isOfBatch { end = place }
        }
        return end
    }

    private func isEffect(_ place: Int) -> Bool {
        if case .effect = events[place].content { return true }
        return false
    }

    private func isKeyframe(_ place: Int) -> Bool {
        if case .keyframe = events[place].content { return true }
        return false
    }

    /// Whether the input at that place is a part of what a user did to a network or to a clock: the world itself tells
    /// its nodes.
    public func isConsequence(_ place: Int) -> Bool { cause(ofConsequence: place) != nil }

    /// The place of what the user did.
    func cause(ofConsequence place: Int) -> Int? {
        guard mayBeConsequence(events[place]) else { return nil }
        let failed: ConnectionID? = if case .input(.linkFailed(let id, _)) = events[place].content { id } else { nil }
        var earlier = place - 1
        while earlier >= 0, events[earlier].time == events[place].time {
            let event = events[earlier]
            switch event.content {
            case .environment(let action):
                guard event.node == events[place].node || action == .net(.reset) else { return nil }
                return isLoud(action) ? earlier : nil
            // An attempt that was made since fails by itself.
            case .effect(.connect(let id)): if id == failed, event.node == events[place].node { return nil }
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

    /// Whether nodes are told at once of what the user did.
    private func isLoud(_ action: EnvironmentAction) -> Bool {
        switch action {
        case .clockSkew, .net(.down), .net(.up), .net(.switchNetwork), .net(.reset), .net(.clear): true
        case .net, .sleep, .other, .observed: false
        }
    }
}
