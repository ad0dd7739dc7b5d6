/// Did you mean …? Suggests, never runs.
enum Suggestion {
    /// Words that other shells use for a command of this one.
    static let synonyms: [String: String] = [
        "bye": "quit", "close": "client close", "logoff": "logout", "signout": "logout", "disconnect": "net down",
        "connect": "login", "signin": "login", "auth": "login", "auto-login": "autologin", "relogin": "autologin",
        "offline-login": "login --offline", "renew": "renew-token", "refresh-token": "renew-token", "sleep": "wait",
        "run": "source", "load": "source", "include": "source", "print": "echo", "say": "echo", "msg": "send",
        "message": "send", "watch": "subscribe", "unwatch": "unsubscribe", "profile": "use", "device": "client new",
        "new": "client new", "clients": "client list", "who": "client list", "devices": "query devices",
        "state": "query state", "whoami": "query account", "account": "server account", "offline": "net down",
        "online": "net up", "down": "net down", "up": "net up", "network": "net", "loss": "net loss",
        "delay": "net delay", "drop": "net drop", "kill": "app kill", "background": "app background",
        "foreground": "app foreground", "restart": "server restart", "ban": "server account ban",
        "token": "server token", "policy": "server policy", "mark": "rec mark", "record": "rec", "recording": "rec",
        "recordings": "sessions", "search": "sessions search", "filter": "sessions search", "ls": "sessions",
        "man": "help", "apropos": "help", "assert": "expect", "expect-not": "expect-none", "config": "query config",
        "airplane": "net down", "flight-mode": "net down", "plane": "net down", "tell": "send", "dm": "send",
        "whisper": "send", "chat": "send", "explain": "why", "whynot": "why-not", "trace": "why", "reset": "net reset",
        "let": "set", "settings": "set", "info": "status", "advance": "wait",
    ]

    /// The same for a word behind a command: `net off`.
    static let innerSynonyms: [String: String] = [
        "net off": "down", "net on": "up", "net disconnect": "down", "net connect": "up", "client add": "new",
        "client create": "new", "client make": "new", "client switch": "use", "client select": "use",
        "client remove": "close", "client delete": "close", "server stop": "down", "server start": "up",
        "server ban": "account ban", "rec info": "status", "rec begin": "start", "rec end": "stop", "rec save": "stop",
        "query messages": "items message", "query message": "items message", "query groups": "items group",
        "query notifications": "items notification", "sessions find": "search", "sessions ls": "list",
        "app resume": "foreground", "app stop": "kill",
    ]

    /// Longer words are not compared: the distance costs the product of the lengths, and nobody mistypes them by two.
    static let lengthMax = 64

    /// The candidate nearest to `word`, if it is near: two slips, one in a word of up to four letters. Capitals are no
    /// slip.
    static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
        guard !word.isEmpty, word.count <= lengthMax else { return nil }
        let tolerance = word.count <= 4 ? 1 : 2
        let lowered = word.lowercased()
        var best: (distance: Int, candidate: String)?
        for candidate in candidates where candidate != word && candidate.count <= lengthMax {
            let distance = distance(lowered, candidate.lowercased())
            if distance <= tolerance, distance < best?.distance ?? .max, distance < candidate.count {
                best = (distance, candidate)
            }
        }
        if let best { return best.candidate }
        // An unfinished word is no slip, but where only one candidate begins with it there is no doubt what was meant.
        let longer = candidates.filter { $0.hasPrefix(word) && $0 != word }
        return longer.count == 1 ? longer.first : nil
    }

    /// The command that was probably meant: another word for it, or a near one. Whoever types a known word has not
    /// mistyped a near one.
    static func command(for word: String, among commands: some Sequence<String>) -> String? {
        synonyms[word.lowercased()] ?? nearest(to: word, among: commands)
    }

    /// What to type instead of an unknown first word.
    ///
    /// - Parameter next: the word behind it.
    static func commandHint(for word: String, next: String? = nil, in table: CommandTable) -> String {
        let terminal = ImreplCommand.names
        if let last = word.last, ">%#$".contains(last) {
            return "leave the prompt out, and type only what stands behind it"
        }
        if word == "imrepl" {
            return "this is imrepl already; 'quit' leads back to the terminal, 'help' lists the commands"
        }
        if synonyms[word.lowercased()] == nil, terminal.contains(word.lowercased()) {
            return "that is for the terminal: 'quit', then 'imrepl \(word.lowercased()) …'; 'help recordings' says more"
        }
        if let meant = command(for: word, among: table.names) { return "did you mean '\(meant)'?" }
        if let next, let command = table.command(next), command.takesClient {
            return "did you mean '@\(word) \(next)'?"
        }
        return "'help' lists the commands"
    }

    /// What to type instead of an unknown word behind a command that has others.
    static func hint(for word: String, behind path: [String], among candidates: [String]) -> String? {
        meant(by: word, behind: path, among: candidates) ?? hint(for: word, among: candidates)
    }

    /// The same where only a likely word helps.
    static func meant(by word: String, behind path: [String], among candidates: [String]) -> String? {
        let meant = innerSynonyms[(path + [word.lowercased()]).joined(separator: " ")]
        return (meant ?? nearest(to: word, among: candidates)).map { "did you mean '\($0)'?" }
    }

    /// `did you mean 'login'?`, or what there is when nothing is near and the choice is short.
    ///
    /// - Parameter countMax: a choice of more is not short.
    static func hint(
        for word: String, among candidates: [String], prefix: String = "", countMax: Int = 12
    ) -> String? {
        if let nearest = nearest(to: word, among: candidates) { return "did you mean '\(prefix)\(nearest)'?" }
        guard !candidates.isEmpty, candidates.count <= countMax else { return nil }
        return "there is: " + candidates.map { prefix + $0 }.joined(separator: ", ")
    }

    /// Damerau-Levenshtein in its form of optimal string alignment: insert, delete, replace, swap two neighbours.
    static func distance(_ left: String, _ right: String) -> Int {
        let left = Array(left)
        let right = Array(right)
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var beforePrevious = [Int](repeating: 0, count: right.count + 1)
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let isSame = left[row - 1] == right[column - 1]
                var cost = min(previous[column] + 1, current[column - 1] + 1, previous[column - 1] + (isSame ? 0 : 1))
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    cost = min(cost, beforePrevious[column - 2] + 1)
                }
                current.append(cost)
            }
            beforePrevious = previous
            previous = current
        }
        return previous[right.count]
    }
}
