import IMClient
import IMProtocol
import IMServer
import IMSession
import Recorder
import SansIO

// Explains timers that fire because an expected frame did not arrive in time. If the frame was sent, the cause is the
// fault that lost or delayed it. If it was not sent, the cause is the event that prevented the sender from sending it.

/// An event that was found to be the cause of another event, although the recording does not contain that cause.
struct FoundCause {
    /// The number of the event.
    var number: UInt64
    /// A text about how the event led to its effect.
    var how: String
    /// Older events that would have had the same effect alone.
    var also: [UInt64] = []
}

extension CauseFinder {
    /// The event because of which the expected frame did not arrive before a timer fired. Nil for a timer that waits
    /// for no frame, such as a retry, and if the recording does not show the cause.
    func missingEvent(_ timer: FiredTimer, at event: Event) throws -> FoundCause? {
        let found: FoundCause? =
            switch timer.name {
            case .client(let name): try missing(name, timer, at: event)
            case .server(.silence(let connection)):
                try silence(of: CausalGraph.End(node: timer.node, connection: connection.rawValue), at: event)
            case .server(.overdue(let connection)):
                try missingLogin(on: CausalGraph.End(node: timer.node, connection: connection.rawValue), at: event)
            case .server(.presence(_, let device)):
                try graph().clientsByDevice[device].flatMap { try missingReturn(of: $0, timer, at: event) }
            case .server(.token(_, let device)):
                try graph().clientsByDevice[device].flatMap { try missingRenewal(by: $0, at: event) }
            // The timer for a push has no effect that `why` could explain.
            case .server(.push): nil
            }
        guard let found, found.number < event.number else { return nil }
        return found
    }

    private func missing(_ name: ClientTimer, _ timer: FiredTimer, at event: Event) throws -> FoundCause? {
        let machine = try session.timeline.state(at: event.number - 1)[timer.node]?.client
        let end = machine?.connection.map { CausalGraph.End(node: timer.node, connection: $0.rawValue) }
        let from = timer.setter == 0 ? 0 : timer.setter - 1
        switch name {
        case .heartbeat, .retry: return nil
        case .heartbeatAnswer:
            return try end.flatMap { try missingAnswer(over: $0, after: from, at: event, where: \.body.isHeartbeat) }
        case .attempt, .accountCall: return try end.flatMap { try missingStep(of: $0, at: event) }
        case .login:
            return try end.flatMap { try missingStep(of: $0, at: event) }
                ?? missingConnection(of: timer.node, at: event)
        case .logout, .treeAnswer:
            return try end.flatMap { try missingAnswer(over: $0, after: from, at: event) { !$0.body.isHeartbeat } }
        case .request(let number):
            return try end.flatMap { try missingAnswer(over: $0, after: from, at: event) { $0.request == number } }
                ?? missingConnection(of: timer.node, at: event)
        case .message(let number):
            guard let id = machine?.waitingMessage(number) else { return nil }
            return try missingReceipt(of: id, from: timer.node, after: from, at: event)
        case .grace, .suspension: return try missingReturn(of: timer.node, timer, at: event)
        case .tokenWarning, .tokenExpiry: return try missingRenewal(by: timer.node, at: event)
        }
    }

    func graph() throws -> CausalGraph { try session.causalGraph() }

    // MARK: Frames that were sent

    /// The fault that prevented a frame from arriving before an event. Nil if the frame arrived in time, or if no fault
    /// is known.
    private func fault(blocking send: UInt64, at event: Event) throws -> FoundCause? {
        let graph = try graph()
        let fate: String
        switch graph.deliveries[send] {
        case .arrived(let arrival) where arrival < event.number: return nil
        case .arrived(let arrival): fate = "arrived too late, at #\(arrival)"
        case .lost: fate = "was lost"
        case .inFlight: fate = "had not arrived yet"
        case .notRecorded, nil: return nil
        }
        guard let fault = graph.faults.fault(of: send), fault < event.number else { return nil }
        return FoundCause(number: fault, how: "\(try frameText(send)) \(fate)")
    }

