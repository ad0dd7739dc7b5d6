import IMDialects
import SansIO

/// Draws a scenario by chance: lines that a user could type, so that what goes wrong can be typed again.
struct ScenarioMaker {
    private var random: SeededRandom
    let profile: String
    private let clients: [String]
    private let users = ["alice", "bob"]
    private static let channels = ["lobby", "lobby", "news", "games"]
    /// No two messages have the same text, so that each can be told apart.
    private var textsMade = 0
    private static let platforms = ["ios", "android", "windows", "macos", "web"]
    private static let frames = [
        "login", "login-ack", "logout", "logout-ack", "heartbeat-ack", "kicked", "kicked-ack", "sync-phase",
        "sync-done", "send", "send-ack", "message", "message-ack", "devices-changed", "renew-token-ack", "operation",
        "operation-ack", "operated", "operated-ack", "resync", "resync-ack", "*",
    ]
    private static let channelFrames = [
        "join", "join-ack", "leave", "leave-ack", "set-attributes", "set-attributes-ack", "watch", "watch-ack",
        "member-changed", "presence", "settle", "settle-ack",
    ]
    private static let treeFrames = ["tree", "tree-ack", "tree-data", "tree-cancelled"]

    init(seed: UInt64, profile: String? = nil) {
        random = SeededRandom(seed: seed)
        let drawn = Dialects.all[Int(random.below(UInt64(Dialects.all.count)))].profile
        self.profile = profile ?? drawn
        clients = Array(["phone", "pad", "laptop", "tv"].prefix(2 + Int(random.below(3))))
    }

    /// The lines of a scenario, about `length` of them.
    mutating func lines(length: Int) -> [String] {
        var lines = clients.map { "client new \($0) --platform \(pick(Self.platforms))" }
        lines += policy()
        // Before anything else of the tree, or it is refused; what starts again begins without it.
        for client in clients where profile == "wilddog" && random.below(2) == 0 {
            lines.append("@\(client) sync persistence on")
        }
        for _ in 0..<length {
            lines.append(step())
            if random.below(2) == 0 { lines.append("wait \(duration())") }
        }
        return lines
    }

    /// The network is good again, and everything that can end does.
    var healing: [String] {
        clients.flatMap { ["@\($0) net clear", "@\($0) net up", "@\($0) go-online"] } + ["server up", "wait 900s"]
    }

    /// What is told without being asked gets lost, comes twice or late, on links that live on.
    mutating func later(length: Int) -> [String] {
        // The rest of the scenario is on these links; a user and a place that nobody has left is no scenario.
        var lines = clients.map { "@\($0) \(profile == "wilddog" ? "sync on a" : "login \(pick(users))")" }
        lines.append("wait 5s")
        if profile == "agora-rtm" { lines += clients.map { "@\($0) subscribe \(pick(users))" } }
        for _ in 0..<length {
            let client = "@\(pick(clients)) "
            switch random.below(8) {
            case 0...3:
                let told = Self.told[Int(random.below(UInt64(Self.told.count)))]
                let verb = pick(["drop", "drop", "drop", "hold", "duplicate"])
                lines.append("\(client)net \(verb) \(told.frame) --dir \(told.way) --count \(1 + random.below(2))")
            case 4: lines.append(client + (profile == "wilddog" ? treeCall() : pick(["logout", login()])))
            default: lines.append(client + call())
            }
            if random.below(2) == 0 { lines.append("wait \(pick(["10ms", "100ms", "1s"]))") }
        }
        return lines
    }

    private static let told: [(frame: String, way: String)] = [
        ("devices-changed", "in"), ("presence", "in"), ("message", "in"), ("operated", "in"),
        ("tree-data", "in"), ("tree-cancelled", "in"), ("message-ack", "out"), ("operated-ack", "out"),
        ("sync-phase", "in"), ("sync-ack", "out"),
        ("heartbeat-ack", "in"), ("resync", "out"), ("resync-ack", "in"),
    ]

    /// The faults are over, and two heartbeats later both sides agree: the links are the same, nobody logs in again.
    var ending: [String] {
        let policy = Dialects.all.first { $0.profile == profile }?.clientPolicy
        let quiet = (policy?.heartbeatInterval ?? .seconds(30)) * 2 + .seconds(1)
        return clients.flatMap { ["@\($0) net clear", "@\($0) go-online"] } + ["wait \(quiet.inMilliseconds)ms"]
    }

    private mutating func policy() -> [String] {
        let exclusions: [String]
        switch profile {
        case "nim": exclusions = ["mobile-desktop", "single", "unlimited", "none"]
        case "zim": exclusions = ["single", "dual", "multi"]
        case "agora-chat": exclusions = ["per-platform", "single"]
        default: return []
        }
        var lines = ["server policy exclusion=\(pick(exclusions))"]
        if random.below(3) == 0 { lines.append("server policy device-count-max=\(1 + random.below(3))") }
        if profile == "agora-chat" {
            lines.append("server policy taken-place=\(pick(["kick-current", "keep-current", "kicked"]))")
        }
        return lines
    }

    private mutating func step() -> String {
        let client = "@\(pick(clients)) "
        switch random.below(20) {
        case 0...4: return client + login()
        case 5: return client + pick(["logout", "logout --keep-push"])
        case 6...10: return client + network()
        case 11, 12: return client + process()
        case 13, 14: return server()
        default: return client + call()
        }
    }

    private mutating func login() -> String {
        let user = pick(users)
        switch random.below(6) {
        case 0: return "autologin \(user)"
        case 1: return "autologin \(user) --forced"
        case 2: return "login \(user) --offline"
        case 3: return "login \(user) --ttl \(pick(["20s", "45s", "2m"]))"
        default: return "login \(user)"
        }
    }

