import IMClient
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import Recorder
import SansIO

// Explains refusals. The cause of a refusal is not the refused command, but the earlier input that decided the refusal.
// That is the newest input without which the machine would have granted the request. To find it, a copy of the machine
// runs again without one of its inputs at a time.

/// A request that a machine refused, with a function that reads the result of a repeated run.
struct Refusal {
    /// The input with the refused request.
    var input: Event
    var status: Status
    /// Returns the status of the request's answer among some effects. Nil if the effects contain no answer.
    var answerStatus: ([NodeEffect]) -> Status?
    /// The connection of the client that sent the request. Frames over this connection are only examined after all
    /// other inputs.
    var connection: UInt32
}

/// A recorded input of a node.
private struct RecordedInput {
    var number: UInt64
    var time: Instant
    var input: NodeInput

    var connection: UInt32 { input.connection?.rawValue ?? 0 }
}

/// The inputs of a process up to a refusal, and the cause of each event.
private struct ProcessHistory {
    var inputs: [RecordedInput] = []
    /// For each event after the start of the process: its number and the number of its cause.
    var causes: [(number: UInt64, cause: UInt64)] = []

    /// The numbers of an event and of all events that it caused, directly and indirectly.
    func descendants(of number: UInt64) -> Set<UInt64> {
        var found: Set<UInt64> = [number]
        for event in causes[causes.partitioningIndex { $0.number > number }...] where found.contains(event.cause) {
            found.insert(event.number)
        }
        return found
    }
}

extension CauseFinder {
    /// The maximum number of inputs before a refusal that are examined.
    private static let candidateCountMax = 400
    /// The maximum number of lost frames before a refusal that are examined.
    private static let lostFrameCountMax = 16

    /// The event that decided a refusal. Nil if event `number` is not a refusal, or if no single event decided it.
    func decision(of number: UInt64) throws -> FoundCause? {
        if let known = session.decisions[number] { return known }
        let found = try searchedDecision(of: number)
        session.decisions[number] = .some(found)
        return found
    }

    private func searchedDecision(of number: UInt64) throws -> FoundCause? {
        guard let refusal = try refusal(number) else { return nil }
        if let fact = try localFact(refusal) ?? revocation(refusal) { return fact }
        let history = try history(of: refusal.input)
        let inputs = history.inputs
        let candidates = inputs.indices.dropLast().reversed().filter { inputs[$0].input.canDecide }
            .prefix(Self.candidateCountMax)
        let isServer = try session.servers.contains(refusal.input.node)
        let others = candidates.filter { !isServer || inputs[$0].connection != refusal.connection }
        let isLimit = refusal.status == .rateLimited || refusal.status == .channelRateLimited
        // The client's own login is not examined, because the request would not exist without it.
        let own = candidates.filter {
            isServer && inputs[$0].connection == refusal.connection
                && (isLimit || inputs[$0].input.kindName != "login")
        }
        var deciding: Int?
        let kind = inputs.last?.input.kindName
        for index in others + own where !isLimit || inputs[index].input.kindName == kind {
            guard try isGranted(refusal, history, without: [index]) else { continue }
            deciding = index
            // For a rate limit, the search continues to the oldest such request, because it began the period that is
            // counted.
            if !isLimit { break }
        }
        if deciding == nil {
            // An input without which the request would be refused with another status also decided this answer.
            deciding = try others.first { index in
                guard inputs[index].input.isCommandOrLogin,
                    let status = try status(refusal, history, without: [index])
                else { return false }
                return isServer && status != refusal.status
            }
        }
        let how = "without it the answer would not be \(refusal.status.name)"
        if isServer, !isLimit,
            let fault = try lostFrame(refusal, history, after: deciding.map { inputs[$0].number } ?? 0)
        {
            return fault
        }
        if deciding == nil, let rule = try earlierRule(refusal) { return rule }
        if let deciding { return FoundCause(number: inputs[deciding].number, how: how) }
        // If two inputs are each sufficient for the refusal, neither is found alone. Without both, the request is
        // granted. The later one is the cause.
        let commandsAndLogins = others.filter { inputs[$0].input.isCommandOrLogin }.prefix(12)
        for (laterIndex, later) in commandsAndLogins.enumerated() {
            for earlier in commandsAndLogins.dropFirst(laterIndex + 1) {
                guard try isGranted(refusal, history, without: [later, earlier]) else { continue }
                return FoundCause(
                    number: inputs[later].number, how: "it decided the answer \(refusal.status.name)",
                    also: [inputs[earlier].number])
            }
        }
        switch refusal.status {
        case .wrongCredential, .credentialExpired: return try credentialSource(of: refusal)
        case .networkUnavailable: return try lastChange(before: refusal.input)
        default: return nil
        }
    }

