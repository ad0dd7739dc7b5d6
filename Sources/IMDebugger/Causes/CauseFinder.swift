import IMClient
import IMProtocol
import IMSession
import Recorder
import SansIO

/// Finds the causes of an event in a recording, one step at a time.
///
/// The cause of an effect is the input that the machine handled. The cause of a received frame is the event that sent
/// it. The cause of a fired timer is the event that set the timer, or the event that prevented the expected answer. A
/// chain ends at an event from outside: a command, a change of the network, an operator or a fault.
public struct CauseFinder {
    /// The cause of an event.
    public enum Cause: Equatable, Sendable {
        /// The number of another event, and a text about how it led to this event.
        case event(UInt64, String)
        /// Something outside the recording, described by the text.
        case outside(String)
        /// A cause that the recording does not contain. The text gives the reason.
        case unknown(String)
    }

    let session: DebugSession

    /// Creates a finder for the recording of a session.
    public init(_ session: DebugSession) {
        self.session = session
    }

    /// One event of a chain.
    public struct Step: Equatable, Sendable {
        /// The number of the event.
        public var number: UInt64
        /// How the event led to the previous step of the chain; empty if the line of the event is sufficient.
        public var how: String
        /// The number of similar events after this step that are omitted from the chain.
        public var repeats = 0
    }

    /// The chain of causes of an event. `steps` begins with the event and ends with the earliest cause. `end` is a text
    /// about the origin of the earliest cause. `also` has the numbers of other events that would have had the same
    /// effect alone.
    public func chain(from number: UInt64) throws -> (steps: [Step], end: String, also: [UInt64]) {
        var steps: [Step] = []
        var also: Set<UInt64> = []
        var how = ""
        var current = number
        while true {
            // Each heartbeat timer is set when the previous heartbeat timer fires. Only the first timer of a series is
            // shown.
            let isTimer = try session.event(current).kind == "timer"
            if let last = steps.last, isTimer, last.how == how, how.hasPrefix(CauseFinder.timerPrefix) {
                steps[steps.count - 1].repeats += 1
            } else {
                steps.append(Step(number: current, how: how))
            }
            let found = try origin(of: current, leadingTo: steps.dropLast().last?.number)
            also.formUnion(found.also)
            switch found.cause {
            // A cause is always older than its effect, so the loop ends.
            case .event(let next, let text) where next < current:
                if let sleep = found.sleep, sleep > next {
                    steps.append(Step(number: sleep, how: "the device slept meanwhile"))
                    also.insert(sleep)
                }
                (current, how) = (next, text)
            case .event: return (steps, "its cause is not in this recording", [])
            case .outside(let text), .unknown(let text):
                return (steps, text, also.filter { $0 < current }.sorted())
            }
        }
    }

    private static let timerPrefix = "set the timer "
    /// The text for a message that was sent later than the app requested it.
    static let waitedText = "it has waited since this event"

    private static let observedText =
        "a log shows it, but not its cause; 'imrepl reproduce LOG' searches for the cause"

    /// The cause of one event.
    ///
    /// - Parameter effect: the effect to be explained. It decides which timer is meant if several timers fired at once.
    public func cause(of number: UInt64, leadingTo effect: UInt64? = nil) throws -> Cause {
        try origin(of: number, leadingTo: effect).cause
    }

    /// The cause of one event, the other events that would have had the same effect alone, and the device's sleep that
    /// delayed the event.
    private func origin(
        of number: UInt64, leadingTo effect: UInt64?
    ) throws -> (cause: Cause, also: [UInt64], sleep: UInt64?) {
        let raw = try session.timeline.event(number)
        let event = session.decoded(raw)
        switch event.content {
        case .effect:
            if let found = try decision(of: number) ?? sender(of: event), found.number < number {
                return (.event(found.number, found.how), found.also, nil)
            }
            return (raw.cause == 0 ? try inputBefore(raw) : .event(raw.cause, ""), [], nil)
        case .input(.deadlineReached): return try origin(ofTimer: raw, leadingTo: effect)
        case .input(let input): return (try cause(of: input, raw), [], try sleep(delaying: raw, input))
        case .start: return (.outside("the app's process started"), [], nil)
        case .stop: return (.outside("something outside ended the process"), [], nil)
        case .environment(.observed):
            return (.outside(Self.observedText), [], nil)
        case .environment: return (.outside("a command of the scenario changed the network or the world"), [], nil)
        case .mark(let text): return (.outside(try origin(ofMark: text, number)), [], nil)
        case .header, .clock, .keyframe, .closing: return (.outside("the recorder wrote it"), [], nil)
        case .unreadable(let why): return (.unknown("this event cannot be read: \(why)"), [], nil)
        }
    }

