import Foundation
import IMDebugger
import IMSession
import IMSimulation
import IMText
import SansIO

// `wait` and `expect`. No other command of a script lets time pass.

extension Shell {
    /// The time limit of an expectation without `within` in the live world, unless `set expect.timeout` changes it.
    static let liveTimeoutDefault = Interval.seconds(5)
    /// The real time by which time limits in the live world are extended, because sockets and a busy machine take time
    /// that is not part of the scenario.
    private static let liveGrace = Interval.seconds(2)

    /// The extension of a time limit in this world, in the time of the world: zero in the simulated world.
    var grace: Interval {
        world.isSimulated
            ? .zero : Interval(nanoseconds: Int64(Double(Self.liveGrace.nanoseconds) * plan.timeScale))
    }

    /// Makes all expectations match only events that occur after this call.
    package func skipPastEvents() throws {
        let log = log
        let (end, names) = try world.perform { core in (log.end, core.nodes.map(\.name)) }
        for name in names { cursors[name] = end }
        lastWaitCursor = end
    }

    package func wait(_ interval: Interval) throws {
        defer { markLogEnd() }
        let countdown = countdown(interval)
        defer { countdown?.stop() }
        _ = try letPass(interval) { _ in false }
    }

    /// Lets time pass until the condition holds. The user can interrupt the wait with ^C. In the live world, time
    /// passes in slices of 100 ms for this purpose; in the simulated world, the interruption is checked at each event.
    ///
    /// - Returns: true if the condition holds, false if the time has passed before.
    package func letPass(
        _ interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool
    ) throws -> Bool {
        guard isInteractive || isInterruptible else { return try world.advance(by: interval, until: satisfied) }
        if world.isSimulated {
            let (interruption, wasInterrupted) = (interruption, Interruption())
            let isSatisfied = try world.advance(by: interval) { core in
                if satisfied(core) { return true }
                guard interruption.take() else { return false }
                wasInterrupted.raise()
                return true
            }
            if wasInterrupted.take() { throw CommandFailure("interrupted") }
            return isSatisfied
        }
        let slice = Interval(nanoseconds: Int64(100_000_000 * plan.timeScale))
        var remaining = interval
        repeat {
            if interruption.take() { throw CommandFailure("interrupted") }
            if try world.advance(by: min(remaining, slice), until: satisfied) { return true }
            remaining = remaining - slice
        } while remaining > .zero
        return false
    }

    /// Shows the remaining real time of a wait in a live world.
    private func countdown(_ interval: Interval) -> (any Countdown)? {
        guard !world.isSimulated else { return nil }
        let nanoseconds = Double(interval.nanoseconds) / plan.timeScale
        // If the world's clock is slow, the real time of a long wait can exceed the range of `Interval`.
        return output.countdown(Interval(nanoseconds: Int64(min(nanoseconds, 9e18))))
    }

    /// Stores the current end of the log. The effects of the next commands come after it.
    func markLogEnd() {
        let log = log
        if let end = try? world.perform({ _ in log.end }) { lastWaitCursor = end }
    }

    /// A command that acted on the world, and the position in the log after which its effects come.
    struct LastCommand {
        var text: String
        var startCursor: EventLog.Cursor
    }

    /// Stores a command that is about to act on the world, and the end of the log before it.
    func noteCommand(_ statement: Statement, isForClient: Bool) {
        let isForServer = statement.words[0].literal == Self.serverCommand
        guard isForServer || isForClient, let node = isForServer ? "" : statement.client ?? currentClient else {
            return
        }
        let log = log
        guard let end = try? world.perform({ _ in log.end }) else { return }
        // In a script, commands without a `wait` or `expect` between them run at the same time, so they have the same
        // position.
        let startCursor = isInteractive || !world.isSimulated ? end : lastWaitCursor
        lastCommands[node] = LastCommand(text: Secrets.redacted(statement.source), startCursor: startCursor)
    }

    private static let serverCommand = "server"

    /// The newest command that acted on the client or on the server.
    private func newestCommand(for node: String) -> LastCommand? {
        [lastCommands[node], lastCommands[""]].compactMap { $0 }.max { $0.startCursor < $1.startCursor }
    }

    /// The newest command for the client or for the server, if it ran after a position in the log; otherwise nil.
    private func command(for node: String, after cursor: EventLog.Cursor) -> String? {
        newestCommand(for: node).flatMap { cursor < $0.startCursor ? $0.text : nil }
    }

