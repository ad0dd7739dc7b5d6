import IMClient
import IMSession
import Recorder
import SansIO

/// The machines at a position.
extension ReplayCommands {
    static let states: [ReplayCommand] = [
        ReplayCommand(
            name: "state", group: .looking, usage: "[NODE] [--json]",
            summary: "What a node is like here: a summary, or all of it as JSON.",
            notes: "Without a NODE: the node of the current event.", examples: ["state", "state phone --json"],
            arguments: [.node], options: ["--json"],
            check: { line in _ = try line.optional() },
            run: { session, line in
                let node = try session.node(named: try line.optional())
                guard let machine = try session.state()[node] else {
                    throw CommandFailure("\(session.reader.name(of: node)) does not run at event \(session.position)")
                }
                if line.has("--json") {
                    session.output.line(String(decoding: try session.schema.encodeState(machine), as: UTF8.self))
                } else {
                    let time = try session.time()
                    let name = session.reader.name(of: node)
                    for text in StateSummary(machine, name: name, at: time).lines { session.output.line(text) }
                }
            }),
        ReplayCommand(
            name: "print", group: .looking, usage: "FIELD", summary: "The value of a field of a node's state.",
            notes:
                "A FIELD is a node and the names within its state, as TAB has them; those of 'state --json' are known too.",
            examples: ["print phone.state", "print phone.local.last-result", "print server.accounts.alice.epoch"],
            arguments: [.path],
            check: { line in _ = try line.one("a field") },
            run: { session, line in
                let path = try StatePath(try line.one("a field"), in: session)
                for text in try session.value(of: path).worded(path.lastName).lines() { session.output.line(text) }
            }),
        ReplayCommand(
            name: "diff", group: .looking, usage: "N M", summary: "What changed in the nodes between two events.",
            notes: "N and M are places, as of 'goto'; with one of them, from the position to there.",
            examples: ["diff 40 79", "diff -1"], arguments: [.place],
            check: { line in
                guard (1...2).contains(line.arguments.count) else { throw CommandFailure("two events are needed") }
                for text in line.arguments { _ = try ReplayPlace(text) }
            },
            run: { session, line in
                let numbers = try line.arguments.map { try ReplayPlace($0).resolve(in: session) }
                if numbers.count == 1 {
                    try session.printDifferences(min(numbers[0], session.position), max(numbers[0], session.position))
                } else {
                    try session.printDifferences(numbers[0], numbers[1])
                }
            }),
        ReplayCommand(
            name: "timers", group: .looking, usage: "[NODE]", summary: "The timers that run, and when they are due.",
            arguments: [.node],
            check: { line in _ = try line.optional() },
            run: { session, line in
                let chosen = try line.optional().map { try session.node(named: $0) }
                let time = try session.time()
                let state = try session.state()
                for node in chosen.map({ [$0] }) ?? state.running {
                    guard let machine = state[node] else { continue }
                    let name = session.reader.name(of: node)
                    let timers = StateSummary(machine, name: name, at: time).timers
                    if timers.isEmpty { session.output.line("\(name): none") }
                    for timer in timers { session.output.line("\(name): \(timer)") }
                }
            }),
        ReplayCommand(
            name: "links", group: .looking, summary: "The link of each client and the connections of the server.",
            run: { session, line in
                try line.takesNothing()
                let time = try session.time()
                let state = try session.state()
                for node in state.running {
                    guard let machine = state[node] else { continue }
                    let name = session.reader.name(of: node)
                    let links = StateSummary(machine, name: name, at: time).links
                    for link in links.isEmpty ? ["none"] : links { session.output.line("\(name): \(link)") }
                }
            }),
    ]
}

extension ReplaySession {
    func printDifferences(_ first: UInt64, _ second: UInt64) throws {
        let (old, new) = (try timeline.state(at: first), try timeline.state(at: second))
        var lines: [String] = []
        for node in nodes {
            let (before, after) = (old[node], new[node])
            // To compare machines is cheaper than to write them down.
            if before == after { continue }
            let name = reader.name(of: node)
            switch (before, after) {
            case (nil, nil): break
            case (nil, _?): lines.append("\(name): not running → running")
            case (_?, nil): lines.append("\(name): running → not running")
            case (let before?, let after?):
                lines += StateTree.differences(StateTree(before)?.worded(), StateTree(after)?.worded(), path: name)
            }
        }
        if lines.isEmpty { output.line("no difference between event \(first) and event \(second)") }
        for line in lines { output.line(line) }
    }
}

/// A machine in the few lines that a person looks at first.
struct StateSummary {
    private let machine: NodeMachine
    private let name: String
    private let now: Instant
    private let tree: StateTree

