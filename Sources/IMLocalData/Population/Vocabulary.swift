import SansIO

/// What people say: sentences with places in them, and the words that stand there.
struct Vocabulary: Sendable {
    /// What a place in a sentence is for.
    enum Slot: Int, CaseIterable, Sendable {
        case person, place, thing, paper, food, time, task, feeling, number
    }

    /// A sentence: `"\(.time)去\(.place)"`.
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
    /// For each place in the order of ``Slot``, the most common words first; numbers have none.
    var words: [[String]]
    /// Stands between two sentences.
    var gap: String
    /// Said hardly ever.
    var rareSentence: String
    var tips: [String]
    var combineTitles: [String]

    /// One sentence, or two, and now and then a face behind them.
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

    /// A question has its own mark.
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
                text += list[random.earlyPlace(list.count)]
            }
        }
    }
}
