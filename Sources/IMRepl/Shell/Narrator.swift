import IMClient
import IMDialects
import IMProtocol
import IMWorld
import SansIO

/// Puts events into the words that a person reads: one line each, with the vendor's names. The same line stands on the
/// screen, in `show`, and as the packet's comment in the session file.
///
/// It remembers which command a number stands for, because a completion only carries the number. Confined to one
/// thread: the world's, or the reader's of a file.
final class Narrator {
    var dialect: any Dialect
    private var commands: [UInt32: CallKind] = [:]
    private var serverCommands: [UInt32: String] = [:]

    init(dialect: any Dialect) {
        self.dialect = dialect
    }

    /// An event in words, and as an expectation sees it.
    struct Telling {
        /// Without time and node: `→ login user=alice`.
        var text: String
        var observed: ObservedEvent?
        var weight: Weight
    }

    /// How much an event matters to somebody who follows a story.
    enum Weight: Int, Comparable {
        /// Bookkeeping: timers, heartbeats, storage.
        case detail
        /// Frames and links.
        case traffic
        /// What the app and the user see.
        case story

        static func < (left: Weight, right: Weight) -> Bool { left.rawValue < right.rawValue }
    }

    func tell(_ event: SessionEvent) -> Telling {
        switch event.content {
        case .input(let input): return tell(input, event)
        case .effect(let effect): return tell(effect, event)
        case .start(let start):
            return Telling(text: "start " + Self.join(event.facts.filter { $0.value != "-" }), weight: .story, start)
        case .stop: return Telling(text: "process ended", observed: nil, weight: .story)
        case .environment(let command): return Telling(text: command, observed: nil, weight: .story)
        case .mark(let text): return Telling(text: "mark \(text)", observed: nil, weight: .story)
        case .unreadable(let why): return Telling(text: "unreadable: \(why)", observed: nil, weight: .story)
        case .header, .clock, .keyframe, .closing:
            return Telling(
                text: ([event.kind] + [Self.join(event.facts)]).filter { !$0.isEmpty }.joined(separator: " "),
                observed: nil, weight: .detail)
        }
    }

    private func tell(_ input: NodeInput, _ event: SessionEvent) -> Telling {
        switch input {
        case .frame(_, let frame): return tell(frame, .in, event)
        case .clientCommand(let id, let command):
            commands[id.rawValue] = CallKind(command)
            return Telling(text: "> " + Self.words(command.facts), observed: nil, weight: .story)
        case .serverCommand(let id, _):
            let facts = event.facts.filter { $0.name != "id" }
            serverCommands[id.rawValue] = facts.first?.value ?? ""
            return Telling(text: "> server " + Self.words(facts), observed: nil, weight: .story)
        case .unreadable: return Telling(text: "← " + Self.join(event.facts), observed: nil, weight: .traffic)
        case .linkOpened(let id): return Telling(text: "link \(id.rawValue) opened", observed: nil, weight: .traffic)
        case .linkFailed(let id, let fault):
            return Telling(text: "link \(id.rawValue) failed: \(fault.name)", observed: nil, weight: .traffic)
        case .linkClosed(let id, let fault):
            return Telling(text: "link \(id.rawValue) closed: \(fault.name)", observed: nil, weight: .traffic)
        case .deadlineReached: return Telling(text: "timer", observed: nil, weight: .detail)
        case .network, .app: return Telling(text: Self.join(event.facts), observed: nil, weight: .story)
        }
    }

    private func tell(_ effect: NodeEffect, _ event: SessionEvent) -> Telling {
        switch effect {
        case .send(_, let frame): return tell(frame, .out, event)
        case .connect(let id): return Telling(text: "link \(id.rawValue) connect", observed: nil, weight: .traffic)
        case .closeLink(let id): return Telling(text: "link \(id.rawValue) close", observed: nil, weight: .detail)
        case .persist, .keep: return Telling(text: "store " + Self.join(event.facts), observed: nil, weight: .detail)
        case .presence(let user, let device, let change):
            return Telling(text: "presence \(user) on \(device): \(change.name)", observed: nil, weight: .story)
        case .complete(let id, let completion): return tell(completion, id, event)
        case .transition(let change):
            let kick = change.to == .kicked ? " (Kick)" : ""
            let vendor = dialect.callback(for: .transition(change)).map { "; " + Self.text($0) } ?? ""
            return Telling(
                text: "state \(change.from.name) → \(change.to.name): \(change.reason.name)\(kick)\(vendor)",
                observed: nil, weight: .story)
        case .notify:
            guard let client = effect.ofClient, let callback = dialect.callback(for: client) else {
                // The vendor has no callback for it; it is in the file all the same.
                return Telling(text: "note " + Self.join(event.facts), observed: nil, weight: .detail)
            }
            return Telling(text: Self.text(callback), observed: Self.observed(callback, event), weight: .story)
        }
    }

