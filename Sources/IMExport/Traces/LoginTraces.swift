import IMClient
import IMDebugger
import IMProtocol
import IMSession
import Recorder
import SansIO

/// `--as otlp`: OpenTelemetry's JSON lines, one trace for each login. The trace of a login that ended in a kick links
/// to the login that caused the kick. The output for a session is always the same.
struct LoginTraces {
    private struct Span {
        var name: String
        var number: UInt64
        var begin: Instant
        var end: Instant?
    }

    private struct Login {
        var node: String
        var user = ""
        var root: Span
        var states: [Span] = []
        var events: [(number: UInt64, time: Instant, name: String, facts: [AnswerField])] = []
        /// The final state; nil for a login that has not ended.
        var ending: ClientState?
        var reason = ""
        /// The number of the event that sent the kick which ended the login; nil if no kick ended it.
        var kick: UInt64?
        /// The index in ``LoginTraces/logins`` of the login that caused the kick.
        var kickingLogin: Int?
    }

    private var logins: [Login] = []
    /// The index of the current login of each client.
    private var current: [String: Int] = [:]
    private var end = Instant.zero
    private let header: SessionHeader

    /// - Throws: `SessionError` if the recording is damaged.
    init(_ session: ExportedSession) throws {
        header = session.reader.header
        let graph = CausalGraph(reading: session.reader)
        var kicks = LoginsOfKicks()
        // For each sent `login` frame, the index of its login.
        var senders: [UInt64: Int] = [:]
        try session.forEach { _, event, formatted, formatter in
            end = event.time
            kicks.take(event)
            switch event.content {
            case .effect(.transition(let change)):
                enter(change.to, change.reason.name, event, kick: graph.sendings[event.cause])
            case .environment(.observed(let seen)):
                if let state = seen.state { enter(state, seen.name, event, kick: nil) }
                if seen.kind == .callback { note(event, seen.name) }
            case .effect(.send(_, let frame)):
                guard case .login(let request) = frame.body, let index = current[event.node] else { return }
                senders[event.number] = index
                logins[index].user = request.user
            case .effect(.notify), .effect(.complete):
                note(event, formatter.callback(of: event)?.name ?? formatted.text)
            case .mark(let text): for node in current.keys.sorted() { note(event, text, of: node) }
            case .stop: close(event.node, at: event.time)
            default: break
            }
        }
        for index in logins.indices {
            logins[index].kickingLogin = logins[index].kick.flatMap { kicks.loginArrivals[$0] }
                .flatMap { graph.sendings[$0] }.flatMap { senders[$0] }
        }
    }

    /// True for states without a login.
    private static func hasNoLogin(_ state: ClientState) -> Bool {
        switch state {
        case .loggedOut, .kicked, .tokenExpired: true
        case .connecting, .syncing, .online, .reconnecting, .offline: false
        }
    }

    private mutating func enter(_ state: ClientState, _ reason: String, _ event: SessionEvent, kick: UInt64?) {
        if Self.hasNoLogin(state) {
            guard let index = current[event.node] else { return }
            logins[index].ending = state
            logins[index].reason = reason
            if state == .kicked { logins[index].kick = kick }
            return close(event.node, at: event.time)
        }
        let span = Span(name: state.name, number: event.number, begin: event.time)
        if let index = current[event.node] {
            endState(of: index, at: event.time)
            logins[index].states.append(span)
        } else {
            current[event.node] = logins.count
            logins.append(
                Login(
                    node: event.node, root: Span(name: "login", number: event.number, begin: event.time),
                    states: [span]))
        }
    }

    private mutating func endState(of index: Int, at time: Instant) {
        guard let last = logins[index].states.indices.last else { return }
        logins[index].states[last].end = time
    }

    private mutating func close(_ node: String, at time: Instant) {
        guard let index = current.removeValue(forKey: node) else { return }
        endState(of: index, at: time)
        logins[index].root.end = time
    }

    private mutating func note(_ event: SessionEvent, _ name: String, of node: String? = nil) {
        guard let index = current[node ?? event.node] else { return }
        logins[index].events.append((event.number, event.time, name, event.facts))
    }

    // MARK: JSON

    /// A line for each login, in the order of their starts.
    var lines: [String] { logins.indices.map(line) }

    private func line(_ index: Int) -> String {
        let login = logins[index]
        let spans =
            [span(login.root, of: index, isRoot: true)]
            + login.states.map { span($0, of: index, isRoot: false) }
        let resource = attributes([
            ("service.name", login.node), ("im.profile", header.profile), ("im.session", header.title),
        ])
        return "{\"resourceSpans\":[{\"resource\":{\"attributes\":\(resource)},\"scopeSpans\":[{\"scope\":{\"name\":"
            + "\"imrepl\"},\"spans\":\(JSONText.list(spans))}]}]}"
    }

    private func span(_ span: Span, of index: Int, isRoot: Bool) -> String {
        let login = logins[index]
        var parts = [
            "\"traceId\":\"\(trace(index))\"", "\"spanId\":\"\(Self.id(span, isRoot: isRoot))\"",
            "\"name\":\(JSONText.line(span.name))", "\"kind\":3",
            "\"startTimeUnixNano\":\"\(time(span.begin))\"", "\"endTimeUnixNano\":\"\(time(span.end ?? end))\"",
        ]
        var facts = [("im.event", String(span.number))]
        if isRoot {
            if !login.user.isEmpty { facts.append(("im.user", login.user)) }
            if let ending = login.ending { facts += [("im.ending", ending.name), ("im.reason", login.reason)] }
            parts.append("\"events\":\(JSONText.list(login.events.map(event)))")
            if let other = login.kickingLogin {
                let target =
                    "\"traceId\":\"\(trace(other))\",\"spanId\":\"\(Self.id(logins[other].root, isRoot: true))\""
                parts.append("\"links\":[{\(target),\"attributes\":\(attributes([("im.link", "kicked-by")]))}]")
            }
            if login.ending == .kicked {
                parts.append("\"status\":{\"code\":2,\"message\":\(JSONText.line(login.reason))}")
            }
        } else {
            parts.append("\"parentSpanId\":\"\(Self.id(login.root, isRoot: true))\"")
        }
        parts.append("\"attributes\":\(attributes(facts))")
        return "{\(parts.joined(separator: ","))}"
    }

    private func event(_ event: (number: UInt64, time: Instant, name: String, facts: [AnswerField])) -> String {
        let facts = [("im.event", String(event.number))] + event.facts.map { ($0.name, $0.value) }
        return "{\"timeUnixNano\":\"\(time(event.time))\",\"name\":\(JSONText.line(event.name)),"
            + "\"attributes\":\(attributes(facts))}"
    }

    private func attributes(_ facts: [(String, String)]) -> String {
        JSONText.list(
            facts.map { "{\"key\":\(JSONText.line($0.0)),\"value\":{\"stringValue\":\(JSONText.line($0.1))}}" })
    }

    private func time(_ instant: Instant) -> Int64 { header.epochNanoseconds &+ instant.nanoseconds }

    /// The id of a login's trace: the session's start and the login's first event. It is unique among the sessions of a
    /// device.
    private func trace(_ index: Int) -> String {
        Self.hex(UInt64(bitPattern: header.epochNanoseconds)) + Self.hex(logins[index].root.number)
    }

    /// The id of a span: its event, and a bit that distinguishes a login from its first state. Both begin with the same
    /// event.
    private static func id(_ span: Span, isRoot: Bool) -> String { hex(span.number << 1 | (isRoot ? 1 : 0)) }

    private static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
