import IMClient
import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import Recorder
import SansIO

/// Checks that a filter finds the same events as an equivalent filter, and as a check of every decoded event (C-16).
enum FilterSelfChecks {
    static func failure(_ reader: SessionReader, _ decoded: DecodedSession) throws -> String? {
        let recording = try Scanned(reader)
        return try comparisons(recording, decoded) ?? events(recording, decoded) ?? states(recording, decoded)
    }

    /// A recording in which filters are applied to every event.
    struct Scanned {
        let reader: SessionReader
        let dialect: any Dialect

        init(_ reader: SessionReader) throws {
            self.reader = reader
            dialect = try reader.header.dialect()
        }

        /// The numbers of the events that match the filter.
        func found(_ text: String, peeks: Bool = true) throws -> [UInt64] {
            let scan = FilterScan(try Filter(parsing: text), of: reader, dialect: dialect, peeks: peeks)
            var found: [UInt64] = []
            let scanner = reader.makeScanner()
            while let view = try scanner.next() { if scan.take(view) != nil { found.append(view.number) } }
            return found
        }
    }

    /// Compares filters that are equivalent. `<=` holds if `<` or `==` holds. `!=` holds if the field exists with
    /// another value. A list matches if one of its elements matches. A result that is found before an event is decoded
    /// must be equal to the result after decoding.
    private static func comparisons(_ recording: Scanned, _ decoded: DecodedSession) throws -> String? {
        let middle = recording.reader.eventCount / 2 + 1
        let eventTime = decoded.events.first { $0.number == middle }.map { ($0.time - Instant.zero).text } ?? "1s"
        let equalFilters = [
            ("n <= \(middle)", "n < \(middle) or n == \(middle)"),
            ("n >= \(middle)", "n > \(middle) or n == \(middle)"), ("n <= \(middle)", "not n > \(middle)"),
            ("cause < \(middle)", "cause and not cause >= \(middle)"), ("to != online", "to and not to == online"),
            ("kind in {link, transition}", "kind == link or kind == transition"),
            ("t >= \(eventTime)", "not t < \(eventTime)"), ("t <= \(eventTime)", "not t > \(eventTime)"),
            ("t >= 0s", "n >= 1"),
            ("request >= 2", "request and not request < 2"), ("request <= 2", "request and not request > 2"),
        ]
        // A field, such as the text of a message, can have several values in one event.
        let unequalFilters =
            decoded.events.lazy.compactMap(\.text).first(where: \.isPlainWord).map {
                [("text != \"\($0)\"", "text and not text == \"\($0)\"")]
            } ?? []
        for (one, other) in equalFilters + unequalFilters where try recording.found(one) != recording.found(other) {
            return "two filters with the same meaning find different events"
        }
        let filters = [
            "cause == \(middle)", "dir == in", "role == input", "channel == transport", "kind == timer", "t < 10s",
            "request == 1", "request == 2", "not request", "type == sync", "type != heartbeat", "user", "status == ok",
            "text =~ \"heart|sync\"", "not text =~ \"e\"",
        ]
        for text in filters where try recording.found(text) != recording.found(text, peeks: false) {
            return "a filter that reads only the first bytes of events finds other events than one that decodes them"
        }
        return nil
    }

    /// Compares the results of filters with the decoded events.
    private static func events(_ recording: Scanned, _ decoded: DecodedSession) throws -> String? {
        var expected: [String: [UInt64]] = [:]
        func add(_ text: String, _ event: SessionEvent) { expected[text, default: []].append(event.number) }
        for event in decoded.events {
            add("node == \(event.node)", event)
            switch event.content {
            case .effect(.transition(let change)):
                add("kind == transition and from == \(change.from.name)", event)
                add("kind == transition and to == \(change.to.name)", event)
            case .effect(.send(_, let frame)): add("kind == frame and dir == out and type == \(frame.body.name)", event)
            case .input(.frame(_, let frame)): add("kind == frame and dir == in and type == \(frame.body.name)", event)
            default: break
            }
            // Every displayed field can be used in a filter. This checks it for some kinds of events that the switch
            // above leaves out.
            switch event.content {
            case .effect(.presence), .input(.network), .input(.app):
                for fact in event.facts where fact.value.isPlainWord {
                    add("kind == \(event.kind) and \(fact.name) == \(fact.value)", event)
                }
            default: break
            }
        }
        // One scan for each of the rarest filters, because errors are most likely there.
        let rare = expected.sorted { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        for (text, numbers) in rare.prefix(12) where try recording.found(text) != numbers {
            return "a filter finds other events than those with the value"
        }
        return nil
    }

    /// Computes the states from the transitions. An input and all its effects have the state before the input.
    private static func states(_ recording: Scanned, _ decoded: DecodedSession) throws -> String? {
        let found = Set(try recording.found("in-state == online"))
        var now: [String: ClientState] = [:]
        var before: [String: ClientState] = [:]
        for event in decoded.events {
            switch event.content {
            case .start(let record): if case .client = record.body { now[event.node] = .loggedOut }
            case .stop: now[event.node] = nil
            case .input: before[event.node] = now[event.node]
            case .effect(.transition(let change)): now[event.node] = change.to
            default: break
            }
            guard case .effect = event.content, let state = before[event.node] else { continue }
            if found.contains(event.number) != (state == .online) {
                return "the filter for a state finds other events than those in that state"
            }
        }
        let summary = try SessionSummary(recording.reader)
        guard summary.clients.allSatisfy({ now[$0.name] == $0.state }) else {
            return "a recording's summary has other final states than its transitions"
        }
        return nil
    }
}

extension SessionEvent {
    /// The text of a message that the node receives.
    fileprivate var text: String? {
        guard case .input(.frame(_, let frame)) = content, case .message(let message) = frame.body else { return nil }
        return message.text
    }
}

extension String {
    /// True if the text has only lower-case letters, digits and hyphens, which need no quotes in a filter.
    var isPlainWord: Bool {
        !isEmpty && utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == UInt8(ascii: "-") }
    }
}