    private mutating func network() -> String {
        switch random.below(11) {
        case 0, 1: return "net down"
        case 2, 3: return "net up"
        case 4: return "net switch"
        case 5: return "net half-open"
        case 6: return "net reset"
        case 7: return "net delay \(pick(["50ms", "400ms", "3s"])) --jitter 100ms"
        case 8: return "net loss \(pick(["5", "20"]))%"
        case 9:
            let verb = pick(["drop", "hold", "duplicate"])
            return "net \(verb) \(frame()) --dir \(pick(["in", "out"])) --count \(1 + random.below(2))"
        default: return pick(["net release", "net clear"])
        }
    }

    private mutating func frame() -> String {
        if profile == "agora-rtm", random.below(2) == 0 { return pick(Self.channelFrames) }
        if profile == "wilddog", random.below(2) == 0 { return pick(Self.treeFrames) }
        return pick(Self.frames)
    }

    private mutating func process() -> String {
        switch random.below(7) {
        case 0: return "app kill"
        case 1, 2: return profile == "wilddog" && random.below(2) == 0 ? restart() : "app start"
        case 3: return "app background"
        case 4: return "app foreground"
        case 5: return "app sleep \(pick(["3s", "50s", "10m"]))"
        default: return "clock skew \(pick(["1h", "-1h", "0s", "40s"]))"
        }
    }

    /// Of the tree the first thing that is said of it.
    private mutating func restart() -> String {
        let client = pick(clients)
        return "app start\n@\(client) app start\n@\(client) sync persistence on"
    }

    private mutating func server() -> String {
        let user = pick(users)
        if profile == "wilddog", random.below(3) == 0 {
            let audiences = ["all", "all", "none"]
            return "server rules set \(pick(["a", "a/b", "x"])) --read \(pick(audiences)) --write \(pick(audiences))"
        }
        switch random.below(10) {
        case 0, 1, 2: return "server kick \(user)"
        case 3: return "server restart"
        case 4: return "server down"
        case 5, 6: return "server up"
        case 7: return "server account \(pick(["ban", "add", "delete"])) \(user)"
        case 8: return "server populate \(user) --groups 2 --messages 3 --roaming 1 --notifications 1"
        default: return "server devices \(user)"
        }
    }

    private mutating func text() -> String {
        textsMade += 1
        return "text-\(textsMade)"
    }

    /// What only one system has is drawn more often there, so that its scenarios are about it.
    private mutating func call() -> String {
        if profile == "agora-rtm", random.below(2) == 0 { return channelCall() }
        if profile == "wilddog", random.below(2) == 0 { return treeCall() }
        return anyCall()
    }

    private mutating func channelCall() -> String {
        let channel = pick(Self.channels)
        switch random.below(10) {
        case 0, 1, 2: return "join \(channel)"
        case 3, 4: return "leave \(channel)"
        case 5: return "send \(channel) \(text()) --channel"
        case 6: return "attributes mood=\(pick(["fine", "low", "high"]))"
        case 7: return "subscribe \(pick(users))"
        case 8: return "unsubscribe \(pick(users))"
        default: return "query \(pick(["channels", "members \(channel)", "attributes \(pick(users))"]))"
        }
    }

    private mutating func treeCall() -> String {
        let path = pick(["a", "a/b", "a/c", "a/b/d", "x/y"])
        switch random.below(18) {
        case 16: return "sync keep \(path) \(pick(["on", "on", "off"])) \(treeQuery())"
        case 17: return "sync persistence on"
        case 0, 1, 2: return "sync set \(path) \(random.below(100))"
        case 3: return "sync remove \(path)"
        case 4, 5: return "sync on \(path) \(treeQuery())"
        case 6: return "sync off \(path)"
        case 7: return "sync get \(path) \(treeQuery())"
        case 9: return "sync push \(path) \(random.below(10))"
        case 10: return "sync priority \(path) \(random.below(4))"
        case 11: return #"sync update a '{"b": \#(random.below(10)), "c/d": {"x": 1}}'"#
        case 12, 13: return "sync transaction \(path) 'value + 1'\(pick(["", " --hidden"]))"
        case 14: return #"sync transaction \#(path) 'if exists then abort else {"x": timestamp}'"#
        case 8: return "on-disconnect set \(path) gone"
        default: return pick(["go-offline", "go-online"])
        }
    }

    private mutating func treeQuery() -> String {
        pick(["", "", "", "--order-by value --last 2", "--order-by key --first 1", "--order-by child=x --from 2"])
    }

    private mutating func anyCall() -> String {
        let user = pick(users)
        switch random.below(16) {
        case 0, 1, 2: return "send \(user) \(text())"
        case 3: return "resend"
        case 4: return "kick \(pick(clients))"
        case 5: return "kick --other-devices"
        case 6: return "join \(pick(Self.channels))"
        case 7: return "leave \(pick(Self.channels))"
        case 8: return "send \(pick(Self.channels)) \(text()) --channel"
        case 9: return "renew-token"
        case 10: return "query \(pick(["state", "account", "devices", "items", "pending", "failed", "channels"]))"
        case 11: return "subscribe \(user)"
        case 12: return "act \(pick(["contact-remove", "group-create", "conversation-delete"])) x"
        case 13: return "sync set a/\(pick(["b", "c"])) \(random.below(100))"
        case 14: return pick(["sync on a", "sync off a", "sync get a/b", "on-disconnect set a/b gone"])
        default: return pick(["go-offline", "go-online", "kick --all --user \(user)"])
        }
    }

    private mutating func duration() -> String {
        pick(["10ms", "100ms", "1s", "1s", "3s", "5s", "8s", "15s", "33s", "40s", "100s"])
    }

    private mutating func pick(_ words: [String]) -> String { words[Int(random.below(UInt64(words.count)))] }
}
