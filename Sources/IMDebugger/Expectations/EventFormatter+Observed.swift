import IMClient
import IMProfiles
import IMProtocol
import IMSession

// Converts events to observations, the form in which expectations are compared with events.

extension EventFormatter {
    /// The observations of an event; empty if no expectation can match the event. A transition can have two
    /// observations: the new state with imrepl's name, and the vendor's callback.
    package func observations(of event: SessionEvent) -> [ObservedEvent] {
        switch event.content {
        case .input(.frame(_, let frame)): return [observed(frame, .in, event)]
        case .effect(.send(_, let frame)): return [observed(frame, .out, event)]
        case .effect(.complete(let id, let completion)): return [observed(completion, id, event)]
        case .effect(.transition(let change)):
            let state = ObservedEvent(
                .state, change.to.name, [.init("from", change.from.name), .init("reason", change.reason.name)],
                label: Self.label(event))
            return [state] + (dialect.callback(for: .transition(change)).map { [observed($0, event)] } ?? [])
        case .effect(let effect):
            return Self.hasCallback(effect) ? callback(for: effect).map { [observed($0, event)] } ?? [] : []
        case .input, .header, .clock, .start, .stop, .environment, .mark, .keyframe, .closing, .unreadable: return []
        }
    }

    /// The observation of an event for `expect event FILTER`: all contents of the event, and the fields that the filter
    /// uses.
    package func observed(_ event: SessionEvent, as fields: EventFields, for filter: Filter) -> ObservedEvent {
        let own: [FilterName] = [.number, .time, .node, .direction, .any("text")]
        let ownFields = own.flatMap { name in fields[name].prefix(1).map { ObservedEvent.Field(name.text, $0) } }
        let facts = event.facts.map { ObservedEvent.Field($0.name, $0.value) }
        var observed = ObservedEvent(
            .event, event.kind, ownFields + facts + observations(of: event).flatMap(\.fields), label: Self.label(event))
        for name in filter.condition.names { observed.filterFields[name] = fields[name] }
        return observed
    }

    /// True if an expectation can match an event of this kind. The event is not converted to text.
    package static func isObservable(_ event: SessionEvent) -> Bool {
        switch event.content {
        case .input, .effect, .start, .stop: true
        case .header, .clock, .environment, .mark, .keyframe, .closing, .unreadable: false
        }
    }

    /// False if the kind of the event alone excludes that the clause matches. Such events are not converted to text.
    package static func canMatch(_ clause: ExpectClause, _ event: SessionEvent) -> Bool {
        switch (clause.pattern, event.content) {
        case (.frame(.in, let name), .input(.frame(_, let frame))): frame.body.name == name
        case (.frame(.out, let name), .effect(.send(_, let frame))): frame.body.name == name
        case (.state, .effect(.transition)): true
        case (.callback, .effect(let effect)): hasCallback(effect)
        case (.result, .effect(.complete)): true
        default: false
        }
    }

    /// True for the kinds of effects that an SDK may report to its app.
    private static func hasCallback(_ effect: NodeEffect) -> Bool {
        switch effect {
        case .transition, .notify: true
        default: false
        }
    }

    private func observed(
        _ frame: Frame, _ direction: ObservedEvent.Direction, _ event: SessionEvent
    ) -> ObservedEvent {
        let facts = frame.facts.filter { $0.name != "type" }
        return ObservedEvent(
            .frame, frame.body.name, facts.map { .init($0.name, $0.value) }, direction: direction,
            label: Self.label(event))
    }

    private func observed(_ completion: IMClient.Completion, _ id: CommandID, _ event: SessionEvent) -> ObservedEvent {
        let rows = completion.rows.flatMap(\.fields).map { ObservedEvent.Field($0.name, $0.value) }
        let name: String
        let code: String
        if let command = serverCommands[id.rawValue] {
            (name, code) = (command, completion.status.name)
        } else {
            let call = commands[id.rawValue] ?? .query
            (name, code) = (call.word, dialect.code(for: completion.status, of: call).description)
        }
        let outcome = completion.status.isGranted ? "ok" : "failed"
        return ObservedEvent(
            .result, name, [.init("status", outcome), .init("code", code)] + rows, label: Self.label(event))
    }

    private func observed(_ callback: Callback, _ event: SessionEvent) -> ObservedEvent {
        ObservedEvent(
            .callback, callback.name, callback.fields.map { .init($0.name, $0.value) }, label: Self.label(event))
    }

    /// The event's number and time. Without a recording, the number is 0 and is omitted.
    private static func label(_ event: SessionEvent) -> String {
        (event.number == 0 ? "" : "#\(event.number) ") + "+\(event.time.secondsText)"
    }
}
