import IMText

extension ExpectClause {
    /// The maximum number of events in the text of a failed expectation.
    static let nearestCountMax = 3

    /// True if the event matches the clause. `isNegative` has no influence.
    package func matches(_ event: ObservedEvent) -> Bool { differences(from: event).isEmpty }

    /// The variables that a matching event sets. Each `key=>$v` sets one variable. `as $v` sets `v` to the text of the
    /// event, `v.name` to its name and `v.FIELD` to each of its fields.
    package func captures(from event: ObservedEvent) -> [String: String] {
        var variables: [String: String] = [:]
        if let captureName {
            variables[captureName] = event.text
            variables["\(captureName).name"] = event.name
            for field in event.fields.reversed() { variables["\(captureName).\(field.name)"] = field.value }
        }
        for field in fields {
            if let name = field.captureName, let value = event[field.key] { variables[name] = value }
        }
        return variables
    }

    /// The fields of a matching event with which `fields` were compared, as displayed: `value="online"`.
    package func compared(in event: ObservedEvent) -> [String] {
        fields.filter { $0.comparison != .capture }.flatMap { field in
            event.fields.filter { $0.name == field.key }.map { "\($0.name)=\($0.value)" }
        }
    }

    /// The text of a failed expectation: the expected event, and the most similar events, each with its differences.
    package func explain(nearest events: [ObservedEvent]) -> String {
        let lines = nearest(among: events).map { event in
            let label = event.label.isEmpty ? "" : event.label + "  "
            let reasons = differences(from: event)
            return "  \(label)\(event.text)" + (reasons.isEmpty ? "" : "\n      " + reasons.joined(separator: "; "))
        }
        guard !lines.isEmpty else { return "expected: \(text)\nnothing happened" }
        return "expected: \(text)\n\(isNegative ? "but found" : "nearest"):\n" + lines.joined(separator: "\n")
    }

    /// The events that are most similar to the clause, in the order in which they arrived.
    func nearest(among events: [ObservedEvent]) -> [ObservedEvent] {
        events.enumerated()
            .map { (index: $0.offset, event: $0.element, similarity: similarity(to: $0.element)) }
            .sorted { ($0.similarity, $0.index) > ($1.similarity, $1.index) }
            .prefix(Self.nearestCountMax)
            .sorted { $0.index < $1.index }
            .map(\.event)
    }

    private func similarity(to event: ObservedEvent) -> Int {
        guard event.kind == kind else { return 0 }
        if case .event(let filter) = pattern { return 8 + filter.condition.similarity(to: event.filterFields) }
        let matched = fields.count { difference(of: $0, from: event) == nil }
        return 8 + (nameDifference(from: event) == nil ? 4 + matched : 0)
    }

    /// The reasons why an event does not match; empty if it matches.
    func differences(from event: ObservedEvent) -> [String] {
        guard event.kind == kind else { return ["is a \(event.kind.rawValue)"] }
        if case .event(let filter) = pattern { return filter.condition.reasons(against: event.filterFields) }
        if let difference = nameDifference(from: event) { return [difference] }
        return fields.compactMap { difference(of: $0, from: event) }
    }

    private func nameDifference(from event: ObservedEvent) -> String? {
        switch pattern {
        case .state(let name):
            return PrintedValue.matches(name, printed: event.name) ? nil : "is \(event.name)"
        case .callback(let name):
            return name == event.name ? nil : "is \(event.name)"
        case .frame(let direction, let type):
            if event.direction != direction { return "goes \(event.direction?.rawValue ?? "nowhere")" }
            return type == event.name ? nil : "is \(event.name)"
        case .result(let command, let outcome):
            if let command, command != event.name { return "is the result of \(event.name)" }
            guard let outcome, event["status"] != outcome.rawValue else { return nil }
            return "\(event["status"] ?? "has no status")"
        case .output(let text):
            return event.name.contains(text) ? nil : "does not contain it"
        case .event: return nil
        }
    }

    private func difference(of field: KeyValue, from event: ObservedEvent) -> String? {
        let values = event.fields.filter { $0.name == field.key }.map(\.value)
        guard !values.isEmpty else {
            // An answer with several rows has the same names in each row. Each name is listed once.
            let names = event.fields.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
            return "has no field '\(field.key)'" + (names.isEmpty ? "" : " (it has \(names.joined(separator: ", ")))")
        }
        let holds =
            switch field.comparison {
            case .equal: values.contains { PrintedValue.matches(field.value, printed: $0) }
            case .notEqual: !values.contains { PrintedValue.matches(field.value, printed: $0) }
            case .matching: values.contains { Self.isMatch($0, of: field.value) }
            case .capture: true
            }
        return holds ? nil : "\(field.key) is \(values.joined(separator: ", "))"
    }

    private static func isMatch(_ text: String, of pattern: String) -> Bool {
        (try? LinearPattern(pattern))?.occurs(in: text) ?? false
    }
}