    private func tell(_ frame: Frame, _ direction: ObservedEvent.Direction, _ event: SessionEvent) -> Telling {
        let facts = event.facts.filter { $0.name != "type" }
        let observed = ObservedEvent(
            .frame, frame.body.name, facts.map { .init($0.name, $0.value) }, direction: direction,
            label: Self.label(event))
        let isKick = if case .kicked = frame.body { " (Kick)" } else { "" }
        let shown = facts.filter { $0.name != "request" && !$0.value.isEmpty }
        let text = "\(direction == .out ? "→" : "←") \(frame.body.name) \(Self.join(shown))"
        let weight: Weight =
            switch frame.body {
            case .heartbeat, .heartbeatAck: .detail
            default: .traffic
            }
        return Telling(text: Self.trimmed(text) + isKick, observed: observed, weight: weight)
    }

    private func tell(_ completion: IMClient.Completion, _ id: CommandID, _ event: SessionEvent) -> Telling {
        let isGood = completion.status == .ok || completion.status == .stored
        let rows = completion.rows.flatMap(\.fields).map { ObservedEvent.Field($0.name, $0.value) }
        if let name = serverCommands[id.rawValue] {
            let fields = [
                ObservedEvent.Field("status", isGood ? "ok" : "failed"), .init("code", completion.status.name),
            ]
            return Telling(
                text: "result \(name) \(completion.status.name)",
                observed: ObservedEvent(.result, name, fields + rows, label: Self.label(event)), weight: .story)
        }
        let call = commands[id.rawValue] ?? .query
        let code = dialect.code(for: completion.status, of: call)
        let fields = [ObservedEvent.Field("status", isGood ? "ok" : "failed"), .init("code", code.description)]
        let weight: Weight = call == .query || call == .option ? .detail : .story
        return Telling(
            text: "result \(call.rawValue) \(code)",
            observed: ObservedEvent(.result, call.rawValue, fields + rows, label: Self.label(event)), weight: weight)
    }

    /// What an expectation sees of a transition: the new state, in our words and as the vendor's callback if it has
    /// one.
    func observations(of event: SessionEvent) -> [ObservedEvent] {
        let telling = tell(event)
        guard case .effect(.transition(let change)) = event.content else {
            return telling.observed.map { [$0] } ?? []
        }
        var observed = [
            ObservedEvent(
                .state, change.to.name, [.init("from", change.from.name), .init("reason", change.reason.name)],
                label: Self.label(event))
        ]
        if let callback = dialect.callback(for: .transition(change)) {
            observed.append(Self.observed(callback, event))
        }
        return observed
    }

    private static func observed(_ callback: Callback, _ event: SessionEvent) -> ObservedEvent {
        ObservedEvent(
            .callback, callback.name, callback.fields.map { .init($0.name, $0.value) }, label: label(event))
    }

    static func label(_ event: SessionEvent) -> String {
        "#\(event.number) +\(event.time.secondsText)"
    }

    private static func text(_ callback: Callback) -> String {
        trimmed("callback \(callback.name) \(join(callback.fields))")
    }

    private static func join(_ facts: [AnswerField]) -> String {
        facts.map { "\($0.name)=\($0.value.quotedIfNeeded)" }.joined(separator: " ")
    }

    /// `command=login user=alice` as `login user=alice`.
    private static func words(_ facts: [AnswerField]) -> String {
        guard let first = facts.first, first.name == "command" else { return join(facts) }
        return trimmed("\(first.value) \(join(Array(facts.dropFirst())))")
    }

    private static func trimmed(_ text: String) -> String {
        text.hasSuffix(" ") ? String(text.dropLast()) : text
    }
}

extension Narrator.Telling {
    fileprivate init(text: String, weight: Narrator.Weight, _ start: StartRecord) {
        self.init(text: text, observed: nil, weight: weight)
    }
}

extension Instant {
    /// Seconds with three digits behind the point: `3.250s`.
    var secondsText: String {
        let milliseconds = nanoseconds / 1_000_000
        let fraction = String(milliseconds.magnitude % 1000)
        let padding = String(repeating: "0", count: 3 - fraction.count)
        return "\(milliseconds / 1000).\(padding)\(fraction)s"
    }
}
