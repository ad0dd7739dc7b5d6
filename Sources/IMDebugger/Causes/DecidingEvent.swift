import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// A refusal is explained by the fact that decided it, not by the refused command. The machines are values: the fact is the
// newest input without which the machine would have agreed. It is found by running the machine again without it.

/// A request that a machine refused, and how to see whether it would be refused again.
private struct Refusal {
    /// The input that was refused.
    var input: Event
    var status: Status
    var isRefused: ([NodeEffect]) -> Bool
    /// The connection of the client that asked; its own frames decide only where nothing else does.
    var connection: UInt32
}

/// An input of a node, as it was recorded.
private struct RecordedInput {
    var number: UInt64
    var time: Instant
    var connection: UInt32
    var input: NodeInput
}

extension CauseFinder {
    /// How many inputs before a refusal are tried.
    private static let candidateCountMax = 400

    /// The event that decided a refusal; nil for what is no refusal, and where no event alone decided it.
    func decision(of number: UInt64) throws -> MissingEvent? {
        guard let refusal = try refusal(number) else { return nil }
        let inputs = try inputs(before: refusal.input)
        let candidates = inputs.indices.dropLast().reversed().filter { inputs[$0].input.canDecide }
            .prefix(Self.candidateCountMax)
        let isServer = try session.servers.contains(refusal.input.node)
        let others = candidates.filter { !isServer || inputs[$0].connection != refusal.connection }
        let own = candidates.filter { isServer && inputs[$0].connection == refusal.connection }
        var deciding: Int?
        for index in others + own where try isAccepted(refusal, inputs, without: [index]) {
            deciding = index
            // A limit of requests is reached by all of them together: the first one is where it began.
            if refusal.status != .rateLimited { break }
        }
        let how = "without it the answer would not be \(refusal.status.name)"
        if let deciding { return MissingEvent(number: inputs[deciding].number, how: how) }
        // Two facts, each of which is enough: the later one is the cause.
        let strong = others.filter { inputs[$0].input.isStrong }.prefix(12)
        for (place, later) in strong.enumerated() {
            for earlier in strong.dropFirst(place + 1) where try isAccepted(refusal, inputs, without: [later, earlier]) {
                return MissingEvent(
                    number: inputs[later].number, how: "it decided the answer \(refusal.status.name)",
                    also: [inputs[earlier].number])
            }
        }
        return try keptDecision(refusal)
    }

    private func refusal(_ number: UInt64) throws -> Refusal? {
        let event = try session.event(number)
        guard case .effect(let effect) = event.content, event.cause != 0 else { return nil }
        let input = try session.timeline.event(event.cause)
        switch effect {
        case .send(_, let frame):
            guard let status = frame.body.answer, !status.isAgreement, case .input(.frame) = session.decoded(input).content
            else { return nil }
            let (name, request) = (frame.body.name, frame.request)
            return Refusal(
                input: input, status: status,
                isRefused: { effects in
                    !effects.contains {
                        guard case .send(_, let other) = $0, other.body.name == name, other.request == request else {
                            return false
                        }
                        return other.body.answer?.isAgreement ?? false
                    }
                }, connection: input.stream)
        case .complete, .notify, .transition:
            guard case .input(.clientCommand(let id, _)) = session.decoded(input).content,
                let status = try completion(of: id, answering: input.number), !status.isAgreement
            else { return nil }
            return Refusal(
                input: input, status: status,
                isRefused: { effects in
                    effects.contains {
                        guard case .complete(let known, let completion) = $0, known == id else { return false }
                        return !completion.status.isAgreement
                    }
                }, connection: 0)
        default: return nil
        }
    }

    private func completion(of id: CommandID, answering input: UInt64) throws -> Status? {
        var found: Status?
        try session.timeline.scan(after: input) { view in
            guard view.role == .effect, view.cause == input else { return false }
            if case .effect(.complete(let known, let completion)) = session.decoded(view).content, known == id {
                found = completion.status
            }
            return true
        }
        return found
    }

    /// The inputs of a process up to one of them.
    private func inputs(before event: Event) throws -> [RecordedInput] {
        let start = try session.timeline.last(before: event.number) { $0.node == event.node && $0.role == .start }
        var found: [RecordedInput] = []
        try session.timeline.scan(after: start?.number ?? 0, upTo: event.number) { view in
            guard view.node == event.node, view.role == .input, case .input(let input) = session.decoded(view).content
            else { return true }
            found.append(RecordedInput(number: view.number, time: view.time, connection: view.stream, input: input))
            return true
        }
        return found
    }

    /// Whether the machine would have agreed without some of its inputs, the newest first.
    private func isAccepted(_ refusal: Refusal, _ inputs: [RecordedInput], without dropped: [Int]) throws -> Bool {
        guard let first = dropped.min(),
            var machine = try session.timeline.state(at: inputs[first].number - 1)[refusal.input.node]
        else { return false }
        if case .deadlineReached = inputs[first].input { machine = machine.withoutTimers(dueAt: inputs[first].time) }
        var effects: [NodeEffect] = []
        for index in inputs.indices.dropFirst(first + 1) where !dropped.contains(index) {
            let next = inputs[index]
            machine.fireTimers(before: next.time)
            effects.removeAll(keepingCapacity: true)
            machine.handle(next.input, at: next.time, into: &effects)
        }
        return !refusal.isRefused(effects)
    }

    /// What decided a refusal by what an earlier process of the app kept.
    private func keptDecision(_ refusal: Refusal) throws -> MissingEvent? {
        switch refusal.status {
        case .offlineLoginNotAllowed, .autologinNotAllowed: break
        default: return nil
        }
        let start = try session.timeline.last(before: refusal.input.number) {
            $0.node == refusal.input.node && $0.role == .start
        }
        guard let start else { return nil }
        var found: UInt64?
        var kept = LocalData()
        try session.timeline.scan(after: 0, upTo: start.number - 1) { view in
            guard view.node == refusal.input.node, view.role == .effect,
                case .effect(.persist(let data)) = session.decoded(view).content
            else { return true }
            let isChanged =
                refusal.status == .offlineLoginNotAllowed
                ? data.lastUser != kept.lastUser
                : data.autologinAllowed != kept.autologinAllowed || data.lastUser != kept.lastUser
            if isChanged { found = view.number }
            kept = data
            return true
        }
        return found.map { MissingEvent(number: $0, how: "kept by an earlier process of the app") }
    }
}

extension NodeInput {
    /// Whether it may have decided a refusal: what only shows that a connection lives decides nothing.
    fileprivate var canDecide: Bool {
        if case .frame(_, let frame) = self { !frame.body.isHeartbeat } else { true }
    }

    /// An act of an operator or of another device, two of which may each be enough.
    fileprivate var isStrong: Bool {
        switch self {
        case .serverCommand, .clientCommand: true
        case .frame(_, let frame): if case .login = frame.body { true } else { false }
        default: false
        }
    }
}

extension NodeMachine {
    /// Fires what is due before an instant, at its own time.
    fileprivate mutating func fireTimers(before instant: Instant) {
        var effects: [NodeEffect] = []
        var left = 1000
        while left > 0, let next = nextDeadline, next < instant {
            handle(.deadlineReached, at: next, into: &effects)
            left -= 1
        }
    }
}

extension Status {
    /// Whether the request was granted.
    fileprivate var isAgreement: Bool { self == .ok || self == .stored }
}

extension FrameBody {
    /// The status of an answer to a request; nil for what is none.
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
