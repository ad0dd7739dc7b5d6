import Foundation
import IMDebugger
import IMSession
import IMSimulation
import IMText
import SansIO

// Time and expectations. These two alone let time pass.

extension Shell {
    /// What an expectation without `within` waits for in the live world, unless `set expect.timeout` says otherwise.
    static let liveTimeoutDefault = Interval.seconds(5)
    /// What is waited for beyond `within` in the live world, in real time: there, sockets and a busy machine take time
    /// of their own, which is not the scenario's.
    static let liveGrace = Interval.seconds(2)

    /// Expectations and the screen begin with what is new.
    package func forgetThePast() throws {
        let log = log
        let (end, names) = try world.perform { core in (log.end, core.nodes.map(\.name)) }
        for name in names { cursors[name] = end }
        standingSince = end
    }

    package func wait(_ interval: Interval) throws {
        defer { noteStand() }
        let countdown = countdown(interval)
        defer { countdown?.stop() }
        _ = try letPass(interval) { _ in false }
    }

    /// Lets time pass until the condition holds. A person can interrupt it with ^C: live time passes in slices, and
    /// virtual time stops at the next event, because a long wait has many.
    ///
    /// - Returns: false when the time is over.
    package func letPass(
        _ interval: Interval, until satisfied: @escaping @Sendable (WorldCore) -> Bool
    ) throws -> Bool {
        guard isInteractive || isInterruptible else { return try world.advance(by: interval, until: satisfied) }
        if world.isSimulated {
            let (interruption, stopped) = (interruption, Interruption())
            let isSatisfied = try world.advance(by: interval) { core in
                if satisfied(core) { return true }
                guard interruption.take() else { return false }
                stopped.raise()
                return true
            }
            if stopped.take() { throw CommandFailure("interrupted") }
            return isSatisfied
        }
        let slice = Interval(nanoseconds: Int64(100_000_000 * plan.timeScale))
        var left = interval
        repeat {
            if interruption.take() { throw CommandFailure("interrupted") }
            if try world.advance(by: min(left, slice), until: satisfied) { return true }
            left = left - slice
        } while left > .zero
        return false
    }

    /// What shows a person how long it takes where time is real.
    private func countdown(_ interval: Interval) -> (any Countdown)? {
        guard !world.isSimulated else { return nil }
        let nanoseconds = Double(interval.nanoseconds) / plan.timeScale
        // A slow clock makes a long wait longer than an interval can be.
        return output.countdown(Interval(nanoseconds: Int64(min(nanoseconds, 9e18))))
    }

    /// Notes what has happened before the next commands.
    func noteStand() {
        let log = log
        if let end = try? world.perform({ _ in log.end }) { standingSince = end }
    }

    /// A command that did something, and how far the log had got before its moment.
    struct LastCommand {
        var text: String
        var stand: EventLog.Cursor
    }

    /// Notes where the log stands before a command that does something.
    func noteCommand(_ statement: Statement, isForClient: Bool) {
        let isForServer = statement.words[0].literal == Self.serverCommand
        guard isForServer || isForClient, let node = isForServer ? "" : statement.client ?? currentClient else {
            return
        }
        let log = log
        guard let end = try? world.perform({ _ in log.end }) else { return }
        // In a script, commands between which no time passes are given at the same moment.
        let stand = isInteractive || !world.isSimulated ? end : standingSince
        lastCommands[node] = LastCommand(text: Secrets.redacted(statement.source), stand: stand)
    }

    private static let serverCommand = "server"

    /// The newest command for a client or for the server that was given after the place in the log.
    private func command(for node: String, after cursor: EventLog.Cursor) -> String? {
        [lastCommands[node], lastCommands[""]].compactMap { $0 }.filter { cursor < $0.stand }
            .max { $0.stand < $1.stand }?.text
    }

    package func expect(_ clause: ExpectClause, client name: String?) throws {
        defer { noteStand() }
        expectationCount += 1
        if case .output = clause.pattern { return try expectOutput(clause) }
        let node = name == WorldCore.serverName ? WorldCore.serverName : try nodeName(name)
        try requireKnown(clause)
        if clause.isNegative {
            try expectNone(clause, node: node)
        } else {
            try expectMatch(clause, node: node)
        }
    }

    private func nodeName(_ name: String?) throws -> String {
        let id = try client(name)
        return try world.perform { $0[id].name }
    }

    private func expectMatch(_ clause: ExpectClause, node: String) throws {
        let start = cursors[node] ?? .start
        let log = log
        let search = GroupSearch(
            try world.perform { _ in
                clause.parts.map { part in
                    Search(log, part, node: node, from: max(start, log.resultStart(of: part, node: node)))
                }
            })
        let limit = clause.within ?? settings.expectTimeout ?? (world.isSimulated ? .zero : Self.liveTimeoutDefault)
        let grace =
            world.isSimulated
            ? .zero : Interval(nanoseconds: Int64(Double(Self.liveGrace.nanoseconds) * plan.timeScale))
        guard try letPass(limit + grace, until: { search.succeeds(in: $0) }) else {
            let missing = try world.perform { _ in search.missing } ?? search.searches[0]
            throw CommandFailure(try explain(missing, node: node, from: start))
        }
        let results = try world.perform { _ in search.searches.map(\.result) }
        for (part, result) in zip(clause.parts, results) {
            guard let (event, cursor) = result else {
                try sayStanding(part, node: node)
                continue
            }
            try sayMatch(event, of: part, behind: cursor, node: node)
        }
        for (index, result) in results.enumerated() {
            guard let (event, cursor) = result else { continue }
            cursors[node] = max(cursor, cursors[node] ?? .start)
            let part = index == 0 ? clause : clause.others[index - 1]
            for (key, value) in part.captures(from: event) { variables[key] = value }
        }
    }