    private func refusal(_ number: UInt64) throws -> Refusal? {
        let event = try session.event(number)
        guard case .effect(let effect) = event.content, event.cause != 0 else { return nil }
        let input = try session.timeline.event(event.cause)
        switch effect {
        case .send(_, let frame):
            guard let status = frame.body.answer, status != .ok, isRefusal(status),
                case .input(.frame) = session.decoded(input).content
            else { return nil }
            let (name, request) = (frame.body.name, frame.request)
            return Refusal(
                input: input, status: status,
                answerStatus: { effects in
                    for case .send(_, let other) in effects where other.body.name == name && other.request == request {
                        return other.body.answer
                    }
                    return nil
                }, connection: input.stream)
        case .complete, .notify, .transition:
            guard case .input(.clientCommand(let id, _)) = session.decoded(input).content,
                let status = try completion(of: id, answering: input.number), !status.isGranted
            else { return nil }
            return Refusal(
                input: input, status: status,
                answerStatus: { effects in
                    for case .complete(let known, let completion) in effects where known == id {
                        return completion.status
                    }
                    return effects.isEmpty ? nil : .ok
                }, connection: 0)
        default: return nil
        }
    }

    /// True if the app receives an error code. Some systems report a message for an offline receiver with an error
    /// code, although the server stored it.
    private func isRefusal(_ status: Status) -> Bool {
        let dialect = session.dialect
        return !status.isGranted || dialect.code(for: status, of: .send) != dialect.code(for: .ok, of: .send)
    }

    private func completion(of id: CommandID, answering input: UInt64) throws -> Status? {
        var found: Status?
        for event in try session.effects(of: input) {
            if case .effect(.complete(let known, let completion)) = event.content, known == id {
                found = completion.status
            }
        }
        return found
    }

    /// The inputs of a process up to an event.
    private func history(of event: Event) throws -> ProcessHistory {
        let start = try session.timeline.last(before: event.number) { $0.node == event.node && $0.role == .start }
        var history = ProcessHistory()
        try session.timeline.scan(after: start?.number ?? 0, upTo: event.number) { view in
            history.causes.append((view.number, view.cause))
            guard view.node == event.node, view.role == .input, case .input(let input) = session.decoded(view).content
            else { return true }
            history.inputs.append(RecordedInput(number: view.number, time: view.time, input: input))
            return true
        }
        return history
    }

    /// True if the request would have been granted without the dropped inputs. A message that is stored for an offline
    /// receiver also counts as granted.
    private func isGranted(_ refusal: Refusal, _ history: ProcessHistory, without dropped: [Int]) throws -> Bool {
        guard let status = try status(refusal, history, without: dropped) else { return false }
        return status.isGranted && status != refusal.status
    }

