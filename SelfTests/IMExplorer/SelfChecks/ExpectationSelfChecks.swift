import IMDebugger
import IMProfiles
import IMSession
import IMSimulation

/// Checks that an expectation with the fields of an event holds for this event, and that its negation does not, even if
/// a field occurs several times (C-16).
enum ExpectationSelfChecks {
    /// The maximum number of fields to check per event.
    private static let fieldsMax = 12

    static func failure(_ decoded: DecodedSession) throws -> String? {
        let formatter = EventFormatter(dialect: try decoded.header.dialect())
        var checked: Set<String> = []
        for event in decoded.events {
            formatter.note(event)
            for observed in formatter.observations(of: event) {
                // One event of each kind is checked, and one with a repeated field.
                let names = observed.fields.map(\.name)
                let kind = "\(observed.kind) \(observed.name) \(Set(names).count < names.count)"
                guard checked.insert(kind).inserted, try !holds(observed) else { continue }
                return "an expectation does not hold for its event, or holds for others"
            }
        }
        return nil
    }

    private static func holds(_ event: ObservedEvent) throws -> Bool {
        let head = [event.kind.rawValue] + (event.direction.map { [$0.rawValue] } ?? []) + [event.name]
        func matches(_ detail: String) throws -> Bool {
            try ExpectClause(words: head + [detail], isNegative: false).matches(event)
        }
        for field in event.fields.suffix(fieldsMax) where field.value.isPlainWord {
            let other = field.value + "-x"
            guard try matches("\(field.name)=\(field.value)"), try !matches("\(field.name)!=\(field.value)"),
                try !matches("\(field.name)=\(other)"), try matches("\(field.name)!=\(other)")
            else { return false }
        }
        return true
    }
}
