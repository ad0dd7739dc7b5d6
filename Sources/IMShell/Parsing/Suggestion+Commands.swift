import IMDebugger
import IMText

/// Suggestions for unknown commands and subcommands.
extension Suggestion {
    /// Words of other programs, with the commands of this shell for the same purpose.
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
        "recordings": "sessions", "filter": "sessions search", "ls": "sessions",
        "man": "help", "apropos": "help", "assert": "expect", "expect-not": "expect-none", "config": "query config",
        "airplane": "net down", "flight-mode": "net down", "plane": "net down", "tell": "send", "dm": "send",
        "whisper": "send", "chat": "send", "explain": "why", "whynot": "why-not", "trace": "why", "reset": "net reset",
        "let": "set", "settings": "set", "info": "status", "advance": "wait",
    ]

    /// Subcommands as other programs name them, such as `net off`, with the name of the subcommand in this shell.
    static let subcommandSynonyms: [String: String] = [
        "net off": "down", "net on": "up", "net disconnect": "down", "net connect": "up", "client add": "new",
        "client create": "new", "client make": "new", "client switch": "use", "client select": "use",
        "client remove": "close", "client delete": "close", "server stop": "down", "server start": "up",
        "server ban": "account ban", "rec info": "status", "rec begin": "start", "rec end": "stop", "rec save": "stop",
        "query messages": "items message", "query message": "items message", "query groups": "items group",
        "query notifications": "items notification", "sessions find": "search", "sessions ls": "list",
        "app resume": "foreground", "app stop": "kill",
    ]

    /// The command that a word probably means. If the word is a synonym, it is the synonym's command, otherwise the
    /// command with the nearest name.
    static func command(for word: String, among commands: some Sequence<String>) -> String? {
        synonyms[word.lowercased()] ?? nearest(to: word, among: commands)
    }

    /// The hint for an unknown command.
    ///
    /// - Parameter next: the word after the unknown one; nil if there is none.
    static func commandHint(for word: String, next: String? = nil, in table: CommandTable) -> String {
        let terminal = TerminalCommand.names
        if let last = word.last, ">%#$".contains(last) {
            return "omit the prompt; type only the text after it"
        }
        if word == "imrepl" {
            return "this is already imrepl; 'quit' returns to the terminal, 'help' lists the commands"
        }
        if synonyms[word.lowercased()] == nil, terminal.contains(word.lowercased()) {
            return "that is a terminal command: 'quit', then 'imrepl \(word.lowercased()) …'; see 'help recordings'"
        }
        if let command = command(for: word, among: table.names) { return "did you mean '\(command)'?" }
        if let next, let command = table.command(next), command.takesClient {
            return "did you mean '@\(word) \(next)'?"
        }
        return "'help' lists the commands"
    }

    /// The hint for an unknown subcommand: the likely one, or the list of all.
    package static func hint(for word: String, after path: [String], among candidates: [String]) -> String? {
        nearestHint(for: word, after: path, among: candidates) ?? hint(for: word, among: candidates)
    }

    /// The hint with the subcommand that an unknown word probably means; nil if no name is near.
    static func nearestHint(for word: String, after path: [String], among candidates: [String]) -> String? {
        let synonym = subcommandSynonyms[(path + [word.lowercased()]).joined(separator: " ")]
        return (synonym ?? nearest(to: word, among: candidates)).map { "did you mean '\($0)'?" }
    }
}