    package func expect(_ clause: ExpectClause, client name: String?) throws {
        defer { markLogEnd() }
        expectationCount += 1
        if case .output = clause.pattern { return try expectOutput(clause) }
        let node = name == WorldCore.serverName ? WorldCore.serverName : try nodeName(ofClient: name)
        try requireKnown(clause)
        if clause.isNegative {
            try expectNone(clause, node: node)
        } else {
            try expectMatch(clause, node: node)
        }
    }

    /// The name of a client's node. If `name` is nil, it is the current client.
    private func nodeName(ofClient name: String?) throws -> String {
        let id = try client(name)
        return try world.perform { $0[id].name }
    }

    private func expectMatch(_ clause: ExpectClause, node: String) throws {
        let start = cursors[node] ?? .start
        // A test ignores events before its newest command, because the command cannot be the reason for them.
        let first = refusesOlderMatches ? max(start, newestCommand(for: node)?.startCursor ?? .start) : start
        let log = log
        let search = GroupSearch(
            try world.perform { _ in
                clause.parts.map { part in
                    Search(log, part, node: node, from: max(first, log.resultStart(of: part, node: node)))
                }
            })
        let limit = clause.within ?? settings.expectTimeout ?? (world.isSimulated ? .zero : Self.liveTimeoutDefault)
        guard try letPass(limit + grace, until: { search.succeeds(in: $0) }) else {
            let missing = try world.perform { _ in search.missing } ?? search.searches[0]
            throw CommandFailure(try explain(missing, node: node, from: start))
        }
        let results = try world.perform { _ in search.searches.map(\.result) }
        for (part, result) in zip(clause.parts, results) {
            guard let (event, cursor) = result else {
                try printStateMatch(part, node: node)
                continue
            }
            printMatch(event, of: part, after: cursor, node: node)
        }
        for (index, result) in results.enumerated() {
            guard let (event, cursor) = result else { continue }
            cursors[node] = max(cursor, cursors[node] ?? .start)
            let part = index == 0 ? clause : clause.others[index - 1]
            for (key, value) in part.captures(from: event) { variables[key] = value }
        }
    }

    /// The reason why a clause matched nothing, with the nearest observations.
    private func explain(_ search: Search, node: String, from start: EventLog.Cursor) throws -> String {
        let (log, clause) = (log, search.clause)
        let (nearest, older, end) = try world.perform { _ in
            var cursor = start
            let older = log.firstMatch(of: clause, node: node, from: &cursor)
            return (log.observations(of: node, from: max(start, search.start), asking: clause.filter), older, cursor)
        }
        let text = clause.explain(nearest: nearest)
        guard let older else { return text }
        let reason =
            refusesOlderMatches ? command(for: node, after: end).map(Self.happenedBefore) : nil
        return "\(text)\n\(older.label)  \(older.text)\n      "
            + (reason ?? "is the result of an earlier command or process")
    }

    private static func happenedBefore(_ command: String) -> String {
        "matches, but it happened before '\(command)'; expect it before that command"
    }

    private func requireKnown(_ clause: ExpectClause) throws {
        if let profileError = ProfileCheck(dialect: plan.dialect).profileError(in: clause) {
            throw CommandFailure(profileError.text)
        }
    }

    // MARK: Matches

    /// Prints the matched event. In a test it is never older than the newest command; elsewhere it can be, and then
    /// this is printed too.
    private func printMatch(
        _ event: ObservedEvent, of clause: ExpectClause, after cursor: EventLog.Cursor, node: String
    ) {
        let compared = clause.compared(in: event).joined(separator: " ")
        printMatch(
            "matched \(event.label)" + (compared.isEmpty ? "" : " \(compared)"),
            older: command(for: node, after: cursor))
    }

    private func printMatch(_ text: String, older command: String?) {
        let note = command.map { ": it happened before '\($0)'" } ?? ""
        output.line([.init(text, .dim), .init(note, .yellow)])
    }

    /// Prints the match of an expected state in which the client already was.
    private func printStateMatch(_ clause: ExpectClause, node: String) throws {
        let log = log
        let last = try world.perform { _ in
            log.lastTransition(of: node).map { ($0.number, $0.time) }
        }
        guard case .state(let name) = clause.pattern, let (number, time) = last else { return }
        let eventPosition = (number == 0 ? "" : "#\(number) ") + "+\(time.secondsText)"
        printMatch("matched \(eventPosition)", older: nil)
        output.line([.init("\(node) has been \(name) since then", .dim)])
    }

