import IMClient
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import Recorder
import SansIO

// A refusal is explained by the fact that decided it, not by the refused command. Machines are values. The deciding
// fact is the newest input without which the machine would have agreed; it is found by running the machine again
// without it.

/// A request that a machine refused, and how to check whether it would be refused again.
struct Refusal {
    /// The input that was refused.
    var input: Event
    var status: Status
    /// The status with which some effects end the request. Nil if they do not end it.
    var statusIn: ([NodeEffect]) -> Status?
    /// The connection of the requesting client. Its own frames decide only if nothing else does.
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
private struct Past {
    var inputs: [RecordedInput] = []
    /// For each event after the start of the process: its number and the number of its cause.
    var causes: [(number: UInt64, cause: UInt64)] = []

    /// An event and everything that it led to.
    func descendants(of number: UInt64) -> Set<UInt64> {
        var found: Set<UInt64> = [number]
        for event in causes[causes.partitioningIndex { $0.number > number }...] where found.contains(event.cause) {
            found.insert(event.number)
        }
        return found
    }
}

extension CauseFinder {
    /// At most this many inputs before a refusal are tried.
    private static let candidateCountMax = 400
    /// At most this many lost frames before a refusal are tried.
    private static let lostFrameCountMax = 16

    /// The event that decided a refusal. Nil if the event is no refusal, or if no single event decided it.
    func decision(of number: UInt64) throws -> MissingEvent? {
        if let known = session.decisions[number] { return known }
        let found = try searchedDecision(of: number)
        session.decisions[number] = .some(found)
        return found
    }

    private func searchedDecision(of number: UInt64) throws -> MissingEvent? {
        guard let refusal = try refusal(number) else { return nil }
        if let fact = try localFact(refusal) ?? revocation(refusal) { return fact }
        let past = try past(of: refusal.input)
        let inputs = past.inputs
        let candidates = inputs.indices.dropLast().reversed().filter { inputs[$0].input.canDecide }
            .prefix(Self.candidateCountMax)
        let isServer = try session.servers.contains(refusal.input.node)
        let others = candidates.filter { !isServer || inputs[$0].connection != refusal.connection }
        let isLimit = refusal.status == .rateLimited || refusal.status == .channelRateLimited
        // Without its own login there would be no request.
        let own = candidates.filter {
            isServer && inputs[$0].connection == refusal.connection
                && (isLimit || inputs[$0].input.kindName != "login")
        }
        var deciding: Int?
        let kind = inputs.last?.input.kindName
        for index in others + own where !isLimit || inputs[index].input.kindName == kind {
            guard try isGranted(refusal, past, without: [index]) else { continue }
            deciding = index
            // All requests together reach a rate limit; the first one started it.
            if !isLimit { break }
        }
        if deciding == nil {
            // Without it, something else would cause a refusal. It decided this answer all the same.
            deciding = try others.first { index in
                guard inputs[index].input.isStrong, let status = try status(refusal, past, without: [index]) else {
                    return false
                }
                return isServer && status != refusal.status
            }
        }
        let how = "without it the answer would not be \(refusal.status.name)"
        if isServer, !isLimit,
            let fault = try lostFrame(refusal, past, after: deciding.map { inputs[$0].number } ?? 0)
        {
            return fault
        }
        if deciding == nil, let rule = try earlierRule(refusal) { return rule }
        if let deciding { return MissingEvent(number: inputs[deciding].number, how: how) }
        // Of two facts that are each sufficient, the later one is the cause.
        let strong = others.filter { inputs[$0].input.isStrong }.prefix(12)
        for (strongIndex, later) in strong.enumerated() {
            for earlier in strong.dropFirst(strongIndex + 1) {
                guard try isGranted(refusal, past, without: [later, earlier]) else { continue }
                return MissingEvent(
                    number: inputs[later].number, how: "it decided the answer \(refusal.status.name)",
                    also: [inputs[earlier].number])
            }
        }
        switch refusal.status {
        case .wrongCredential, .credentialExpired: return try presenter(of: refusal)
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
                statusIn: { effects in
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
                statusIn: { effects in
                    for case .complete(let known, let completion) in effects where known == id {
                        return completion.status
                    }
                    return effects.isEmpty ? nil : .ok
                }, connection: 0)
        default: return nil
        }
    }