    /// Why nothing matched, and what came nearest.
    private func explain(_ search: Search, node: String, from start: EventLog.Cursor) throws -> String {
        let (log, clause) = (log, search.clause)
        let (seen, older) = try world.perform { _ in
            var cursor = start
            let older = log.firstMatch(of: clause, node: node, from: &cursor)
            return (log.observations(of: node, from: max(start, search.start), asking: clause.filter), older)
        }
        let text = clause.explain(nearest: seen)
        guard let older else { return text }
        return "\(text)\n\(older.label)  \(older.text)\n      is the result of an earlier command or process"
    }

    private func requireKnown(_ clause: ExpectClause) throws {
        if let objection = ProfileCheck(dialect: plan.dialect).objection(to: clause) {
            throw CommandFailure(objection.text)
        }
    }

    // MARK: What was matched

    /// Says which event it was: an expectation that is met by something of long ago may be met for the wrong reason.
    ///
    /// - Throws: ``CommandFailure`` for such a one, in a test.
    private func sayMatch(
        _ event: ObservedEvent, of clause: ExpectClause, behind cursor: EventLog.Cursor, node: String
    ) throws {
        let command = command(for: node, after: cursor)
        if let command, refusesOlderMatches {
            throw CommandFailure(
                "expected: \(clause.text)\n\(event.label)  \(event.text)\n      matches, but it happened before "
                    + "'\(command)'; expect it before that command")
        }
        let compared = clause.compared(in: event).joined(separator: " ")
        sayMatch("matched \(event.label)" + (compared.isEmpty ? "" : " \(compared)"), older: command)
    }

    private func sayMatch(_ text: String, older command: String?) {
        let note = command.map { ": it happened before '\($0)'" } ?? ""
        output.line([.init(text, .dim), .init(note, .yellow)])
    }

    /// Of a state that was reached before the last expectation.
    private func sayStanding(_ clause: ExpectClause, node: String) throws {
        let log = log
        let last = try world.perform { _ in
            log.lastTransition(of: node).map { ($0.number, $0.time) }
        }
        guard case .state(let name) = clause.pattern, let (number, time) = last else { return }
        let place = (number == 0 ? "" : "#\(number) ") + "+\(time.secondsText)"
        sayMatch("matched \(place)", older: nil)
        output.line([.init("\(node) has been \(name) since then, and an expectation has seen that already", .dim)])
    }

    /// Looks for what a clause asks for, again and again while time passes, and at each event once.
    ///
    /// `@unchecked Sendable`: used on the world's thread only, like the log.
    private final class Search: @unchecked Sendable {
        private let log: EventLog
        let clause: ExpectClause
        let start: EventLog.Cursor
        private let node: String
        private var cursor: EventLog.Cursor
        /// What was found, and the place behind it.
        private(set) var result: (event: ObservedEvent, cursor: EventLog.Cursor)?

        init(_ log: EventLog, _ clause: ExpectClause, node: String, from cursor: EventLog.Cursor) {
            self.log = log
            self.clause = clause
            self.node = node
            self.cursor = cursor
            start = cursor
        }

        /// - Parameter taken: behind the events that other searches have found.
        func succeeds(without taken: [EventLog.Cursor] = []) -> Bool {
            while result == nil, let event = log.firstMatch(of: clause, node: node, from: &cursor) {
                if !taken.contains(cursor) { result = (event, cursor) }
            }
            return result != nil
        }

        func holdsNow(in core: WorldCore) -> Bool { Shell.holdsNow(clause, node: node, core) }
    }

    /// Looks for several events, each of its own, that may come in any order.
    ///
    /// `@unchecked Sendable`: used on the world's thread only, like the log.
    private final class GroupSearch: @unchecked Sendable {
        let searches: [Search]
        /// An event goes to the search that asks for most of it.
        private let ordered: [Search]

        init(_ searches: [Search]) {
            self.searches = searches
            ordered = searches.sorted { $0.clause.fields.count > $1.clause.fields.count }
        }

        func succeeds(in core: WorldCore) -> Bool {
            var succeeds = true
            for search in ordered {
                let taken = searches.compactMap { $0 === search ? nil : $0.result?.cursor }
                succeeds = search.succeeds(without: taken) && succeeds
            }
            return succeeds || searches.allSatisfy { $0.result != nil || $0.holdsNow(in: core) }
        }

        /// The first that has found nothing.
        var missing: Search? { searches.first { $0.result == nil } }
    }

    /// A state that was reached before the last expectation still holds when nothing has changed since.
    private static func holdsNow(_ clause: ExpectClause, node: String, _ core: WorldCore) -> Bool {
        guard case .state(let name) = clause.pattern, clause.fields.isEmpty, clause.captureName == nil,
            let id = core.node(named: node), let client = core[id].client
        else { return false }
        return client.state.name == name
    }

    private func expectNone(_ clause: ExpectClause, node: String) throws {
        let log = log
        // In a script, what the commands before it have caused at once counts too: time has not moved since.
        let start = isInteractive ? try world.perform { _ in log.end } : standingSince
        let search = Search(log, clause, node: node, from: start)
        let countdown = countdown(clause.duration ?? .zero)
        defer { countdown?.stop() }
        guard try letPass(clause.duration ?? .zero, until: { _ in search.succeeds() }) else { return }
        let seen = try world.perform { _ in search.result?.event }
        throw CommandFailure(clause.explain(nearest: seen.map { [$0] } ?? []))
    }

    /// Looks at what was printed since the line found last. Only commands print, so nothing is waited for.
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
