/// A word that stands for a whole condition: `kick`, `kick and node == phone`, `not frame`.
///
/// The words are the same wherever conditions are: in `show --filter` and `sessions search`, behind `expect event`, and
/// in what a replay stops at. Behind an operator a word is a value, and a field of the same name is meant before one.
package struct FilterWord: Sendable {
    package let name: String
    /// The condition it stands for.
    package let filter: String
    package let help: String
    /// The same in a recording of a server alone, which has no client's states.
    package var serverFilter: String?

    package static let all: [FilterWord] = [
        FilterWord(
            name: "kick", filter: "kind == transition and to == kicked", help: "a client is kicked",
            serverFilter: "kind == presence and presence == kicked"),
        FilterWord(
            name: "reconnect", filter: "kind == transition and to == reconnecting", help: "a client begins to reconnect"
        ),
        FilterWord(name: "transition", filter: "kind == transition", help: "a client's state changes"),
        FilterWord(name: "frame", filter: "kind == frame", help: "a frame is sent or received"),
        FilterWord(name: "callback", filter: "kind == callback", help: "the app is called back"),
        FilterWord(
            name: "error",
            filter: "(kind == result and status == failed) or kind == unreadable or (kind == link and link == failed)",
            help: "a command or a link fails"),
        FilterWord(
            name: "fault",
            filter: "kind == fault or (kind == link and fault != closed-by-peer)",
            help: "something is done to a network, an app or a clock, or a link fails",
            serverFilter: "(kind == link and fault != closed-by-peer) or (kind == presence and presence == offline)"),
        FilterWord(name: "mark", filter: "kind == mark", help: "the user set a mark"),
    ]

    package static func named(_ name: String) -> FilterWord? { all.first { $0.name == name } }

    /// One line each, below each other.
    package static var lines: [String] {
        all.map { "  \($0.name)\(String(repeating: " ", count: 12 - $0.name.count))\($0.help)" }
    }
}