    /// True if the app sees a failure. Some systems report a message that waits for its receiver with a code.
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

    /// The inputs of a process up to one of them.
    private func past(of event: Event) throws -> Past {
        let start = try session.timeline.last(before: event.number) { $0.node == event.node && $0.role == .start }
        var past = Past()
        try session.timeline.scan(after: start?.number ?? 0, upTo: event.number) { view in
            past.causes.append((view.number, view.cause))
            guard view.node == event.node, view.role == .input, case .input(let input) = session.decoded(view).content
            else { return true }
            past.inputs.append(RecordedInput(number: view.number, time: view.time, input: input))
            return true
        }
        return past
    }

    /// True if the request would have been granted without some inputs. A waiting message also counts as granted.
    private func isGranted(_ refusal: Refusal, _ past: Past, without dropped: [Int]) throws -> Bool {
        guard let status = try status(refusal, past, without: dropped) else { return false }
        return status.isGranted && status != refusal.status
    }

    /// The machine's answer without some of its inputs and what followed from them. Nil for no answer.
    private func status(_ refusal: Refusal, _ past: Past, without dropped: [Int]) throws -> Status? {
        let inputs = past.inputs
        guard let first = dropped.min(),
            var machine = try session.timeline.state(at: inputs[first].number - 1)[refusal.input.node]
        else { return nil }
        if case .deadlineReached = inputs[first].input { machine = machine.withoutTimers(dueAt: inputs[first].time) }
        let gone = dropped.reduce(into: Set<UInt64>()) { $0.formUnion(past.descendants(of: inputs[$1].number)) }
        guard !gone.contains(refusal.input.number) else { return nil }
        var effects: [NodeEffect] = []
        for next in inputs.dropFirst(first + 1) where !gone.contains(next.number) {
            machine.fireTimers(before: next.time)
            effects.removeAll(keepingCapacity: true)
            machine.handle(next.input, at: next.time, into: &effects)
        }
        return refusal.statusIn(effects)
    }

    /// The fault that kept from the server a frame with which the request would have been granted.
    ///
    /// - Parameter number: only frames sent after this event are checked.
    private func lostFrame(_ refusal: Refusal, _ past: Past, after number: UInt64) throws -> MissingEvent? {
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
            for next in past.inputs where next.number > sent {
                machine.fireTimers(before: next.time)
                effects.removeAll(keepingCapacity: true)
                machine.handle(next.input, at: next.time, into: &effects)
            }
            guard let status = refusal.statusIn(effects), status.isGranted, status != refusal.status else { continue }
            return MissingEvent(number: fault, how: "frame #\(sent), \(frame.body.name), was lost")
        }
        return nil
    }
}

extension NodeInput {
    /// True if it may have decided a refusal. An input that only shows that a connection works decides nothing.
    fileprivate var canDecide: Bool {
        if case .frame(_, let frame) = self { !frame.body.isHeartbeat } else { true }
    }

    /// The kind of request.
    fileprivate var kindName: String {
        switch self {
        case .frame(_, let frame): frame.body.name
        case .clientCommand(_, let command): command.facts.first?.value ?? ""
        default: ""
        }
    }

    /// True for an act of an operator or of another device. Two of them may each be sufficient.
    fileprivate var isStrong: Bool {
        switch self {
        case .serverCommand, .clientCommand: true
        case .frame(_, let frame): if case .login = frame.body { true } else { false }
        default: false
        }
    }
}

extension NodeMachine {
    /// Fires the timers that are due before an instant, each at its own time.
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