    /// The text of a sent frame: `heartbeat #55 of phone`
    private func frameText(_ send: UInt64) throws -> String {
        let event = try session.event(send)
        guard case .effect(.send(_, let frame)) = event.content else { return "#\(send) of \(event.node)" }
        return "\(frame.body.name) #\(send) of \(event.node)"
    }

    private func frame(_ send: UInt64) throws -> Frame? {
        guard case .effect(.send(_, let frame)) = try session.event(send).content else { return nil }
        return frame
    }

    /// The fault that prevented a client's request, or the answer to it, from arriving before an event.
    private func missingAnswer(
        over end: CausalGraph.End, after first: UInt64, at event: Event, where matches: (Frame) -> Bool
    ) throws -> FoundCause? {
        let graph = try graph()
        for send in graph.sends(over: end, after: first, before: event.number) {
            guard let request = try frame(send), matches(request) else { continue }
            if let fault = try fault(blocking: send, at: event) { return fault }
            guard case .arrived(let arrival)? = graph.deliveries[send], let peer = graph.peer(of: end) else { continue }
            for answer in graph.sends(over: peer, after: arrival, before: event.number) {
                guard let reply = try frame(answer), matches(reply), try session.event(answer).cause == arrival else {
                    continue
                }
                if let fault = try fault(blocking: answer, at: event) { return fault }
            }
        }
        return nil
    }

    /// The event that prevented the server's receipt for a message from arriving. All connections over which the client
    /// sent the message are examined.
    private func missingReceipt(
        of id: String, from client: NodeIndex, after first: UInt64, at event: Event
    ) throws -> FoundCause? {
        func matches(_ frame: Frame) -> Bool {
            switch frame.body {
            case .send(let message): message.id == id
            case .sendAck(_, let known): known == id
            default: false
            }
        }
        var found: FoundCause?
        for end in try graph().ends(of: client) {
            found = try missingAnswer(over: end, after: first, at: event, where: matches) ?? found
        }
        return try found ?? missingConnection(of: client, at: event)
    }

    /// The event that prevented a connection from opening, or the login over it from completing.
    private func missingStep(of end: CausalGraph.End, at event: Event) throws -> FoundCause? {
        let graph = try graph()
        guard let connect = graph.begin(of: end) else { return nil }
        let opened = try session.timeline.first(after: connect, upTo: event.number - 1) { view in
            guard view.node == end.node, view.stream == end.connection, view.role == .input else { return false }
            return if case .input(.linkOpened) = session.decoded(view).content { true } else { false }
        }
        guard opened == nil else {
            return try missingAnswer(over: end, after: connect, at: event) { !$0.body.isHeartbeat }
        }
        guard let fault = graph.faults.fault(of: connect), fault < event.number else {
            return try missingConnection(of: end.node, at: event)
        }
        return FoundCause(number: fault, how: "connection attempt #\(connect) received no answer in time")
    }

    // MARK: Frames that were not sent

    /// The newest event because of which a client had no connection; nil if there is none.
    func missingConnection(of client: NodeIndex, at event: Event) throws -> FoundCause? {
        let blockers = try blockers(of: client, at: event)
        guard let last = blockers.last else { return nil }
        let name = session.reader.name(of: client)
        return FoundCause(number: last, how: "\(name) had no connection", also: blockers.dropLast())
    }