    /// Runs the machine again without the dropped inputs and without the events that they caused. Returns the status of
    /// its answer to the request; nil if there is no answer.
    private func status(_ refusal: Refusal, _ history: ProcessHistory, without dropped: [Int]) throws -> Status? {
        let inputs = history.inputs
        guard let first = dropped.min(),
            var machine = try session.timeline.state(at: inputs[first].number - 1)[refusal.input.node]
        else { return nil }
        if case .deadlineReached = inputs[first].input { machine = machine.withoutTimers(dueAt: inputs[first].time) }
        let removed = dropped.reduce(into: Set<UInt64>()) { $0.formUnion(history.descendants(of: inputs[$1].number)) }
        guard !removed.contains(refusal.input.number) else { return nil }
        var effects: [NodeEffect] = []
        for next in inputs.dropFirst(first + 1) where !removed.contains(next.number) {
            machine.fireTimers(before: next.time)
            effects.removeAll(keepingCapacity: true)
            machine.handle(next.input, at: next.time, into: &effects)
        }
        return refusal.answerStatus(effects)
    }

    /// The fault that lost a frame to the server, if the request would have been granted after the arrival of this
    /// frame.
    ///
    /// - Parameter number: only frames that were sent after this event are examined.
    private func lostFrame(_ refusal: Refusal, _ history: ProcessHistory, after number: UInt64) throws -> FoundCause? {
        let graph = try graph()
        let lost = graph.deliveries.filter { sent, delivery in
            delivery == .lost && sent > number && sent < refusal.input.number
        }.keys.sorted().suffix(Self.lostFrameCountMax)
        for sent in lost.reversed() {
            let event = try session.timeline.event(sent)
            let end = graph.peer(of: CausalGraph.End(node: event.node, connection: event.stream))
            guard let end, end.node == refusal.input.node, let fault = graph.faults.fault(of: sent), fault < sent,
                case .effect(.send(_, let frame)) = session.decoded(event).content, !frame.body.isHeartbeat,
                frame.body.credential == nil, var machine = try session.timeline.state(at: sent)[end.node]
            else { continue }
            var effects: [NodeEffect] = []
            machine.fireTimers(before: event.time)
            machine.handle(.frame(ConnectionID(end.connection), frame), at: event.time, into: &effects)
            for next in history.inputs where next.number > sent {
                machine.fireTimers(before: next.time)
                effects.removeAll(keepingCapacity: true)
                machine.handle(next.input, at: next.time, into: &effects)
            }
            guard let status = refusal.answerStatus(effects), status.isGranted, status != refusal.status else {
                continue
            }
            return FoundCause(number: fault, how: "frame #\(sent), \(frame.body.name), was lost")
        }
        return nil
    }
}

extension NodeInput {
    /// False for heartbeats, which cannot decide a refusal.
    fileprivate var canDecide: Bool {
        if case .frame(_, let frame) = self { !frame.body.isHeartbeat } else { true }
    }

    /// The kind of request: the type of the frame or the name of the command; empty for other inputs.
    fileprivate var kindName: String {
        switch self {
        case .frame(_, let frame): frame.body.name
        case .clientCommand(_, let command): command.facts.first?.value ?? ""
        default: ""
        }
    }

    /// True for a command and for a login. Two such inputs can each be sufficient for a refusal.
    fileprivate var isCommandOrLogin: Bool {
        switch self {
        case .serverCommand, .clientCommand: true
        case .frame(_, let frame): if case .login = frame.body { true } else { false }
        default: false
        }
    }
}

extension NodeMachine {
    /// Fires the timers that are due before an instant, each at the time at which it is due.
    fileprivate mutating func fireTimers(before instant: Instant) {
        var effects: [NodeEffect] = []
        var left = 1000
        while left > 0, let next = nextDeadline, next < instant {
            handle(.deadlineReached, at: next, into: &effects)
            left -= 1
        }
    }
}

extension FrameBody {
    /// The status of an answer to a request; nil for other frames.
    fileprivate var answer: Status? {
        switch self {
        case .loginAck(let reply): reply.status
        case .logoutAck(let status), .kickAck(let status), .renewTokenAck(let status, _, _), .sendAck(let status, _),
            .joinAck(let status, _, _), .leaveAck(let status, _), .accountCallAck(let status, _),
            .operationAck(let status), .setAttributesAck(let status), .answer(let status, _), .watchAck(let status),
            .treeAck(let status, _), .changeAck(let status):
            status
        default: nil
        }
    }
}
