import IMDebugger

/// The scripts of the session library. `help` names scripts that demonstrate a behaviour.
package struct LibraryIndex: Sendable {
    /// A script of the library.
    package struct Session: Sendable {
        /// The path of the script in the library.
        package var file: String
        package var title = ""
        package var profile = ""
        /// The ids of the rules that the script demonstrates.
        package var rules: [String] = []
        /// The words of each command of the script. A line that expects that an event does not occur, or that a command
        /// fails, is omitted, because it does not demonstrate the event or the command.
        var lines: [[Substring]] = []

        /// - Parameter source: the text of the script.
        package init(file: String, source: String) {
            self.file = file
            for line in source.split(separator: "\n") {
                guard line.first == "#" else {
                    let words = line.split(separator: " ")
                    if !words.contains(where: { ["expect-none", "none", "!"].contains($0) }) { lines.append(words) }
                    continue
                }
                let entry = line.dropFirst().drop { $0 == " " }
                guard let colon = entry.firstIndex(of: ":") else { continue }
                let value = String(entry[entry.index(after: colon)...]).trimmingBlanks()
                switch ScriptMetadata.Key(rawValue: String(entry[..<colon])) {
                case .title: title = value
                case .profile: profile = value
                case .rules: rules += value.split { " ,".contains($0) }.map(String.init)
                default: break
                }
            }
        }

        func hasCommand(where matches: (_ words: [Substring]) -> Bool) -> Bool { lines.contains(where: matches) }

        /// The session as a JSON object.
        var object: AnswerObject {
            var object = AnswerObject()
            object.add("file", file)
            object.add("title", title)
            object.add("profile", profile)
            object.add("rules", texts: rules)
            return object
        }

        /// The line that `help` prints for the session.
        var line: String { "shown by \(file): \(title)" }
    }

    /// The maximum number of sessions that `help` names.
    private static let sessionsMax = 2

    private let sessions: [Session]

    package init(_ sessions: [Session] = []) { self.sessions = sessions }

    /// The best sessions for a rule: first sessions whose file name begins with the rule's id, then sessions with the
    /// fewest rules.
    func sessions(ofRule id: String) -> [Session] {
        let name = id.lowercased()
        return best(of: sessions.filter { $0.rules.contains(id) }) { session in
            let file = session.file.split(separator: "/").last ?? ""
            // A file name such as nim-04-… begins with the id NIM-4.
            let words = file.split(separator: "-").prefix(2)
            let number = words.last.flatMap { Int($0) }.map { "\(words.first ?? "")-\($0)" }
            return number == name
        }
    }

    /// The best sessions that have a matching command.
    ///
    /// - Parameters:
    ///   - profile: the system of the sessions; nil for all systems.
    ///   - word: the word that `help` explains. If the titles of some sessions contain it, only these are returned.
    ///   - rules: the ids of rules about the word. Sessions that demonstrate one of them are listed first.
    func sessions(
        of profile: String?, about word: String, rules: [String], where command: ([Substring]) -> Bool
    ) -> [Session] {
        let found = sessions.filter { (profile == nil || $0.profile == profile) && $0.hasCommand(where: command) }
        let named = found.filter { session in
            session.title.split { !$0.isLetter && !$0.isNumber && $0 != "-" }.contains { $0 == word }
        }
        if !named.isEmpty { return best(of: named) { _ in false } }
        return best(of: found) { session in rules.contains(where: session.rules.contains) }
    }

    private func best(of sessions: [Session], isPreferred: (Session) -> Bool) -> [Session] {
        let sorted = sessions.map { (session: $0, isPreferred: isPreferred($0)) }.sorted { left, right in
            (left.isPreferred ? 0 : 1, left.session.rules.count, left.session.file)
                < (right.isPreferred ? 0 : 1, right.session.rules.count, right.session.file)
        }
        return sorted.prefix(Self.sessionsMax).map(\.session)
    }
}
