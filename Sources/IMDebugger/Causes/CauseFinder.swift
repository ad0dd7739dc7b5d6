import IMProtocol
import IMSession
import Recorder

/// Finds what led to an event, one step at a time, from what stands in the recording.
///
/// An effect is the answer to the input before it; a frame that was received was sent by somebody; a timer that fired was
/// set by an event; a link that opened was asked for. It ends at what comes from outside the client: a command, the
/// network, an operator, a fault.
package struct CauseFinder {
    /// What stands behind an event.
    package enum Cause: Equatable, Sendable {
        /// Another event, and how it led to this one.
        case event(UInt64, String)
        /// Nothing in the recording; what it was.
        case outside(String)
        /// Something that the recording does not hold; why.
        case unknown(String)
    }

    let session: DebugSession
    let links: LinkPairs

    package init(_ session: DebugSession) throws {
        self.session = session
        links = try session.linkPairs()
    }

    /// One event of a chain.
    package struct Step: Equatable, Sendable {
        package var number: UInt64
        /// How it led to the one before it in the chain; empty where its line says enough.
        package var how: String
        /// How many events like it were left out behind it.
        package var repeats = 0
    }

    /// The events from the given one back to a cause outside, nearest first, and how the last of them came about.
    package func chain(from number: UInt64) throws -> (steps: [Step], end: String) {
        var steps: [Step] = []
        var how = ""
        var current = number
        while true {
            // A heartbeat sets the next one, and so on: what began it is what is wanted.
            let isTimer = try session.event(current).kind == "timer"
            if let last = steps.last, isTimer, last.how == how, how.hasPrefix(CauseFinder.setting) {
                steps[steps.count - 1].repeats += 1
            } else {
                steps.append(Step(number: current, how: how))
            }
            switch try cause(of: current) {
            // Every cause lies before its effect, so that this ends.
            case .event(let next, let text) where next < current: (current, how) = (next, text)
            case .event: return (steps, "what led to it is not in this recording")
            case .outside(let text), .unknown(let text): return (steps, text)
            }
        }
    }

    private static let setting = "set the timer "

    package func cause(of number: UInt64) throws -> Cause {
        let raw = try session.timeline.event(number)
        let event = session.decoded(raw)
        switch event.content {
        case .effect: return try inputBefore(raw)
        case .input(let input): return try cause(of: input, raw)
        case .start: return .outside("the app's process began")
        case .stop: return .outside("the process was ended from outside")
        case .environment: return .outside("the one who told the story changed the network or the world")
        case .mark: return .outside("the one who recorded it set a mark")
        case .header, .clock, .keyframe, .closing: return .outside("the recorder wrote it")
        case .unreadable(let why): return .unknown("this event cannot be read: \(why)")
        }
    }

    /// Effects stand right behind the input that they answer.
    private func inputBefore(_ event: Event) throws -> Cause {
        let input = try session.timeline.last(before: event.number) {
            $0.node == event.node && ($0.role == .input || $0.role == .start)
        }
        guard let input else { return .unknown("the input that it answers is not in this recording") }
        return .event(input.number, "")
    }

    private func cause(of input: NodeInput, _ event: Event) throws -> Cause {
        switch input {
        case .frame(let connection, let frame): return try sender(of: frame, on: connection, event)
        case .unreadable(let connection, _):
            return .unknown("bytes that are no frame came over link \(connection.rawValue)")
        case .linkOpened(let connection): return try opener(of: connection, event)
        case .linkFailed(let connection, _): return try failure(of: connection, event)
        case .linkClosed(let connection, _): return try closer(of: connection, event)
        case .deadlineReached: return try timerSetter(event)
        case .network, .app:
            if let fault = try environment(before: event, sameTime: true) {
                return .event(fault, "the story made it happen")
            }
            return .outside(
                event.channel == .runtime
                    ? "the device told the app: from outside the client" : "from outside the client")
        case .clientCommand: return .outside("a command of the app: from outside the client")
        case .serverCommand: return .outside("an operator's command to the server: from outside the client")
        }
    }

    // MARK: Frames

    /// The other side's send: the one that everything else on the link says it was. Where that does not say it, the
    /// newest equal one before.
    private func sender(of frame: Frame, on connection: ConnectionID, _ event: Event) throws -> Cause {
        let key = LinkPairs.key(of: frame)
        if let peer = links.peer(of: event.node, connection.rawValue) {
            let name = session.reader.name(of: peer.node)
            if let sent = try FrameOrder(session, links).sending(of: event, from: peer) {
                return .event(sent, "sent by \(name)")
            }
            let sent = try session.timeline.last(before: event.number) { view in
                guard view.node == peer.node, view.stream == peer.stream, view.role == .effect,
                    view.channel == .transport, case .effect(.send(_, let sent)) = session.decoded(view).content
                else { return false }
                return LinkPairs.key(of: sent) == key
            }
            if let sent { return .event(sent.number, "sent by \(name)") }
            return .unknown("no such frame was sent in this recording: it was made up by a fault, or is of before")
        }
        if !session.hasServer {
            return .unknown("it came from the server, which is not in this recording: what is known ends here")
        }
        if !session.hasClients {
            return .unknown("it came from a client, which is not in this recording: what is known ends here")
        }
        return .unknown("which link of the other side it came over cannot be told")
    }

    // MARK: Links

    private func opener(of connection: ConnectionID, _ event: Event) throws -> Cause {
        let asked = try link(event.node, connection.rawValue, before: event.number) {
            if case .effect(.connect) = $0 { true } else { false }
        }
        if let asked { return .event(asked, "asked for") }
        if let peer = links.peer(of: event.node, connection.rawValue), let connect = links.begin(of: peer) {
            return .event(connect, "asked for by \(session.reader.name(of: peer.node))")
        }
        return .unknown("the client that opened it is not in this recording: what is known ends here")
    }

    private func failure(of connection: ConnectionID, _ event: Event) throws -> Cause {
        let asked = try link(event.node, connection.rawValue, before: event.number) {
            if case .effect(.connect) = $0 { true } else { false }
        }
        if let fault = try environment(before: event, sameTime: false) {
            return .event(fault, "the newest change of the network before")
        }
        if let asked { return .event(asked, "asked for, and the network did not let it through") }
        return .outside("the network")
    }

    /// A link is closed by one of its ends, by the end of a process, or by the network: whatever came last.
    private func closer(of connection: ConnectionID, _ event: Event) throws -> Cause {
        var candidates: [(number: UInt64, how: String)] = []
        if let own = try closing(event.node, connection.rawValue, before: event.number) {
            candidates.append((own, "closed by itself"))
        }
        let peer = links.peer(of: event.node, connection.rawValue)
        let opened = peer.flatMap { links.begin(of: $0) } ?? 0
        if let peer {
            let name = session.reader.name(of: peer.node)
            if let closed = try closing(peer.node, peer.stream, before: event.number) {
                candidates.append((closed, "closed by \(name)"))
            }
            let stopped = try session.timeline.last(before: event.number) {
                $0.role == .stop && $0.node == peer.node
            }
            if let stopped, stopped.number > opened { candidates.append((stopped.number, "\(name) ended")) }
        }
        if let fault = try environment(before: event, sameTime: false), fault > opened {
            candidates.append((fault, "the newest change of the network before"))
        }
        if let best = candidates.max(by: { $0.number < $1.number }) { return .event(best.number, best.how) }
        if peer == nil, !session.hasServer {
            return .unknown("the network or the server, which is not in this recording: what is known ends here")
        }
        return .outside("the network: nothing in this recording closed it")
    }

    private func closing(_ node: NodeIndex, _ stream: UInt32, before number: UInt64) throws -> UInt64? {
        try link(node, stream, before: number) { if case .effect(.closeLink) = $0 { true } else { false } }
    }

    private func link(
        _ node: NodeIndex, _ stream: UInt32, before number: UInt64, where condition: (SessionEvent.Content) -> Bool
    ) throws -> UInt64? {
        // What an earlier process did with the same number is another link.
        guard let begin = links.begin(of: LinkPairs.End(node: node, stream: stream)), begin < number else { return nil }
        var found: UInt64?
        try session.timeline.scan(after: begin - 1, upTo: number - 1) { view in
            guard view.node == node, view.stream == stream, view.channel == .runtime else { return true }
            if condition(session.decoded(view).content) { found = view.number }
            return true
        }
        return found
    }

    /// The newest event of the world on the node's side, or on nobody's.
    private func environment(before event: Event, sameTime: Bool) throws -> UInt64? {
        let found = try session.timeline.last(before: event.number) { view in
            view.role == .environment && (view.node == event.node || view.node == .session)
        }
        guard let found, !sameTime || found.time == event.time else { return nil }
        return found.number
    }

    // MARK: Timers

    /// The event after which the timer that fires here was first there. A timer keeps its moment from when it is set
    /// until it fires, so the place is found by halves.
    private func timerSetter(_ event: Event) throws -> Cause {
        let before = try session.timeline.state(at: event.number - 1)
        guard let due = before[event.node].flatMap({ timers(of: $0) })?.first else {
            return .unknown("no timer is known that was due")
        }
        var low: UInt64 = 0
        var high = event.number - 1
        while low < high {
            let middle = low + (high - low) / 2
            let state = try session.timeline.state(at: middle)
            let isSet = state[event.node].flatMap { timers(of: $0) }?.contains(due) ?? false
            if isSet { high = middle } else { low = middle + 1 }
        }
        let name = due["name"].map(StateSummary.timerName) ?? "?"
        // What a timer waited for in vain was held up by somebody.
        let fault = try session.timeline.last(before: event.number) { $0.role == .environment && $0.number > low }
        let since = fault.map { "; since then #\($0.number) \(session.decoded($0).environmentText)" } ?? ""
        return .event(low, "\(CauseFinder.setting)\(name)\(since)")
    }

    private func timers(of machine: NodeMachine) -> [StateTree]? {
        guard case .list(let entries)? = StateTree(machine)?["timers"]?["entries"] else { return nil }
        return entries
    }
}

extension SessionEvent {
    /// What the world did, as a user types it; empty for every other event.
    fileprivate var environmentText: String {
        if case .environment(let action) = content { action.command } else { "" }
    }
}

extension DebugSession {
    /// Whether the server's side was recorded too.
    var hasServer: Bool { nodes.contains { node in linkTable?.servers.contains(node) ?? false } }
    /// Whether a client's side was recorded.
    var hasClients: Bool { nodes.contains { node in !(linkTable?.servers.contains(node) ?? false) } }
}