    /// The cause of an effect without a recorded cause: the last input of the node, because effects directly follow
    /// their input.
    private func inputBefore(_ event: Event) throws -> Cause {
        let input = try session.timeline.last(before: event.number) {
            $0.node == event.node && ($0.role == .input || $0.role == .start)
        }
        guard let input else { return .unknown("its input is not in this recording") }
        return .event(input.number, "")
    }

    private func cause(of input: NodeInput, _ event: Event) throws -> Cause {
        var number = event.cause
        if number == 0, !session.reader.header.recordsCauses {
            number = try UnrecordedCauses(session).cause(of: input, event) ?? 0
        }
        guard number != 0 else { return try noCause(of: input, event) }
        if case .arrived(let first)? = try graph().deliveries[number], first < event.number,
            let duplication = try graph().faults.duplication(of: number)
        {
            return .event(duplication, "frame #\(number) arrived twice")
        }
        return .event(number, how(try session.event(number), ledTo: input, of: session.reader.name(of: event.node)))
    }

    /// The text about how an event led to an input of a node.
    private func how(_ origin: SessionEvent, ledTo input: NodeInput, of name: String) -> String {
        let isOwn = origin.node == name
        switch (input, origin.content) {
        case (.frame, _), (.unreadable, _): return "sent by \(origin.node)"
        case (.linkOpened, _): return isOwn ? "requested" : "requested by \(origin.node)"
        case (.linkFailed, .effect): return "requested, and the network blocked it"
        case (.linkClosed, .effect(.closeLink)): return isOwn ? "closed by itself" : "closed by \(origin.node)"
        case (.linkClosed, .effect(.send)): return "larger than the frame size limit"
        case (.linkClosed, .stop): return "\(origin.node) ended"
        case (.linkFailed, .stop): return "\(origin.node) is down"
        case (.linkFailed, _), (.linkClosed, _):
            return session.reader.header.recordsCauses
                ? "a change of the network" : "the last change of the network before it"
        case (.network, _), (.app, _): return "a command of the scenario caused it"
        case (.data, _): return "a request to the local data"
        case (.deadlineReached, _), (.clientCommand, _), (.serverCommand, _): return ""
        }
    }

    /// The text for an input without a recorded cause.
    private func noCause(of input: NodeInput, _ event: Event) throws -> Cause {
        switch input {
        case .unreadable(let connection, _):
            return .unknown("bytes that are not a frame arrived on link \(connection.rawValue)")
        case .frame:
            if try !session.hasServer {
                return .unknown("it came from the server, which is not in this recording: the known causes end here")
            }
            if try !session.hasClients {
                return .unknown("it came from a client, which is not in this recording: the known causes end here")
            }
            return .unknown(
                "this recording does not contain the sent frame: a fault created it, or it is older than the recording")
        case .linkOpened:
            return .unknown("the client that opened it is not in this recording: the known causes end here")
        case .linkFailed: return .outside("the network")
        case .linkClosed:
            if try !session.hasServer {
                return .unknown(
                    "the network or the server, which is not in this recording: the known causes end here")
            }
            return .outside("the network: nothing in this recording closed it")
        case .network, .app:
            return .outside(
                event.channel == .runtime
                    ? "the device notified the app: from outside the client" : "from outside the client")
        case .clientCommand: return .outside("a command of the app: from outside the client")
        case .serverCommand: return .outside("an operator's command to the server: from outside the client")
        case .data: return .unknown("the local data received no request")
        case .deadlineReached: return .unknown("no known timer was due")
        }
    }

    /// The sleep of the receiving device that delayed a frame; nil if there was none.
    private func sleep(delaying event: Event, _ input: NodeInput) throws -> UInt64? {
        guard case .frame = input, event.cause != 0 else { return nil }
        let sent = try session.timeline.event(event.cause).time
        return try graph().faults.sleep(of: event.node, endingAfter: sent, before: event.number)
    }

    // MARK: Timers

    private func origin(
        ofTimer event: Event, leadingTo effect: UInt64?
    ) throws -> (cause: Cause, also: [UInt64], sleep: UInt64?) {
        guard let timer = try firedTimer(event, leadingTo: effect), timer.setter != 0 else {
            return (.unknown("no known timer was due"), [], nil)
        }
        let slept = try graph().faults.sleep(of: timer.node, after: timer.setter, before: event.number)
        let sleep = timer.due < event.time ? slept : nil
        if let missing = try missingEvent(timer, at: event) {
            return (.event(missing.number, "the timer \(timer.text) expired: \(missing.how)"), missing.also, sleep)
        }
        return (.event(timer.setter, "\(CauseFinder.timerPrefix)\(timer.text)\(try retryText(timer))"), [], sleep)
    }

