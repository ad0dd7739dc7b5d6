import IMSession
import Recorder
import SansIO

/// The events of a session, in a form that is the same for a script and for an app.
enum ScriptEvents {
    /// Each event of the machines, with its time and its node.
    static func words(of session: [UInt8]) throws -> [String] {
        let reader = try SessionReader(bytes: session)
        let scanner = reader.makeScanner()
        var words: [String] = []
        while let view = try scanner.next() {
            guard view.role == .input || view.role == .effect else { continue }
            let seconds = "+\(Double(view.time.nanoseconds / 1_000) / 1e6)s"
            words.append("\(seconds) \(withoutTokens(view.comment))")
        }
        return words
    }

    /// An app passes its tokens as texts. A script's tokens have names, or are those of the last login. Other words of
    /// the event show the content of a token.
    static func withoutTokens(_ text: String) -> String {
        guard text.contains("credential=") else { return text }
        let words = text.split(separator: " ", omittingEmptySubsequences: false)
        return words.filter { word in
            guard word.hasPrefix("credential=") else { return true }
            let name = word.dropFirst("credential=".count)
            return !(name == "\"\"" || name.hasPrefix("given-") || name.hasPrefix("token-"))
        }.joined(separator: " ")
    }

    /// Where two lists of events differ, with the events before it; nil where they are equal.
    static func difference(_ played: [String], _ expected: [String]) -> String? {
        guard
            let place = (0..<max(played.count, expected.count)).first(where: { index in
                index >= played.count || index >= expected.count || played[index] != expected[index]
            })
        else { return nil }
        let before = expected[max(0, place - 4)..<min(place, expected.count)].map { "        \($0)" }
        func rest(_ events: [String]) -> String {
            place < events.count ? events[place...].prefix(3).joined(separator: "\n                ") : "(nothing more)"
        }
        return """
            event \(place + 1) is another one, behind
            \(before.joined(separator: "\n"))
            the module:     \(rest(played))
            the recording:  \(rest(expected))
            """
    }
}