    init(_ machine: NodeMachine, name: String, at now: Instant) {
        self.machine = machine
        self.name = name
        self.now = now
        tree = StateTree(machine) ?? .object([])
    }

    var lines: [String] { machine.client.map { clientLines($0) } ?? serverLines }

    private func clientLines(_ client: ClientMachine) -> [String] {
        let local = tree["local"]
        var rows: [(String, String)] = [
            ("node", name), ("state", client.state.name), ("user", client.user ?? "nobody"),
            ("device", "\(client.device.id) \(client.device.platform.name)"),
            ("phase", tree["phase"]?.worded("phase").line ?? "-"), ("link", links.first ?? "none"),
            ("timers", timers.isEmpty ? "none" : timers.joined(separator: "; ")),
        ]
        for (label, field) in [
            ("channels", "channels"), ("requests", "requests"), ("outbox", "outbox"), ("failed", "failed"),
            ("devices", "otherDevices"), ("watched", "watched"),
        ] {
            guard let value = tree[field], !value.isLeaf else { continue }
            rows.append((label, value.worded(field).line))
        }
        let names = ["lastUser", "lastResult", "autologinAllowed", "lastEpoch"]
        let kept = names.compactMap { name in local?[name].map { "\(StateWords.kebab(name))=\($0.worded(name).line)" } }
        rows.append(("local", kept.joined(separator: " ")))
        return StateSummary.aligned(rows)
    }

    private var serverLines: [String] {
        var rows: [(String, String)] = [("node", name), ("state", "serving")]
        for account in tree["accounts"]?.names ?? [] where account != "count" {
            let devices = tree["accounts"]?[account]?["devices"]
            let shown = (devices?.names ?? []).filter { $0 != "count" }.map { device -> String in
                guard let login = devices?[device]?["login"] else { return "\(device) (not logged in)" }
                let way = login["connection"].map { "link \(StateSummary.number($0))" } ?? "away"
                return "\(device) (\(way), epoch \(login["epoch"].map(StateSummary.number) ?? "-"))"
            }
            rows.append(("account", ([account] + shown).joined(separator: "  ")))
        }
        for link in links { rows.append(("link", link)) }
        if let channels = tree["channels"], !channels.isLeaf {
            rows.append(("channels", channels.worded("channels").line))
        }
        rows.append(("timers", timers.isEmpty ? "none" : timers.joined(separator: "; ")))
        return StateSummary.aligned(rows)
    }

    /// `2, open`, or the server's connections with who is on them.
    var links: [String] {
        if machine.client != nil {
            guard let link = tree["link"] else { return [] }
            let isOpen = link["isOpen"] == .bare("true")
            return ["\(link["id"].map(StateSummary.number) ?? "?"), \(isOpen ? "open" : "being made")"]
        }
        guard let connections = tree["connections"] else { return [] }
        return connections.names.filter { $0 != "count" }.map { id in
            let heard = connections[id]?["lastHeard"].flatMap(StateSummary.instant)
            let heardText = heard.map { ", last heard +\($0.secondsText)" } ?? ""
            return "\(id), \(connections[id]?["stage"]?.worded("stage").line ?? "?")\(heardText)"
        }
    }

    /// `heartbeat at +30.060s (in 28.950s)`, next one first.
    var timers: [String] {
        guard case .list(let entries)? = tree["timers"]?["entries"] else { return [] }
        return entries.map { entry in
            let name = StateWords.kebab(entry["name"].map(StateSummary.timerName) ?? "?")
            guard let at = entry["at"].flatMap(StateSummary.instant) else { return name }
            return "\(name) at +\(at.secondsText) (in \((Instant.zero + (at - now)).secondsText))"
        }
    }

    private static func aligned(_ rows: [(String, String)]) -> [String] {
        rows.map { label, text in label + String(repeating: " ", count: max(1, 11 - label.count)) + text }
    }

    /// `heartbeat`, `overdue(1)`.
    static func timerName(_ tree: StateTree) -> String {
        guard case .object(let fields) = tree, let only = fields.first, fields.count == 1 else { return tree.line }
        if case .object(let values) = only.value {
            return values.isEmpty ? only.name : "\(only.name)(\(values.map(\.value.line).joined(separator: ", ")))"
        }
        return "\(only.name)(\(only.value.line))"
    }

    /// A number that may be wrapped: `3`, `{rawValue=3}`.
    static func number(_ tree: StateTree) -> String { tree["rawValue"]?.line ?? tree.line }

    static func instant(_ tree: StateTree) -> Instant? {
        let bare = tree["nanoseconds"] ?? tree
        guard case .bare(let text) = bare, let value = Int64(text) else { return nil }
        return Instant(nanoseconds: value)
    }
}
