import IMClient
import IMDebugger
import IMSession
import IMShell
import Recorder
import SansIO

/// The commands that show the states of the nodes at the position.
extension ReplayCommands {
    static let states: [ReplayCommand] = [
        ReplayCommand(
            name: "state", group: .looking, usage: "[NODE] [--json]",
            summary: "Show the state of a node: a summary, or the whole state as JSON.",
            notes: "The default NODE is that of the current event.", examples: ["state", "state phone --json"],
            arguments: [.node], options: ["--json"],
            check: { line in _ = try line.optionalArgument() },
            run: { session, line in
                let node = try session.node(named: try line.optionalArgument())
                guard let machine = try session.state()[node] else {
                    throw CommandFailure("\(session.reader.name(of: node)) is not running at event \(session.position)")
                }
                if session.output.form == .json {
                    try session.printStateObject(machine, of: node, isWhole: line.has("--json"))
                } else if line.has("--json") {
                    session.output.line(String(decoding: try session.debug.schema.encodeState(machine), as: UTF8.self))
                } else {
                    let time = try session.time()
                    let name = session.reader.name(of: node)
                    for text in StateSummary(machine, name: name, at: time).lines { session.output.line(text) }
                }
            }),
        ReplayCommand(
            name: "print", group: .looking, usage: "FIELD", summary: "Print a field of a node's state.",
            notes:
                "A FIELD is a node and names within its state. TAB completes them; the names of 'state --json' also "
                + "work.",
            examples: ["print phone.state", "print phone.local.last-result", "print server.accounts.alice.epoch"],
            arguments: [.path],
            check: { line in _ = try line.requiredArgument("a field") },
            run: { session, line in
                let path = try StatePath(try line.requiredArgument("a field"), in: session.debug)
                let value = try session.debug.value(of: path, in: try session.state())
                for text in value.displayed(path.lastName).lines() { session.output.line(text) }
            }),
        ReplayCommand(
            name: "diff", group: .looking, usage: "N M",
            summary: "Show the changes of the nodes' states between two events.",
            notes: "N and M are positions, as for 'goto'; with only one, it compares from the current position.",
            examples: ["diff 40 79", "diff -1"], arguments: [.position],
            check: { line in
                guard (1...2).contains(line.arguments.count) else { throw CommandFailure("two events are needed") }
                for text in line.arguments { _ = try ReplayPosition(text) }
            },
            run: { session, line in
                let numbers = try line.arguments.map { try ReplayPosition($0).resolve(in: session.debug) }
                if numbers.count == 1 {
                    try session.printDifferences(min(numbers[0], session.position), max(numbers[0], session.position))
                } else {
                    try session.printDifferences(numbers[0], numbers[1])
                }
            }),
        ReplayCommand(
            name: "timers", group: .looking, usage: "[NODE]", summary: "List the running timers and their due times.",
            arguments: [.node],
            check: { line in _ = try line.optionalArgument() },
            run: { session, line in
                let chosen = try line.optionalArgument().map { try session.node(named: $0) }
                let time = try session.time()
                let state = try session.state()
                for node in chosen.map({ [$0] }) ?? state.running {
                    guard let machine = state[node] else { continue }
                    let name = session.reader.name(of: node)
                    let timers = machine.runningTimers(at: time)
                    if timers.isEmpty { session.output.line("\(name): none") }
                    for timer in timers { session.output.line("\(name): \(timer.text)") }
                }
            }),
        ReplayCommand(
            name: "links", group: .looking, summary: "List the links of the clients and the connections of the server.",
            run: { session, _ in
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
    /// - Parameter isWhole: true to include the whole state, and not only the summary.
    fileprivate func printStateObject(_ machine: NodeMachine, of node: NodeIndex, isWhole: Bool) throws {
        let now = try time()
        let summary = StateSummary(machine, name: reader.name(of: node), at: now)
        var object = AnswerObject(.state)
        object.add("n", number: position)
        object.add("t", number: now.nanoseconds)
        object.add("node", reader.name(of: node))
        object.add("state", machine.client?.state.name ?? "serving")
        object.add("user", machine.client?.user)
        object.add("device", machine.client?.device.id)
        object.add("platform", machine.client?.device.platform.name)
        object.add("timers", objects: machine.runningTimers(at: now).map(\.object))
        object.add("fields", json: summary.fields.json)
        if isWhole {
            object.add("machine", json: String(decoding: try debug.schema.encodeState(machine), as: UTF8.self))
        }
        output.object(object)
    }

    func printDifferences(_ first: UInt64, _ second: UInt64) throws {
        let lines = try debug.differences(first, second)
        if lines.isEmpty { output.line("no difference between event \(first) and event \(second)") }
        for line in lines { output.line(line) }
    }
}
