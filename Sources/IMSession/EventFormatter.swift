import IMClient
import IMProfiles
import IMProtocol
import IMText
import SansIO

/// Formats each event as a line with the vendor's names. The live display, `show` and the packet's comment in a session
/// file use this line.
///
/// The formatter stores the commands by their numbers, because the completion of a command contains only the number.
/// One thread uses a formatter: the thread of the world, or of the reader of a file.
package final class EventFormatter {
    package var dialect: any Dialect
    package private(set) var commands: [UInt32: CallKind] = [:]
    package private(set) var serverCommands: [UInt32: String] = [:]
    /// The queries that the server answers. Their results are displayed when they arrive. Other queries are answered by
    /// the client at once, and the shell prints those results itself.
    private var questions: [UInt32: CallKind] = [:]
    /// The text of the last sent frame.
    private var lastSent: (frame: Frame, text: String)?

    package init(dialect: any Dialect) {
        self.dialect = dialect
    }

    /// An event as a text.
    package struct FormattedEvent {
        /// The line without time and node: `→ login user=alice`.
        package var text: String
        package var weight: Weight

        package init(text: String, weight: Weight) {
            self.text = text
            self.weight = weight
        }
    }

    /// The importance of an event for the display; a user can hide the less important ones.
    package enum Weight: Int, Comparable {
        /// Bookkeeping: timers, heartbeats, storage.
        case detail
        /// Frames and connections.
        case traffic
        /// Events that the app or the user notices.
        case essential

        package static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
    }

    /// Stores the command of an event for the lines of later events. Must be called for every event, in order.
    package func note(_ event: SessionEvent) {
        switch event.content {
        case .input(.clientCommand(let id, let command)):
            commands[id.rawValue] = CallKind(command)
            if case .ask = command { questions[id.rawValue] = CallKind(command) }
        case .input(.serverCommand(let id, _)): serverCommands[id.rawValue] = Self.serverFacts(event).first?.value ?? ""
        default: break
        }
    }

    /// Calls ``note(_:)`` for an event, and formats the event.
    package func format(_ event: SessionEvent) -> FormattedEvent {
        note(event)
        return FormattedEvent(text: text(of: event), weight: weight(of: event))
    }

    // MARK: Weight

    /// The importance of an event. It is found without formatting the event, so that hidden events need not be
    /// formatted.
    package func weight(of event: SessionEvent) -> Weight {
        switch event.content {
        case .environment(.observed(let event)):
            switch event.kind {
            case .line: .detail
            case .frame: .traffic
            case .call, .return, .callback, .life: .essential
            }
        case .start, .stop, .environment, .mark, .unreadable: .essential
        case .header, .clock, .keyframe, .closing: .detail
        case .input(let input): weight(of: input)
        case .effect(let effect): weight(of: effect)
        }
    }

    private func weight(of input: NodeInput) -> Weight {
        switch input {
        case .frame(_, let frame): Self.weight(of: frame)
        case .unreadable, .linkOpened, .linkFailed, .linkClosed: .traffic
        case .clientCommand, .serverCommand, .network, .app: .essential
        case .deadlineReached, .data: .detail
        }
    }

    private func weight(of effect: NodeEffect) -> Weight {
        switch effect {
        case .send(_, let frame): return Self.weight(of: frame)
        case .connect: return .traffic
        case .closeLink, .persist, .keep, .data: return .detail
        case .presence, .transition: return .essential
        case .complete(let id, _):
            guard serverCommands[id.rawValue] == nil else { return .essential }
            let call = commands[id.rawValue] ?? .query
            return (call == .query && questions[id.rawValue] == nil) || call == .option ? .detail : .essential
        case .notify: return callback(for: effect) == nil ? .detail : .essential
        }
    }

    private static func weight(of frame: Frame) -> Weight {
        switch frame.body {
        case .heartbeat, .heartbeatAck: .detail
        default: .traffic
        }
    }

    // MARK: Text

    /// The text of an event. ``note(_:)`` must have been called for the earlier events.
    package func text(of event: SessionEvent) -> String {
        switch event.content {
        case .input(let input): text(of: input, event)
        case .effect(let effect): text(of: effect, event)
        case .start: "start " + Self.join(event.facts.filter { $0.value != "-" })
        case .stop: "process ended"
        case .environment(.observed(let event)): event.summary
        case .environment(let action): action.command
        case .mark(let text): "mark \(text)"
        case .unreadable(let why): "unreadable: \(why)"
        case .header, .clock, .keyframe, .closing:
            ([event.kind] + [Self.join(event.facts)]).filter { !$0.isEmpty }.joined(separator: " ")
        }
    }

    private func text(of input: NodeInput, _ event: SessionEvent) -> String {
        switch input {
        case .frame(_, let frame): Self.text(of: frame, isOut: false)
        case .clientCommand(_, let command): "> " + Self.words(command.facts)
        case .serverCommand: "> server " + Self.words(Self.serverFacts(event))
        case .unreadable: "← " + Self.join(event.facts)
        case .linkOpened(let id): "link \(id.rawValue) opened"
        case .linkFailed(let id, let fault): "link \(id.rawValue) failed: \(fault.name)"
        case .linkClosed(let id, let fault): "link \(id.rawValue) closed: \(fault.name)"
        case .deadlineReached: "timer"
        case .network, .app: Self.join(event.facts)
        case .data: "data ← " + Self.join(event.facts.filter { !$0.value.isEmpty })
        }
    }

    private func text(of effect: NodeEffect, _ event: SessionEvent) -> String {
        switch effect {
        case .send(_, let frame):
            // A message to many users is sent as many equal frames. The text is made once.
            if let lastSent, lastSent.frame == frame { return lastSent.text }
            let text = Self.text(of: frame, isOut: true)
            lastSent = (frame, text)
            return text
        case .connect(let id): return "link \(id.rawValue) connect"
        case .closeLink(let id): return "link \(id.rawValue) close"
        case .data: return "data → " + Self.join(event.facts.filter { !$0.value.isEmpty })
        case .persist, .keep: return "store " + Self.join(event.facts)
        case .presence(let user, let device, let change): return "presence \(user) on \(device): \(change.name)"
        case .complete(let id, let completion):
            if let name = serverCommands[id.rawValue] { return "result \(name) \(completion.status.name)" }
            let call = commands[id.rawValue] ?? .query
            let isShown = call != .query || questions[id.rawValue] != nil
            // The shell shows a page of local data as a table after the call.
            let found =
                call == .call && !completion.rows.isEmpty
                ? "rows=\(completion.rows.count)" : isShown ? Self.join(completion.rows.flatMap(\.fields)) : ""
            return Self.trimmed("result \(call.word) \(dialect.code(for: completion.status, of: call)) \(found)")
        case .transition(let change):
            let kick = change.to == .kicked ? " (Kick)" : ""
            let vendor = dialect.callback(for: .transition(change)).map { "; " + Self.text($0) } ?? ""
            return "state \(change.from.name) → \(change.to.name): \(change.reason.name)\(kick)\(vendor)"
        case .notify:
            // The vendor may have no callback for this notification. Then its fields are shown.
            return callback(for: effect).map(Self.text) ?? "note " + Self.join(event.facts)
        }
    }

    private static func text(of frame: Frame, isOut: Bool) -> String {
        // Most frames of a long session are heartbeats, which have no fields to show.
        switch frame.body {
        case .heartbeat: return isOut ? "→ heartbeat" : "← heartbeat"
        case .heartbeatAck: return isOut ? "→ heartbeat-ack" : "← heartbeat-ack"
        default: break
        }
        let isKick = if case .kicked = frame.body { " (Kick)" } else { "" }
        let shown = frame.details.filter { !$0.value.isEmpty }
        return trimmed("\(isOut ? "→" : "←") \(frame.body.name) \(join(shown))") + isKick
    }

    /// The callback of an event, from a machine's effect or from a log; nil if the event is not a callback.
    package func callback(of event: SessionEvent) -> Callback? {
        switch event.content {
        case .effect(let effect): callback(for: effect)
        case .environment(.observed(let logged)) where logged.kind == .callback:
            Callback(logged.name, logged.fields.map { ($0.name, $0.value) })
        default: nil
        }
    }

    /// The callback that the vendor's SDK makes for a client's effect; nil if it makes none.
    package func callback(for effect: NodeEffect) -> Callback? {
        effect.ofClient.flatMap { dialect.callback(for: $0) }
    }

    private static func serverFacts(_ event: SessionEvent) -> [AnswerField] {
        event.facts.filter { $0.name != "id" }
    }

    private static func text(_ callback: Callback) -> String {
        trimmed("callback \(callback.name) \(join(callback.fields))")
    }

    private static func join(_ facts: [AnswerField]) -> String {
        facts.map { "\($0.name)=\($0.value.quotedIfNeeded)" }.joined(separator: " ")
    }

    /// The fields in one line, without the name of the field `command`: `login user=alice`.
    private static func words(_ facts: [AnswerField]) -> String {
        guard let first = facts.first, first.name == "command" else { return join(facts) }
        return trimmed("\(first.value) \(join(Array(facts.dropFirst())))")
    }

    private static func trimmed(_ text: String) -> String {
        text.hasSuffix(" ") ? String(text.dropLast()) : text
    }
}

extension Instant {
    /// The seconds since the session's start, with three decimal places: `3.250s`.
    package var secondsText: String {
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(milliseconds.magnitude % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        return "\(milliseconds / 1000).\(padding)\(fraction)s"
    }
}
