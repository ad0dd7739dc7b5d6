import IMProtocol
import IMSession
import Recorder

/// Says what led to an event, one step at a time, as the recording has it.
///
/// An effect is the answer to the input before it; a frame that was received was sent by somebody; a timer that fired was
/// set by an event; a link that opened was asked for. It ends at what comes from outside the client: a command, the
/// network, an operator, a fault.
public struct CauseFinder {
    /// What stands behind an event.
    public enum Cause: Equatable, Sendable {
        /// Another event, and how it led to this one.
        case event(UInt64, String)
        /// Nothing in the recording; what it was.
        case outside(String)
        /// Something that the recording does not hold; why.
        case unknown(String)
    }

    let session: DebugSession

    /// Reads nothing yet.
    public init(_ session: DebugSession) {
        self.session = session
    }

    /// One event of a chain.
    public struct Step: Equatable, Sendable {
        /// The event.
        public var number: UInt64
        /// How it led to the one before it in the chain; empty where its line says enough.
        public var how: String
        /// How many events like it were left out behind it.
        public var repeats = 0
    }

    /// The events from the given one back to a cause outside, nearest first, and how the last of them came about.
    public func chain(from number: UInt64) throws -> (steps: [Step], end: String) {
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

    /// What led to one event.
    public func cause(of number: UInt64) throws -> Cause {
        let raw = try session.timeline.event(number)
        let event = session.decoded(raw)
        switch event.content {
        case .effect: return raw.cause == 0 ? try inputBefore(raw) : .event(raw.cause, "")
        case .input(let input): return try cause(of: input, raw)
        case .start: return .outside("the app's process began")
        case .stop: return .outside("the process was ended from outside")
        case .environment: return .outside("a command of the scenario changed the network or the world")
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
        if case .deadlineReached = input {
            return event.cause == 0 ? try searchedSetter(event) : try setter(event.cause, of: event)
        }
        var number = event.cause
        if number == 0, !session.reader.header.recordsCauses {
            number = try UnrecordedCauses(session).cause(of: input, event) ?? 0
        }
        guard number != 0 else { return try noCause(of: input, event) }
        return .event(number, how(try session.event(number), ledTo: input, of: session.reader.name(of: event.node)))
    }

    /// How an event led to an input of a node.
    private func how(_ origin: SessionEvent, ledTo input: NodeInput, of name: String) -> String {
        let isOwn = origin.node == name
        switch (input, origin.content) {
        case (.frame, _), (.unreadable, _): return "sent by \(origin.node)"
        case (.linkOpened, _): return isOwn ? "asked for" : "asked for by \(origin.node)"
        case (.linkFailed, .effect): return "asked for, and the network did not let it through"
        case (.linkClosed, .effect(.closeLink)): return isOwn ? "closed by itself" : "closed by \(origin.node)"
        case (.linkClosed, .effect(.send)): return "larger than a frame may be"
        case (.linkClosed, .stop): return "\(origin.node) ended"
        case (.linkFailed, .stop): return "\(origin.node) is down"
        case (.linkFailed, _), (.linkClosed, _):
            return session.reader.header.recordsCauses
                ? "a change of the network" : "the newest change of the network before"
        case (.network, _), (.app, _): return "a command of the scenario made it happen"
        case (.data, _): return "asked of the local data"
        case (.deadlineReached, _), (.clientCommand, _), (.serverCommand, _): return ""
        }
    }

    /// What is to be said of an input for which the recording has no cause.
    private func noCause(of input: NodeInput, _ event: Event) throws -> Cause {
        switch input {
        case .unreadable(let connection, _):
            return .unknown("bytes that are no frame came over link \(connection.rawValue)")
        case .frame:
            if try !session.hasServer {
                return .unknown("it came from the server, which is not in this recording: what is known ends here")
            }
            if try !session.hasClients {
                return .unknown("it came from a client, which is not in this recording: what is known ends here")
            }
            return .unknown("no such frame was sent in this recording: it was made up by a fault, or is of before")
        case .linkOpened:
            return .unknown("the client that opened it is not in this recording: what is known ends here")
        case .linkFailed: return .outside("the network")
        case .linkClosed:
            if try !session.hasServer {
                return .unknown(
                    "the network or the server, which is not in this recording: what is known ends here")
            }
            return .outside("the network: nothing in this recording closed it")
        case .network, .app:
            return .outside(
                event.channel == .runtime
                    ? "the device told the app: from outside the client" : "from outside the client")
        case .clientCommand: return .outside("a command of the app: from outside the client")
        case .serverCommand: return .outside("an operator's command to the server: from outside the client")
        case .data: return .unknown("nothing was asked of the local data")
        case .deadlineReached: return .unknown("no timer is known that was due")
        }
    }

    // MARK: Timers

    /// A timer that fires, and the event that set it.
    private func setter(_ number: UInt64, of event: Event) throws -> Cause {
        let before = try session.timeline.state(at: event.number - 1)
        return try setter(number, before[event.node].flatMap { timers(of: $0) }?.first, event)
    }

    /// The same where the recording does not say it. A timer keeps its moment from when it is set until it fires, so the
    /// event after which it was first there is found by halves.
    private func searchedSetter(_ event: Event) throws -> Cause {
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
        return try setter(low, due, event)
    }

    private func setter(_ number: UInt64, _ timer: StateTree?, _ event: Event) throws -> Cause {
        let name = timer?["name"].map(StateSummary.timerName) ?? "?"
        // What a timer waited for in vain was held up by somebody.
        let fault = try session.timeline.last(before: event.number) { $0.role == .environment && $0.number > number }
        let since = fault.map { "; since then #\($0.number) \(session.decoded($0).environmentText)" } ?? ""
        return .event(number, "\(CauseFinder.setting)\(name)\(since)")
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
