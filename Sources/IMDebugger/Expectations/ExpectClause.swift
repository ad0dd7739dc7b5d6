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
        /// A result. If `command` is nil, any command matches. If `outcome` is nil, any outcome matches.
        case result(command: String?, outcome: Outcome?)
        /// The displayed text contains the string.
        case output(String)
        /// The filter holds for the event.
        case event(Filter)
    }

    package enum Outcome: String, CaseIterable, Sendable {
        case ok, failed
    }

    package var pattern: Pattern
    /// The required values of the event's fields, and the captures of fields (`key=>$v`).
    package var fields: [KeyValue]
    /// True for `expect-none`: the expectation fails if a matching event arrives.
    package var isNegative: Bool
    /// The time within which the event must arrive (`within`). Nil for the default of the world.
    package var within: Interval?
    /// The time for which no matching event may arrive (`for`). It is not nil if `isNegative` is true.
    package var duration: Interval?
    /// The name of the variable that is set to the matching event (`as $v`).
    package var captureName: String?
    /// The clauses after `and`. Their events may arrive before or after the first clause's event.
    package var others: [ExpectClause] = []

    /// The first clause and the clauses after `and`, each as a clause without others.
    package var parts: [ExpectClause] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The clause as a line of a script.
    package var text: String {
        var words = [isNegative ? "expect-none" : "expect"] + pieces
        for other in others { words += ["and"] + other.pieces }
        if let within { words += ["within", within.text] }
        if let duration { words += ["for", duration.text] }
        if let captureName { words += ["as", "$\(captureName)"] }
        return words.joined(separator: " ")
    }

    /// The words of this clause without the suffixes `within`, `for` and `as`.
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

    /// The kind of event that the clause matches.
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

/// An error in one word of a command. The shell converts the word's index to a position in the line.
package struct WordError: Error, Hashable, Sendable {
    /// The index of the wrong word. The first word after the command's name has the index 0. If a word is missing at
    /// the end, the index is the number of words.
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
