import IMClient
import IMProtocol
import IMSession
import SansIO

/// A summary of a machine's state in a few lines, for people.
package struct StateSummary {
    /// The fields of a client's local data that the summary contains.
    private static let localFields = ["lastUser", "lastResult", "autologinAllowed", "lastEpoch"]

    private let machine: NodeMachine
    private let name: String
    private let now: Instant
    private let tree: StateTree

    package init(_ machine: NodeMachine, name: String, at now: Instant) {
        self.machine = machine
        self.name = name
        self.now = now
        tree = StateTree(machine) ?? .object([])
    }

    package var lines: [String] { machine.client.map { clientLines($0) } ?? serverLines }

    private func clientLines(_ client: ClientMachine) -> [String] {
        let local = tree["local"]
        var rows: [(String, String)] = [
            ("node", name), ("state", client.state.name), ("user", client.user ?? "nobody"),
            ("device", "\(client.device.id) \(client.device.platform.name)"),
            ("phase", tree["phase"]?.displayed("phase").line ?? "-"), ("link", links.first ?? "none"),
            ("timers", timers),
        ]
        for (label, field) in [
            ("channels", "channels"), ("requests", "requests"), ("outbox", "outbox"), ("failed", "failed"),
            ("devices", "otherDevices"), ("watched", "watched"),
        ] {
            guard let value = tree[field], !value.isLeaf else { continue }
            rows.append((label, value.displayed(field).line))
        }
        let values = Self.localFields.compactMap { name in
            local?[name].map { "\(StateText.kebab(name))=\($0.displayed(name).line)" }
        }
        rows.append(("local", values.joined(separator: " ")))
        return StateSummary.aligned(rows)
    }

    private var serverLines: [String] {
        var rows: [(String, String)] = [("node", name), ("state", "serving")]
        for account in tree["accounts"]?.names ?? [] where account != "count" {
            let devices = tree["accounts"]?[account]?["devices"]
            let shown = (devices?.names ?? []).filter { $0 != "count" }.map { device -> String in
                guard let login = devices?[device]?["login"] else { return "\(device) (not logged in)" }
                let link = login["connection"].map { "link \(StateSummary.numberText($0))" } ?? "away"
                return "\(device) (\(link), epoch \(login["epoch"].map(StateSummary.numberText) ?? "-"))"
            }
            rows.append(("account", ([account] + shown).joined(separator: "  ")))
        }
        for link in links { rows.append(("link", link)) }
        if let channels = tree["channels"], !channels.isLeaf {
            rows.append(("channels", channels.displayed("channels").line))
        }
        rows.append(("timers", timers))
        return StateSummary.aligned(rows)
    }

    /// The fields of the summary as a tree, for programs.
    package var fields: StateTree {
        let names =
            machine.client != nil
            ? ["phase", "link", "channels", "requests", "outbox", "failed", "otherDevices", "watched"]
            : ["accounts", "connections", "channels"]
        var fields = names.compactMap { name in tree[name].map { StateTree.Field(name: name, value: $0) } }
        if let local = tree["local"] {
            let values = Self.localFields.compactMap { name in
                local[name].map { StateTree.Field(name: name, value: $0) }
            }
            fields.append(StateTree.Field(name: "local", value: .object(values)))
        }
        return StateTree.object(fields).displayedForPrograms
    }

    /// One line for each link: `2, open` for a client; the connections with their stages for a server.
    package var links: [String] {
        if machine.client != nil {
            guard let link = tree["link"] else { return [] }
            let isOpen = link["isOpen"] == .bare("true")
            return ["\(link["id"].map(StateSummary.numberText) ?? "?"), \(isOpen ? "open" : "being opened")"]
        }
        guard let connections = tree["connections"] else { return [] }
        return connections.names.filter { $0 != "count" }.map { id in
            let lastReceived = connections[id]?["lastHeard"].flatMap(StateSummary.instant)
            let lastReceivedText = lastReceived.map { ", last received +\($0.secondsText)" } ?? ""
            return "\(id), \(connections[id]?["stage"]?.displayed("stage").line ?? "?")\(lastReceivedText)"
        }
    }

    private var timers: String {
        let timers = machine.runningTimers(at: now)
        return timers.isEmpty ? "none" : timers.map(\.text).joined(separator: "; ")
    }

    private static func aligned(_ rows: [(String, String)]) -> [String] {
        rows.map { label, text in label + String(repeating: " ", count: max(1, 11 - label.count)) + text }
    }

    /// The text of a number, which the tree stores as `3` or as `{rawValue=3}`.
    private static func numberText(_ tree: StateTree) -> String { tree["rawValue"]?.line ?? tree.line }

    private static func instant(_ tree: StateTree) -> Instant? {
        let bare = tree["nanoseconds"] ?? tree
        guard case .bare(let text) = bare, let value = Int64(text) else { return nil }
        return Instant(nanoseconds: value)
    }
}
