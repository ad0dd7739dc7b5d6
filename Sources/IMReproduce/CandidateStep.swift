import IMClient
import IMDebugger
import IMProtocol
import IMServer
import IMSession
import IMSimulation
import IMText
import IMTree
import SansIO

/// A step of a candidate with its time: an action for the simulated world, and the same action as a line of a script.
struct CandidateStep: Sendable {
    enum Action: Sendable {
        case step(ScenarioStep)
        case password(user: String, new: String)
        case client(String, Platform, ClientPolicy)
    }

    var time: Milliseconds
    var action: Action
    /// The line of the script.
    var text: String

    init(_ time: Milliseconds, _ step: ScenarioStep, _ text: String) {
        self.time = time
        action = .step(step)
        self.text = text
    }

    init(_ time: Milliseconds, password: String, of user: String) {
        self.time = time
        action = .password(user: user, new: password)
        text = "server account password \(user) \(password)"
    }

    init(_ time: Milliseconds, client: String, _ platform: Platform, _ policy: ClientPolicy, _ text: String) {
        self.time = time
        action = .client(client, platform, policy)
        self.text = text
    }

    func isSame(as other: CandidateStep) -> Bool { time == other.time && text == other.text }
}

/// A call of an app, with the name and the fields of its line in a log.
struct AppCall: Hashable, Sendable {
    var name: String
    var fields: [AnswerField]

    init(_ name: String, _ fields: [(String, String)] = []) {
        self.name = name
        self.fields = fields.map { AnswerField(name: $0.0, value: $0.1) }
    }

    init(_ line: AppLine) {
        name = line.name
        fields = line.fields
    }

    private subscript(field: String) -> String? { fields.first { $0.name == field }?.value }

    /// - Parameter lifetime: the lifetime of the login's token; nil for the default.
    /// - Returns: the step that makes the call; nil for a call that a simulated client cannot make.
    func step(of client: String, at time: Milliseconds, lifetime: Milliseconds? = nil) -> CandidateStep? {
        let prefix = "@\(client) "
        func make(_ action: ScenarioStep.Action, _ text: String) -> CandidateStep {
            CandidateStep(time, ScenarioStep(client, action), prefix + text)
        }
        func command(_ command: ClientCommand, _ text: String) -> CandidateStep { make(.command(command), text) }
        let user = self["user"] ?? "alice"
        switch name {
        case "login":
            let isOffline = self["offline"] == "true"
            if let lifetime, lifetime <= Move.TokenLife.wrong, !isOffline {
                return make(.loginWrongly(user: user), "login \(user) --token nonsense")
            }
            let life = lifetime.map { " --ttl \($0)ms" } ?? ""
            return make(
                .login(user: user, isOffline ? .offline : .manual, lifetime: lifetime.map { .milliseconds($0) }),
                "login \(user)" + (isOffline ? " --offline" : "") + life)
        case "autologin":
            let isForced = self["forced"] == "true"
            return make(
                .login(user: user, isForced ? .forced : .automatic, lifetime: nil),
                "autologin \(user)" + (isForced ? " --forced" : ""))
        case "logout": return command(.logout(keepsPush: false), "logout")
        case "renew-token": return make(.renewToken(lifetime: nil), "renew-token")
        case "send":
            let text = self["text"] ?? ""
            if let channel = self["channel"] {
                return command(
                    .send(to: channel, text: text, isToChannel: true), "send \(channel) \(Quoting.word(text)) --channel"
                )
            }
            let to = self["to"] ?? "bob"
            return command(.send(to: to, text: text), "send \(to) \(Quoting.word(text))")
        case "join": return self["channel"].map { command(.join(channel: $0), "join \($0)") }
        case "leave": return self["channel"].map { command(.leave(channel: $0), "leave \($0)") }
        case "subscribe": return self["user"].map { command(.watch(user: $0, isOn: true), "subscribe \($0)") }
        case "unsubscribe": return self["user"].map { command(.watch(user: $0, isOn: false), "unsubscribe \($0)") }
        case "sync", "on-disconnect": return treeStep(command)
        default: return nil
        }
    }

    private func treeStep(_ command: (ClientCommand, String) -> CandidateStep) -> CandidateStep? {
        guard let path = self["path"], let verb = self["verb"] else { return nil }
        let value = self["value"] ?? "null"
        switch verb {
        case "on": return command(.tree(.listen(path: path)), "sync on \(path)")
        case "off": return command(.tree(.unlisten(path: path, nil)), "sync off \(path)")
        case "get": return command(.tree(.get(path: path, nil)), "sync get \(path)")
        case "set":
            return TreeJSON.node(value).map {
                command(.tree(.set(path: path, $0)), "sync set \(path) \(Quoting.word(value))")
            }
        case "on-disconnect":
            return TreeJSON.node(value).map {
                command(.tree(.onDisconnect(path: path, $0)), "on-disconnect set \(path) \(Quoting.word(value))")
            }
        default: return nil
        }
    }
}

/// Quotes the words of a script.
enum Quoting {
    static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy {
                ($0 >= 48 && $0 <= 57) || ($0 | 32 >= 97 && $0 | 32 <= 122) || "_-./".utf8.contains($0)
            }
        if isPlain { return text }
        guard text.contains("'") else { return "'\(text)'" }
        var quoted = "\""
        for character in text {
            if character == "\"" || character == "\\" { quoted.append("\\") }
            quoted.append(character)
        }
        return quoted + "\""
    }
}
