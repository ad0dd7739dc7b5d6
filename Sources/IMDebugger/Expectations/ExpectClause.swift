import IMText
import SansIO

/// What an `expect` or `expect-none` asks for.
///
///     expect state S [k=v…]                   expect callback NAME [k=v…]        expect frame in|out TYPE [k=v…]
///     expect result [COMMAND] ok|failed|k=v…  expect output TEXT                   expect event FILTER
///     … [within D] [as $v]                    expect none … for D  =  expect-none … for D
///     expect callback NAME [k=v…] and state S [k=v…] …        all of them, in any order
package struct ExpectClause: Hashable, Sendable {
    package enum Pattern: Hashable, Sendable {
        case state(String)
        case callback(String)
        case frame(ObservedEvent.Direction, String)
        /// A completed command, of any name if none is given, with any outcome if none is given.
        case result(command: String?, outcome: Outcome?)
        /// The printed text contains this.
        case output(String)
        /// The filter holds for the event.
        case event(Filter)
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case ok, failed
    }

    package var pattern: Pattern
    /// What its fields must be; captures among them.
    package var fields: [KeyValue]
    /// Whether it asks that no such event comes.
    package var isNegative: Bool
    /// How long the event may take to come (`within`). Without it the default of the world holds.
    package var within: Interval?
    /// How long none may come (`for`); always there when negative.
    package var duration: Interval?
    /// The variable that gets the matched event (`as $v`).
    package var captureName: String?
    /// What else must come (`and`), before it or after it.
    package var others: [ExpectClause] = []

    /// Each of the events that must come, as a clause of its own.
    package var parts: [ExpectClause] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The clause as it is written, in its one normal form.
    package var text: String {
        var words = [isNegative ? "expect-none" : "expect"] + pieces
        for other in others { words += ["and"] + other.pieces }
        if let within { words += ["within", within.text] }
        if let duration { words += ["for", duration.text] }
        if let captureName { words += ["as", "$\(captureName)"] }
        return words.joined(separator: " ")
    }

    /// The words for the event.
    private var pieces: [String] {
        var words = [kind.rawValue]
        switch pattern {
        case .state(let name), .callback(let name), .output(let name): words.append(name.quotedIfNeeded)
        case .frame(let direction, let type): words += [direction.rawValue, type.quotedIfNeeded]
        case .result(let command, let outcome): words += [command, outcome?.rawValue].compactMap { $0 }
        case .event(let filter): words.append(filter.source)
        }
        return words + fields.map(\.text)
    }

    /// The kind of event it looks at.
    var kind: ObservedEvent.Kind {
        switch pattern {
        case .state: .state
        case .callback: .callback
        case .frame: .frame
        case .result: .result
        case .output: .output
        case .event: .event
        }
    }
}

/// Something wrong with a command's words; the shell turns it into a place in the line.
package struct WordError: Error, Hashable, Sendable {
    /// Which word, counted from 0 behind the command's name; the number of words when one is missing at the end.
    package var index: Int
    package var message: String
    package var hint: String?
    /// The part of the word that is at fault, in characters of what was typed; nil for the whole word.
    package var part: Range<Int>?

    package init(_ index: Int, _ message: String, hint: String? = nil, part: Range<Int>? = nil) {
        self.index = index
        self.message = message
        self.hint = hint
        self.part = part
    }
}
