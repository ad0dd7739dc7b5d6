import IMText
import SansIO

/// The condition of an `expect` or `expect-none`.
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
        /// A completed command, of any name if none is given, with any result if none is given.
        case result(command: String?, outcome: Outcome?)
        /// The displayed text contains this.
        case output(String)
        /// The filter holds for the event.
        case event(Filter)
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case ok, failed
    }

    package var pattern: Pattern
    /// The required values of its fields, including captures.
    package var fields: [KeyValue]
    /// True if no such event may arrive.
    package var isNegative: Bool
    /// How long the event may take to arrive (`within`). Nil for the default of the world.
    package var within: Interval?
    /// How long no such event may arrive (`for`); never nil if negative.
    package var duration: Interval?
    /// The variable that receives the matched event (`as $v`).
    package var captureName: String?
    /// Further required events (`and`), before it or after it.
    package var others: [ExpectClause] = []

    /// Each of the required events, as a clause of its own.
    package var parts: [ExpectClause] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The clause in its normal form.
    package var text: String {
        var words = [isNegative ? "expect-none" : "expect"] + pieces
        for other in others { words += ["and"] + other.pieces }
        if let within { words += ["within", within.text] }
        if let duration { words += ["for", duration.text] }
        if let captureName { words += ["as", "$\(captureName)"] }
        return words.joined(separator: " ")
    }

    /// The words about the event.
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

    /// The kind of event that it matches.
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

/// An error in a command's words. The shell converts it to a position in the line.
package struct WordError: Error, Hashable, Sendable {
    /// The index of the word after the command's name, from 0; the number of words if one is missing at the end.
    package var index: Int
    package var message: String
    package var hint: String?
    /// The wrong part of the word, in characters as typed; nil for the whole word.
    package var part: Range<Int>?

    package init(_ index: Int, _ message: String, hint: String? = nil, part: Range<Int>? = nil) {
        self.index = index
        self.message = message
        self.hint = hint
        self.part = part
    }
}
