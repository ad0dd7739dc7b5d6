import IMClient
import IMProfiles
import IMSession
import Recorder
import SansIO

/// The fields of one event that a filter can read. The text of the event is only made if the filter uses it.
package struct EventFields {
    private let event: SessionEvent
    private let text: () -> String
    private let formatter: EventFormatter
    private let inState: String?
    private let session: SessionFields?

    /// - Parameters:
    ///   - formatter: a formatter that has processed the event and all events before it.
    ///   - inState: the state of the node's client before the input that caused the event; nil if it is not known.
    ///   - session: the fields of the whole recording; nil if only the profile is known.
    package init(
        _ event: SessionEvent, formatted: @escaping @autoclosure () -> EventFormatter.FormattedEvent,
        formatter: EventFormatter,
        inState: String? = nil, session: SessionFields? = nil
    ) {
        self.event = event
        text = { formatted().text }
        self.formatter = formatter
        self.inState = inState
        self.session = session
    }

    /// The values of a field, by its name in filters; empty if the event has no such field.
    subscript(_ name: String) -> [String] { self[FilterName(name)] }

    package subscript(_ name: FilterName) -> [String] {
        switch name {
        case .number: return [String(event.number)]
        case .time: return [Interval(nanoseconds: event.time.nanoseconds).text]
        case .node: return [event.node]
        case .kind: return [event.kind]
        case .direction: return event.direction.map { [$0] } ?? []
        case .role: return event.role.map { [$0.name] } ?? []
        case .channel: return event.channel.map { [$0.name] } ?? []
        case .connection: return event.connection == 0 ? [] : [String(event.connection)]
        case .cause: return event.cause == 0 ? [] : [String(event.cause)]
        case .inState: return inState.map { [$0] } ?? []
        case .session(.profile): return session?[.profile] ?? [formatter.dialect.profile]
        case .session(let field): return session?[field] ?? []
        case .any(let name): return values(name)
        case .fact(let name): return facts(name)
        case .callbackField(let name): return callbackFields(name)
        }
    }

    // MARK: Fields of every event

    /// The possible directions of events of a kind and a role.
    static func directions(_ kind: EventKind, _ role: EventRole) -> [String] {
        if kind == .unreadable { return [] }
        if role == .environment {
            return kind == .command ? ["in"] : kind == .result || kind == .callback ? ["out"] : []
        }
        return role == .input ? ["in"] : role == .effect ? ["out"] : []
    }

    /// The possible channels of events of a kind.
    static func channels(_ kind: EventKind) -> [String] {
        let channels: [Channel] =
            switch kind {
            case .frame: [.transport, .runtime]
            case .command, .result, .callback: [.sdk]
            case .unreadable: []
            case .line: [.runtime]
            case .header, .clock, .start, .stop, .fault, .mark, .keyframe, .closing, .link, .timer, .network, .app,
                .store, .data, .transition, .presence:
                [.runtime]
            }
        return channels.map(\.name)
    }

    // MARK: The event's contents

    private var callback: Callback? {
        switch event.content {
        case .effect(let effect):
            switch effect {
            case .notify, .transition: formatter.callback(for: effect)
            case .send, .connect, .closeLink, .persist, .keep, .data, .complete, .presence: nil
            }
        case .environment(.observed): formatter.callback(of: event)
        case .input, .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: nil
        }
    }

    private func facts(_ name: String) -> [String] {
        event.facts.filter { $0.name == name }.map(\.value)
    }

    private func callbackFields(_ name: String) -> [String] {
        (callback?.fields ?? []).filter { $0.name == name }.map(\.value)
    }

    private func values(_ name: String) -> [String] {
        switch name {
        case "text": return [text()] + facts(name) + callbackFields(name)
        case "callback": return callback.map { [$0.name] } ?? []
        case "result": return completion.map { [$0.name] } ?? []
        case "code": return (completion.map { [$0.code] } ?? []) + facts(name) + callbackFields(name)
        case "status": return facts(name) + (completion.map { [$0.outcome] } ?? []) + callbackFields(name)
        case "state": return newState + facts(name) + callbackFields(name)
        default: return facts(name) + callbackFields(name)
        }
    }

    private var newState: [String] {
        if case .effect(.transition(let change)) = event.content { [change.to.name] } else { [] }
    }

    /// The command's name, the code and the outcome of a result, as in expectations; nil for other events.
    private var completion: (name: String, code: String, outcome: String)? {
        if let observed = event.observed, observed.kind == .return { return (observed.name, "", "") }
        guard case .effect(.complete) = event.content, let observed = formatter.observations(of: event).first else {
            return nil
        }
        return (observed.name, observed["code"] ?? "", observed["status"] ?? "")
    }
}

/// The fields of a whole recording that a filter can read.
package struct SessionFields: Sendable {
    private let values: [FilterName.SessionField: [String]]

    init(_ values: [FilterName.SessionField: [String]]) {
        self.values = values
    }

    subscript(_ field: FilterName.SessionField) -> [String] { values[field] ?? [] }
}
