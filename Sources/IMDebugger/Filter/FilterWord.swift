/// A word that is an abbreviation of a whole condition, as in `kick`, `kick and node == phone` and `not frame`.
///
/// All filters accept these words: `show --filter`, `sessions search`, `expect event`, and breakpoints of a replay.
/// After an operator, the word is a value. Before an operator, it is the name of a field.
package struct FilterWord: Sendable {
    package let name: String
    /// The condition that the word abbreviates.
    package let filter: String
    package let help: String
    /// The condition in a recording that contains only a server, and so no states of clients. Nil if it is the same
    /// condition.
    package var serverFilter: String?

    package static let all: [FilterWord] = [
        FilterWord(
            name: "kick", filter: "kind == transition and to == kicked", help: "a client is kicked",
            serverFilter: "kind == presence and presence == kicked"),
        FilterWord(
            name: "reconnect", filter: "kind == transition and to == reconnecting", help: "a client starts to reconnect"
        ),
        FilterWord(name: "transition", filter: "kind == transition", help: "a client's state changes"),
        FilterWord(name: "frame", filter: "kind == frame", help: "a frame is sent or received"),
        FilterWord(name: "callback", filter: "kind == callback", help: "the SDK calls the app back"),
        FilterWord(
            name: "error",
            filter: "(kind == result and status == failed) or kind == unreadable or (kind == link and link == failed)",
            help: "a command or a link fails"),
        FilterWord(
            name: "fault",
            filter: "kind == fault or (kind == link and fault != closed-by-peer)",
            help: "a scenario changes a network, an app or a clock, or a link fails",
            serverFilter: "(kind == link and fault != closed-by-peer) or (kind == presence and presence == offline)"),
        FilterWord(name: "mark", filter: "kind == mark", help: "the user set a mark"),
    ]

    package static func named(_ name: String) -> FilterWord? { all.first { $0.name == name } }

    /// One line of help for each word.
    package static var lines: [String] {
        all.map { "  \($0.name)\(String(repeating: " ", count: 12 - $0.name.count))\($0.help)" }
    }
}