    /// A search for a match of a clause that is repeated while time passes. It checks each event once.
    ///
    /// `@unchecked Sendable`: only the world's thread uses it, as with the log.
    private final class Search: @unchecked Sendable {
        private let log: EventLog
        let clause: ExpectClause
        let start: EventLog.Cursor
        private let node: String
        private var cursor: EventLog.Cursor
        /// The matched event and the position after it; nil if there is no match yet.
        private(set) var result: (event: ObservedEvent, cursor: EventLog.Cursor)?

        init(_ log: EventLog, _ clause: ExpectClause, node: String, from cursor: EventLog.Cursor) {
            self.log = log
            self.clause = clause
            self.node = node
            self.cursor = cursor
            start = cursor
        }

        /// - Parameter otherMatches: the positions after the events that other searches matched. These events are not matched
        ///   again.
        func succeeds(without otherMatches: [EventLog.Cursor] = []) -> Bool {
            while result == nil, let event = log.firstMatch(of: clause, node: node, from: &cursor) {
                if !otherMatches.contains(cursor) { result = (event, cursor) }
            }
            return result != nil
        }

        func holdsNow(in core: WorldCore) -> Bool { Shell.holdsNow(clause, node: node, core) }
    }

    /// The searches for an expectation of several parts, joined by `and`. Each part must match a different event, in
    /// any order.
    ///
    /// `@unchecked Sendable`: only the world's thread uses it, as with the log.
    private final class GroupSearch: @unchecked Sendable {
        let searches: [Search]
        /// The searches in the order in which they run. If several match the same event, the search with the most
        /// fields gets it.
        private let prioritized: [Search]

        init(_ searches: [Search]) {
            self.searches = searches
            prioritized = searches.sorted { $0.clause.fields.count > $1.clause.fields.count }
        }

        func succeeds(in core: WorldCore) -> Bool {
            var succeeds = true
            for search in prioritized {
                let otherMatches = searches.compactMap { $0 === search ? nil : $0.result?.cursor }
                succeeds = search.succeeds(without: otherMatches) && succeeds
            }
            return succeeds || searches.allSatisfy { $0.result != nil || $0.holdsNow(in: core) }
        }

        /// The first search without a match; nil if all have one.
        var missing: Search? { searches.first { $0.result == nil } }
    }

    /// True if the clause expects a state and the client is in this state now. The transition to the state may be older
    /// than the last matched event.
    private static func holdsNow(_ clause: ExpectClause, node: String, _ core: WorldCore) -> Bool {
        guard case .state(let name) = clause.pattern, clause.fields.isEmpty, clause.captureName == nil,
            let id = core.node(named: node), let client = core[id].client
        else { return false }
        return client.state.name == name
    }

    private func expectNone(_ clause: ExpectClause, node: String) throws {
        let log = log
        // In a script, the immediate effects of the commands before this line count too, because no time has passed
        // since these commands.
        let start = isInteractive ? try world.perform { _ in log.end } : lastWaitCursor
        let search = Search(log, clause, node: node, from: start)
        let countdown = countdown(clause.duration ?? .zero)
        defer { countdown?.stop() }
        guard try letPass(clause.duration ?? .zero, until: { _ in search.succeeds() }) else { return }
        let match = try world.perform { _ in search.result?.event }
        throw CommandFailure(clause.explain(nearest: match.map { [$0] } ?? []))
    }

    /// Checks the lines that were printed after the last matched line. It does not wait, because only commands print
    /// lines.
    private func expectOutput(_ clause: ExpectClause) throws {
        let rest = printed.dropFirst(printedCursor)
        let found = rest.firstIndex { clause.matches(ObservedEvent(.output, $0)) }
        if clause.isNegative {
            guard let found else { return try wait(clause.duration ?? .zero) }
            throw CommandFailure(clause.explain(nearest: [ObservedEvent(.output, printed[found])]))
        }
        guard let found else {
            throw CommandFailure(clause.explain(nearest: rest.map { ObservedEvent(.output, $0) }))
        }
        printedCursor = found + 1
    }
}
