import IMClient
import IMDebugger
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Checks that the debugger's answers about a recording are equal to a check of every event: the event at a time, the
/// end of a command, the fate of a frame, the causes of a transition, and the differences between two events (C-16).
enum QuerySelfChecks {
    static func failure(_ reader: SessionReader, _ decoded: DecodedSession) throws -> String? {
        let session = try DebugSession(reader)
        return try moments(session, decoded) ?? commands(session, decoded) ?? frames(session, decoded)
            ?? causes(session, decoded) ?? kicks(session, decoded) ?? comparison(reader)
    }

    /// The position of a time must be after all events at that time, and before all later events.
    private static func moments(_ session: DebugSession, _ decoded: DecodedSession) throws -> String? {
        for index in sample(decoded.events, 5) {
            let time = decoded.events[index].time
            for moment in [time, time - .nanoseconds(1)] where moment >= .zero {
                let last = decoded.events.last { $0.time <= moment }?.number ?? 0
                guard try session.last(at: moment) == last else {
                    return "the position of a time is not after the last event at that time"
                }
            }
        }
        return nil
    }

    /// The end of a command must be its result.
    private static func commands(_ session: DebugSession, _ decoded: DecodedSession) throws -> String? {
        let commandEvents = decoded.events.filter {
            if case .input(.clientCommand) = $0.content { true } else { false }
        }
        for index in sample(commandEvents, 3) {
            guard case .input(.clientCommand(let id, _)) = commandEvents[index].content else { continue }
            let (node, number) = (commandEvents[index].node, commandEvents[index].number)
            let result = decoded.events.first { event in
                guard event.number > number, event.node == node, case .effect(.complete(id, _)) = event.content else {
                    return false
                }
                return true
            }
            guard let result else { continue }
            try session.move(to: number)
            guard try session.endOfPendingOperation() == result.number else {
                return "the end of a command is not its result"
            }
        }
        return nil
    }

    /// The sending event of a received frame must be the event that the recording stores as its cause.
    private static func frames(_ session: DebugSession, _ decoded: DecodedSession) throws -> String? {
        let graph = try session.causalGraph()
        for event in decoded.events {
            guard case .input(.frame) = event.content, event.cause != 0 else { continue }
            guard graph.sendings[event.number] == event.cause else {
                return "a received frame is paired with the wrong sending"
            }
            // If a frame arrives twice, the delivery is the first arrival.
            guard case .arrived(let first)? = graph.deliveries[event.cause], first <= event.number else {
                return "a frame that arrived is reported as lost"
            }
        }
        return nil
    }

    /// The causes of a transition must be ordered backwards in time, and the transition must change the state.
    private static func causes(_ session: DebugSession, _ decoded: DecodedSession) throws -> String? {
        let changes = decoded.events.filter { if case .effect(.transition) = $0.content { true } else { false } }
        for index in sample(changes, 3) {
            let change = changes[index]
            let numbers = try session.why(change.number).chain.steps.map(\.number)
            guard numbers.first == change.number, zip(numbers, numbers.dropFirst()).allSatisfy({ $0 > $1 }) else {
                return "the causes of a transition are not ordered backwards in time"
            }
            guard change.cause != 0, change.cause < change.number else { continue }
            guard try !session.differences(change.cause - 1, change.number).isEmpty else {
                return "a transition does not change the state"
            }
        }
        return nil
    }

    /// A login that the server accepted.
    private struct Login {
        var number: UInt64
        var request: LoginRequest
        var epoch: LoginEpoch
    }

    /// The login that ended another one must be the first later login of the kicking device (C-5), even if the kick was
    /// delivered much later.
    static func kicks(_ session: DebugSession, _ decoded: DecodedSession) throws -> String? {
        var devices: [ConnectionID: LoginRequest] = [:]
        var currentRequest: (number: UInt64, request: LoginRequest)?
        var logins: [Login] = []
        var checked = 0
        for event in decoded.events where event.node == WorldCore.serverName {
            switch event.content {
            case .input(let input):
                currentRequest = nil
                guard case .frame(let connection, let frame) = input, case .login(let request) = frame.body else {
                    break
                }
                devices[connection] = request
                currentRequest = (event.number, request)
            case .effect(.send(let connection, let frame)):
                if case .loginAck(let reply) = frame.body, reply.status == .ok, let currentRequest {
                    logins.append(
                        Login(number: currentRequest.number, request: currentRequest.request, epoch: reply.epoch))
                }
                guard case .kicked(let notice) = frame.body, notice.reason == .otherLogin, let by = notice.by,
                    let own = devices[connection],
                    let index = logins.lastIndex(where: {
                        $0.epoch == notice.epoch && $0.request.device.id == own.device.id && $0.request.user == own.user
                    }),
                    let decision = logins[(index + 1)...].first(where: {
                        $0.request.device.id == by.id && $0.request.user == own.user
                    })
                else { break }
                checked += 1
                guard checked < 4 else { return nil }
                let explanation = try session.why(event.number)
                let known = explanation.kick?.decision.map { [$0] } ?? explanation.chain.steps.map(\.number)
                guard explanation.kick?.endedLogin == logins[index].number else {
                    return "the wrong login is named as the ended one"
                }
                guard known.contains(decision.number) else { return "the wrong login is named as the cause of a kick" }
            default: break
            }
        }
        return nil
    }

    private static func comparison(_ reader: SessionReader) throws -> String? {
        try SessionDiff.compare(reader, reader).isEmpty ? nil : "a recording differs from itself"
    }

    /// The indices of a few events, evenly spaced from the first event to the last.
    private static func sample(_ all: [SessionEvent], _ count: Int) -> [Int] {
        guard !all.isEmpty else { return [] }
        return (0..<count).map { $0 * (all.count - 1) / max(1, count - 1) }
    }
}
