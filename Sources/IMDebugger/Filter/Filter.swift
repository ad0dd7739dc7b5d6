import IMText
import Recorder

/// A condition on events, for `show --filter`, `sessions search`, `expect event` and breakpoints.
///
/// An example is `kind == transition and (to == kicked or reason =~ "kick") and t > 12.5s`. ``FilterHelp`` documents
/// the whole language.
package struct Filter: Sendable {
    /// The filter as the user typed it.
    package let source: String
    package let condition: FilterCondition
    /// For each role, the kinds of event for which the condition can hold. `mayMatch` rejects all other events without
    /// decoding them.
    private let kinds: [EventKinds]

    /// - Parameter ofServer: true for a recording that contains only a server (``FilterWord/serverFilter``).
    /// - Throws: ``FilterError`` with the position of the error, if the text is not a filter.
    package init(parsing source: String, ofServer: Bool = false) throws(FilterError) {
        do throws(FilterError) {
            var parser = FilterParser(source, ofServer: ofServer)
            let condition = try parser.parse()
            self.condition = condition
            kinds = EventRole.allCases.map { condition.kinds(with: $0) }
            self.source = source
        } catch {
            var error = error
            error.source = source
            throw error
        }
    }

    /// False if the event cannot match. True if it can match, so that it must be decoded. This method itself does not
    /// decode the event.
    package func mayMatch(_ view: EventView, in reader: SessionReader) -> Bool {
        let possible = EventPeek.kinds(of: view)
        let index = Int(view.role.rawValue) - 1
        guard kinds.indices.contains(index), !possible.isDisjoint(with: kinds[index]) else { return false }
        return condition.verdict { $0.peek(at: view, possible: possible, reader: reader) } != .no
    }

    package func matches(_ fields: EventFields) -> Bool {
        condition.verdict { $0.holds(for: fields[$0.name]) ? .yes : .no } == .yes
    }

    /// True if the filter uses a field for which `condition` is true.
    func uses(where condition: (FilterName) -> Bool) -> Bool {
        self.condition.names.contains(where: condition)
    }

    package var usesInState: Bool { uses { $0 == .inState } }
}

extension SessionReader {
    /// True if the recording contains only a server, such as one made by `imrepl serve --record`.
    package var isOfServerAlone: Bool { nodes.filter { $0 != "session" } == ["server"] }
}

/// Two filters are equal if their texts are equal, because the text determines the condition.
extension Filter: Hashable {
    package static func == (left: Filter, right: Filter) -> Bool { left.source == right.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }
}

/// Whether a condition holds for an event of which only some properties are known.
enum FilterVerdict: Hashable, Sendable {
    case no, maybe, yes

    var negated: FilterVerdict {
        switch self {
        case .no: .yes
        case .maybe: .maybe
        case .yes: .no
        }
    }
}

/// The condition of a filter: a tree of comparisons.
package indirect enum FilterCondition: Sendable {
    case all([FilterCondition])
    case any([FilterCondition])
    case not(FilterCondition)
    case test(FilterComparison)

    /// The verdict of the condition. `test` returns the verdict of each comparison.
    func verdict(_ test: (FilterComparison) -> FilterVerdict) -> FilterVerdict {
        switch self {
        case .test(let comparison): return test(comparison)
        case .not(let condition): return condition.verdict(test).negated
        case .all(let conditions):
            var verdict = FilterVerdict.yes
            for condition in conditions {
                switch condition.verdict(test) {
                case .no: return .no
                case .maybe: verdict = .maybe
                case .yes: break
                }
            }
            return verdict
        case .any(let conditions):
            var verdict = FilterVerdict.no
            for condition in conditions {
                switch condition.verdict(test) {
                case .yes: return .yes
                case .maybe: verdict = .maybe
                case .no: break
                }
            }
            return verdict
        }
    }

    /// The fields that the condition uses.
    package var names: [FilterName] {
        switch self {
        case .test(let comparison): [comparison.name]
        case .not(let condition): condition.names
        case .all(let conditions), .any(let conditions): conditions.flatMap(\.names)
        }
    }

    /// The kinds of event with the given role for which the condition can hold.
    func kinds(with role: EventRole) -> EventKinds {
        var kinds = EventKinds.none
        for kind in EventKind.allCases where verdict({ $0.peek(at: kind, role: role) }) != .no {
            kinds.formUnion(EventKinds(kind))
        }
        return kinds
    }
}
