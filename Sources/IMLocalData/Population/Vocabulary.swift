import SansIO

/// The texts of generated messages: sentences with slots, and the words that fill the slots.
struct Vocabulary: Sendable {
    /// The kind of a slot in a sentence.
    enum Slot: Int, CaseIterable, Sendable {
        case person, place, thing, paper, food, time, task, feeling, number
    }

    /// A sentence with slots, written as a string literal: `"\(.time)去\(.place)"`.
    struct Sentence: ExpressibleByStringInterpolation, Sendable {
        enum Piece: Sendable {
            case text(String)
            case slot(Slot)
        }

        var pieces: [Piece]

        struct StringInterpolation: StringInterpolationProtocol {
            var pieces: [Piece] = []

            init(literalCapacity: Int, interpolationCount: Int) {}

            mutating func appendLiteral(_ literal: String) {
                if !literal.isEmpty { pieces.append(.text(literal)) }
            }

            mutating func appendInterpolation(_ slot: Slot) { pieces.append(.slot(slot)) }
        }

        init(stringLiteral value: String) { pieces = [.text(value)] }
        init(stringInterpolation: StringInterpolation) { pieces = stringInterpolation.pieces }
    }

    var sentences: [Sentence]
    /// The words for each kind of ``Slot``, in the order of its cases, the most common word first. Slots for numbers
    /// have no words.
    var words: [[String]]
    /// The text between two sentences.
    var gap: String
    /// A sentence that is added to 2 in 10 000 messages, so that a search for it has few matches.
    var rareSentence: String
    var tips: [String]
    var combineTitles: [String]

    /// A random text: one or two sentences, sometimes followed by an emoji.
    func text(_ random: inout SeededRandom) -> String {
        var text = ""
        append(to: &text, &random)
        if random.percent(25) {
            appendGap(to: &text)
            append(to: &text, &random)
        }
        switch random.below(10_000) {
        case ..<2:
            appendGap(to: &text)
            text += rareSentence
        case ..<600: text += random.one(of: Self.faces)
        default: break
        }
        return text
    }

    /// Appends the text between two sentences. After a question mark or an exclamation mark this is at most a space.
    private func appendGap(to text: inout String) {
        switch text.unicodeScalars.last {
        case "?", "!": text += " "
        case "？": break
        default: text += gap
        }
    }

    private static let faces = ["😂", "👍", "🙏", "😅", "🎉", "😊", "🤔", "👌", "😭", "❤️"]

    private func append(to text: inout String, _ random: inout SeededRandom) {
        for piece in random.one(of: sentences).pieces {
            switch piece {
            case .text(let literal): text += literal
            case .slot(.number): text += String(2 + random.below(98))
            case .slot(let slot):
                let list = words[slot.rawValue]
                text += list[random.earlyIndex(list.count)]
            }
        }
    }
}
