import IMDebugger

/// The colours of recordings in Wireshark's list of packets: lines of the file `colorfilters` in the user's folder.
///
/// Wireshark uses the first matching rule. It reads a user's file instead of its own, and drops comments when it saves
/// that file. Therefore the rules of this program are inserted before all others, and a new file also contains
/// Wireshark's own rules. The rules of this program are recognised by their names and by the comments around them.
package enum ColouringRules {
    package static let fileName = "colorfilters"
    static let begin = "# imrepl: begin, 'imrepl wireshark --uninstall' takes this out"
    static let end = "# imrepl: end"

    private struct Colour {
        var red: Int
        var green: Int
        var blue: Int

        /// The colour in Wireshark's format: sixteen bits for each component.
        var text: String { "[\(red * 257),\(green * 257),\(blue * 257)]" }
    }

    private static let white = Colour(red: 255, green: 255, blue: 255)
    private static let black = Colour(red: 0, green: 0, blue: 0)

    /// The rules in the order in which Wireshark tries them. Each name begins with `namePrefix`.
    private static let rules: [(name: String, filter: String, back: Colour, front: Colour)] = [
        ("kick", "imsession.kick", Colour(red: 164, green: 0, blue: 0), white),
        (
            "fault", "imsession.kind == \"fault\" || imsession.record.fault",
            Colour(red: 252, green: 224, blue: 120), black
        ),
        ("online", "imsession.state.to == \"online\"", Colour(red: 200, green: 240, blue: 200), black),
        ("transition", "imsession.kind == \"transition\"", Colour(red: 186, green: 218, blue: 255), black),
        ("mark", "imsession.kind == \"mark\"", Colour(red: 231, green: 200, blue: 255), black),
    ]

    private static let namePrefix = "imrepl "

    /// The lines of the program's rules: `@NAME@FILTER@[background][foreground]`.
    package static let lines = rules.map { "@\(namePrefix)\($0.name)@\($0.filter)@\($0.back.text)\($0.front.text)" }

    /// The names of the rules, for the documentation.
    static var names: [String] { rules.map(\.name) }

    /// The text of a file, with the current version of the program's rules before all others.
    package static func added(to text: String) -> String {
        ([begin] + lines + [end]).joined(separator: "\n") + "\n" + removed(from: text)
    }

    /// The text of a file without the program's rules. Every other byte is unchanged.
    package static func removed(from text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).filter { !isOwnRule($0) }.joined(separator: "\n")
    }

    /// True if the text of a file contains any of the program's rules.
    package static func areInstalled(in text: String) -> Bool { removed(from: text) != text }

    /// Wireshark writes `!` before a disabled rule.
    private static func isOwnRule(_ line: Substring) -> Bool {
        let rule = line.hasSuffix("\r") ? line.dropLast() : line
        if rule == begin || rule == end { return true }
        return rule.hasPrefix("@\(namePrefix)") || rule.hasPrefix("!@\(namePrefix)")
    }
}