    /// The text about the delay of a retry: its position in the policy's list, and its random jitter.
    private func retryText(_ timer: FiredTimer) throws -> String {
        guard case .client(.retry) = timer.name, let retry = try retry(setBy: timer.setter, of: timer.node),
            !retry.delays.isEmpty
        else { return "" }
        let index = min(retry.count, retry.delays.count - 1)
        let wait = timer.due - (try session.timeline.event(timer.setter).time)
        let list = retry.delays.map(\.text).joined(separator: ", ")
        let jitter = wait - retry.delays[index]
        let jitterText = retry.jitterPerMille > 0 ? ", with \(jitter.text) of jitter" : ""
        return ": wait \(index + 1) of \(list)\(jitterText)"
    }

    private func retry(
        setBy number: UInt64, of node: NodeIndex
    ) throws -> (count: Int, delays: [Interval], jitterPerMille: Int64)? {
        try session.timeline.state(at: number)[node]?.client?.retry
    }

    // MARK: Delayed sends

    /// The command or the frame with which a delayed effect began. For example, a message can wait for its receiver or
    /// for a connection before it is sent.
    private func sender(of event: SessionEvent) throws -> FoundCause? {
        if case .effect(.notify(.treeValue(".info/serverTimeOffset", _, _))) = event.content,
            let clock = try graph().faults.clock(of: session.timeline.event(event.number).node, before: event.number)
        {
            return FoundCause(number: clock.number, how: "the offset comes from the device's clock")
        }
        if case .effect(.complete(let id, let completion)) = event.content {
            return try abortingValue(ofTransaction: id, completion, event)
        }
        guard case .effect(.send(_, let frame)) = event.content, event.cause != 0 else { return nil }
        let input = try session.event(event.cause)
        // The server sends a message because of a frame. A client sends a message because of a command.
        func request(_ matches: @escaping (FrameBody) -> Bool) -> (SessionEvent) -> Bool {
            { if case .input(.frame(_, let other)) = $0.content { matches(other.body) } else { false } }
        }
        let matches: (SessionEvent) -> Bool
        switch frame.body {
        case .message(let message):
            if case .input(.frame(_, let cause)) = input.content, case .send = cause.body { return nil }
            // Ids of messages are only unique for a sender, so the sender is also compared.
            matches = request { body in
                guard case .send(let sent) = body else { return false }
                return sent.id == message.id && (sent.from.isEmpty || sent.from == message.from)
            }
        case .operated(let operation):
            if case .input(.frame(_, let cause)) = input.content, case .operation = cause.body { return nil }
            matches = request { if case .operation(let sent) = $0 { sent.id == operation.id } else { false } }
        case .send(let message):
            if case .input(.clientCommand) = input.content { return nil }
            let node = try session.timeline.event(event.number).node
            let command = try session.lastCommand(of: node, before: event.cause) {
                if case .send(_, let text, _) = $0 { text == message.text } else { false }
            }
            return command.map { FoundCause(number: $0.number, how: CauseFinder.waitedText) }
        default: return nil
        }
        let found = try session.timeline.last(before: event.cause) { view in
            view.role == .input && view.channel == .transport && matches(session.decoded(view))
        }
        return found.map { FoundCause(number: $0.number, how: CauseFinder.waitedText) }
    }

    /// The value for which a transaction's block aborted: the last value from the server at the transaction's path.
    private func abortingValue(
        ofTransaction id: CommandID, _ completion: Completion, _ event: SessionEvent
    ) throws -> FoundCause? {
        guard completion.rows.contains(where: { $0["committed"] == "false" }),
            let command = try command(id, before: event.number), case .tree(.transaction(let path, _, _), _) = command
        else { return nil }
        let node = try session.timeline.event(event.number).node
        let found = try session.timeline.last(before: event.number) { view in
            guard view.node == node, view.role == .input, view.channel == .transport,
                case .input(.frame(_, let frame)) = session.decoded(view).content, case .treeData(let data) = frame.body
            else { return false }
            let known = data.path
            return known == path || path.hasPrefix(known + "/") || known.hasPrefix(path + "/") || known.isEmpty
        }
        return found.map { FoundCause(number: $0.number, how: "the transaction was aborted on this value") }
    }
}