    /// The event because of which no frame arrived over a server's connection within the silence limit.
    private func silence(of end: CausalGraph.End, at event: Event) throws -> FoundCause? {
        let graph = try graph()
        guard let peer = graph.peer(of: end) else { return nil }
        let lastReceived = try session.timeline.last(before: event.number) { view in
            view.node == end.node && view.stream == end.connection && view.role == .input && view.channel == .transport
        }
        let sent = lastReceived.flatMap { graph.sendings[$0.number] } ?? graph.begin(of: peer) ?? 0
        let name = session.reader.name(of: peer.node)
        var found: FoundCause?
        for send in graph.sends(over: peer, after: sent, before: event.number) {
            found = try fault(blocking: send, at: event)
            if found != nil { break }
        }
        let blockers = graph.faults.clientBlockers(of: peer.node, at: event.number, event.time)
        if found == nil {
            let ended = try session.timeline.first(after: sent, upTo: event.number - 1) { view in
                guard view.node == peer.node else { return false }
                switch view.role {
                case .stop: return true
                case .input, .effect:
                    guard view.stream == peer.connection else { return false }
                    switch session.decoded(view).content {
                    case .input(.linkClosed), .input(.linkFailed), .effect(.closeLink): return true
                    default: return false
                    }
                default: return false
                }
            }
            found = ended.map { FoundCause(number: $0.number, how: "\(name)'s end of the connection was closed") }
        }
        if found == nil, blockers.isEmpty {
            let policy = try session.timeline.last(before: event.number) { view in
                guard view.node == end.node,
                    case .input(.serverCommand(_, .setPolicy(let key, _))) = session.decoded(view).content
                else { return false }
                return key.hasPrefix("silence-limit")
            }
            return policy.map {
                FoundCause(number: $0.number, how: "nothing arrived from \(name) within the new limit")
            }
        }
        guard let first = found else {
            return blockers.last.map {
                FoundCause(number: $0, how: "nothing arrived from \(name)", also: blockers.dropLast())
            }
        }
        return newer(of: first, blockers, "nothing arrived from \(name)")
    }

    /// Combines a found cause with the client's faults, each of which would be sufficient alone. The newest of these
    /// events is the cause.
    private func newer(of first: FoundCause, _ blockers: [UInt64], _ how: String) -> FoundCause {
        guard let last = blockers.last, last > first.number else {
            return FoundCause(
                number: first.number, how: first.how, also: first.also + blockers.filter { $0 < first.number })
        }
        let also = Set(first.also + [first.number] + blockers.dropLast()).sorted()
        return FoundCause(number: last, how: how, also: also)
    }

    /// The event because of which no login arrived over a server's connection.
    private func missingLogin(on end: CausalGraph.End, at event: Event) throws -> FoundCause? {
        let graph = try graph()
        guard let peer = graph.peer(of: end) else { return nil }
        for send in graph.sends(over: peer, after: 0, before: event.number) {
            if let fault = try fault(blocking: send, at: event) { return fault }
        }
        return try missingConnection(of: peer.node, at: event)
    }

    /// The event because of which a client did not return in time after its connection broke. Nil if no later event
    /// prevented the return, because then the break itself is the cause.
    private func missingReturn(of client: NodeIndex, _ timer: FiredTimer, at event: Event) throws -> FoundCause? {
        let blockers = try blockers(of: client, at: event)
        guard let last = blockers.last else { return nil }
        let broken = try chain(from: timer.setter)
        let origin = broken.steps.last?.number ?? timer.setter
        // After a start, the server waits for all clients to return. A fault that is older than the start can also be
        // the reason why a client does not return.
        let isStart = try session.timeline.event(timer.setter).role == .start
        guard last > origin || isStart else { return nil }
        return FoundCause(
            number: last, how: "\(session.reader.name(of: client)) did not return in time",
            also: Set(blockers.dropLast() + [origin]).filter { $0 < last }.sorted())
    }

    /// The events because of which a client does not reach its server, the newest last: faults, and the app's last
    /// command if it was a logout or `go-offline`.
    private func blockers(of client: NodeIndex, at event: Event) throws -> [UInt64] {
        var found = try graph().faults.blockers(of: client, at: event.number, event.time)
        let command = try session.lastCommand(of: client, before: event.number) { command in
            switch command {
            case .logout, .goOffline, .login, .goOnline: true
            default: false
            }
        }
        switch command?.command {
        case .logout, .goOffline: found += [command?.number].compactMap(\.self)
        default: break
        }
        return found.sorted()
    }

    /// The event because of which a token was not renewed: the fault that lost the renewal, or the last command that
    /// gave the client a token.
    private func missingRenewal(by client: NodeIndex, at event: Event) throws -> FoundCause? {
        let presented = try session.lastCommand(of: client, before: event.number) { command in
            switch command {
            case .login, .renewToken: true
            default: false
            }
        }
        guard let presented else { return nil }
        if case .renewToken = presented.command {
            for sent in try session.effects(of: presented.number) where sent.channel == .transport {
                if let fault = try fault(blocking: sent.number, at: event) { return fault }
            }
        }
        return FoundCause(number: presented.number, how: "the token was not renewed in time")
    }
}
