import IMDebugger
import IMProfiles
import IMSession
import IMSimulation

/// An expectation holds for what an event says, and one of the contrary does not, in however many rows it says it (C-16).
enum ExpectLaws {
    /// So many fields of an event are tried.
    private static let fieldsMax = 12

    static func fault(_ decoded: DecodedSession) throws -> String? {
        let formatter = EventFormatter(dialect: try decoded.header.dialect())
        var looked: Set<String> = []
        for event in decoded.events {
            formatter.note(event)
            for observed in formatter.observations(of: event) {
                // One of each kind, and one that says a thing several times.
                let names = observed.fields.map(\.name)
                let kind = "\(observed.kind) \(observed.name) \(Set(names).count < names.count)"
                guard looked.insert(kind).inserted, try !holds(observed) else { continue }
                return "an expectation does not hold where it should, or holds elsewhere"
            }
        }
        return nil
    }

    private static func holds(_ event: ObservedEvent) throws -> Bool {
        let head = [event.kind.rawValue] + (event.direction.map { [$0.rawValue] } ?? []) + [event.name]
        func matches(_ words: String) throws -> Bool {
            try ExpectClause(words: head + [words], isNegative: false).matches(event)
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
