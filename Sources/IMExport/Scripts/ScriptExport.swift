import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import IMText
import SansIO

/// `--as script`: an `.imr` script that plays the recording's scenario again in the simulated world. Between two
/// commands the script waits or expects events, so that each command runs at its recorded time. It expects every
/// transition of each client.
package struct ScriptExport {
    private let decoded: DecodedSession
    private let words: CommandText
    /// Makes the texts of the expected callbacks; nil to expect none.
    private let formatter: EventFormatter?
    private var lines: [String] = []
    /// The time at which the next line of the script runs.
    private var now = Instant.zero
    /// True if the last line expects an event, so that other events of the same time may follow it.
    private var isWithinInstant = false
    /// The number of events, from the first one, that the lines written so far cause or expect.
    private var coveredCount = 0
    /// For each node, the index after the last expected event.
    private var cursors: [String: Int] = [:]
    /// For each node, the index of its newest command.
    private var newestCommands: [String: Int] = [:]
    /// True if the session was recorded over sockets. An event that took 3 ms over sockets may take 30 ms in virtual
    /// time, or the other way round. So each expectation gets additional time.
    private var isLive: Bool { decoded.header["world"] == WorldKind.live.rawValue }
    private static let liveSlack = Interval.seconds(5)

    /// - Parameter expectsCallbacks: true if the script also expects the app's callbacks.
    package init(_ session: ExportedSession, expectsCallbacks: Bool = false) throws {
        decoded = try DecodedSession(session.reader)
        formatter = expectsCallbacks ? EventFormatter(dialect: session.dialect) : nil
        if let rejectionReason = decoded.rejectionReason {
            throw ExportError(.impossible, "\(session.path) cannot be exported as a script: \(rejectionReason)")
        }
        let configuration = try WorldConfiguration(continuing: decoded.header)
        words = CommandText(decoded, credential: decoded.credentialTexts(configuration))
    }

    /// The lines of the script, with waits and expectations.
    package mutating func script() -> [String] {
        lines = head
        let causes = Dictionary(decoded.causes().map { ($0.number, $0) }) { one, _ in one }
        for index in decoded.events.indices {
            let event = decoded.events[index]
            if case .effect(let effect) = event.content {
                if case .transition = effect { expect(index) }
                if let callback = formatter?.callback(for: effect) { expect(index, Clause(callback)) }
            } else if let cause = causes[event.number] {
                advance(to: index, causes)
                // A client that tried to connect while the server was down had no event that the script can expect.
                // `wait 0s` lets that attempt fail before the server starts.
                if isWithinInstant, !isLive, case .serverProcess(.up) = cause.action,
                    !hasLaterInput(after: index, causes), !connectionsHaveOutcome(before: index)
                {
                    lines.append("wait 0s")
                }
                lines.append((fails(index) ? "!" : "") + words.line(of: cause))
                coveredCount = decoded.batchEnd(after: event.number)
                newestCommands[event.node] = index
            }
        }
        advance(to: decoded.events.count, causes)
        return lines
    }

    /// The commands and waits of the scenario, without expectations.
    package mutating func commands() -> [String] {
        lines = head
        for cause in decoded.causes() {
            if cause.time > now { wait(until: cause.time) }
            lines.append((fails(Int(cause.number) - 1) ? "!" : "") + words.line(of: cause))
        }
        if decoded.end > now { wait(until: decoded.end) }
        return lines
    }

    private var head: [String] {
        var head = ["#! imrepl script \(Script.version)"]
        let title = VisibleText.of(decoded.header.title)
        if !title.isEmpty { head.append("# title: \(title)") }
        head += [
            "# profile: \(VisibleText.of(decoded.header.profile))", "# world: simulated",
            "# because: it is the script of a recording, and contains its times",
        ]
        if let seed = decoded.header["seed"].flatMap({ UInt64($0) }) { head.append("# seed: \(seed)") }
        if let order = decoded.header["order"].flatMap(DueOrder.init) { head.append("# order: \(order.rawValue)") }
        if let scale = decoded.header["time-scale"].flatMap(TimeScale.factor), scale != 1 {
            head.append("# time-scale: \(scale)")
        }
        if words.isStrict { head.append("# strict: true") }
        return head + [""]
    }

    // MARK: Time

    /// Adds a line that lets time pass until the next command or fault, at an index. If inputs of the same time precede
    /// the command, the line expects the last of them, because a wait would also run the inputs of that time that
    /// follow the command.
    private mutating func advance(to index: Int, _ causes: [UInt64: ForkCause]) {
        let time = index < decoded.events.count ? decoded.events[index].time : decoded.end
        guard !isLive, let input = lastInput(before: index, at: time) else {
            if time > now { wait(until: time) }
            return
        }
        let batch = input..<decoded.batchEnd(after: decoded.events[input].number)
        // If no input of the same time follows, a wait is sufficient. Then the script contains no expectation that the
        // script runner would refuse.
        let allowsOlder =
            index < decoded.events.count
            && (hasLaterInput(after: index, causes) || connectionsHaveOutcome(before: index))
        if !batch.reversed().contains(where: { (allowsOlder || !matchesOlder($0)) && expect($0) }) { wait(until: time) }
    }

    /// True if the expectation of an event would first match an event before the newest command for its client or for
    /// the server. The script runner refuses such an expectation (`expect it before that command`).
    private func matchesOlder(_ index: Int) -> Bool {
        let node = decoded.events[index].node
        let command = max(newestCommands[node] ?? 0, newestCommands[WorldCore.serverName] ?? 0)
        let start = cursors[node] ?? 0
        guard start < command, let clause = Clause(decoded.events[index]) else { return false }
        return (start..<command).contains { other in
            decoded.events[other].node == node && observations(of: other).contains(where: clause.matches)
        }
    }

    /// True if an input follows at the time of the event at an index, and no command or fault causes that input.
    private func hasLaterInput(after index: Int, _ causes: [UInt64: ForkCause]) -> Bool {
        decoded.events.indices[(index + 1)...].prefix { decoded.events[$0].time == decoded.events[index].time }
            .contains { other in
                guard case .input = decoded.events[other].content else { return false }
                return causes[decoded.events[other].number] == nil && !decoded.isConsequence(other)
            }
    }

    /// True if clients requested connections at the time of the event at an index, before that event. Each of the
    /// connections was later opened, or failed, or was closed at that time. Then the server was running when they were
    /// requested.
    private func connectionsHaveOutcome(before index: Int) -> Bool {
        let time = decoded.events[index].time
        let requested = decoded.events[..<index].reversed().prefix { $0.time == time }.compactMap { event in
            if case .effect(.connect(let id)) = event.content { (node: event.node, id: id) } else { nil }
        }
        return !requested.isEmpty
            && requested.allSatisfy { connection in
                decoded.events[index...].contains { event in
                    guard event.node == connection.node else { return false }
                    return switch event.content {
                    case .input(.linkOpened(let id)), .input(.linkFailed(let id, _)): id == connection.id
                    case .effect(.closeLink(let id)): id == connection.id && event.time == time
                    default: false
                    }
                }
            }
    }

    private mutating func wait(until time: Instant) {
        lines.append("wait \((time - now).text)")
        now = time
        isWithinInstant = false
    }

    /// The index of the last input at a time, before an index and after the events of the last line, that no command or
    /// fault causes.
    private func lastInput(before index: Int, at time: Instant) -> Int? {
        var earlier = index - 1
        while earlier >= coveredCount, decoded.events[earlier].time == time {
            switch decoded.events[earlier].content {
            // The store answers at once, so that no time passes.
            case .input(.data): break
            case .input where !decoded.isConsequence(earlier): return earlier
            default: break
            }
            earlier -= 1
        }
        return nil
    }

    // MARK: Expectations

    /// Adds a line that expects an event.
    ///
    /// - Returns: false for an event that no expectation can match.
    @discardableResult
    private mutating func expect(_ index: Int) -> Bool {
        guard index >= cursors[decoded.events[index].node] ?? 0, let clause = Clause(decoded.events[index]) else {
            return false
        }
        return expect(index, clause)
    }

    /// Adds a line that expects the event by a given clause. Several lines are added if earlier events match the
    /// clause, too.
    @discardableResult
    private mutating func expect(_ index: Int, _ clause: Clause) -> Bool {
        let event = decoded.events[index]
        guard event.node != WorldCore.serverName else { return false }
        let start = min(cursors[event.node] ?? 0, index)
        // The indices of earlier events that match the clause. Each needs a line of its own, because a line matches one
        // event.
        let same = (start..<index).filter { other in
            decoded.events[other].node == event.node && observations(of: other).contains(where: clause.matches)
        }
        guard same.count <= Self.sameMax else { return false }
        let line = "@\(words.names[event.node]) expect \(clause.text)"
        for time in same.map({ decoded.events[$0].time }) + [event.time] {
            let limit = limit(until: time)
            lines.append(limit > .zero ? "\(line) within \(limit.text)" : line)
            now = max(now, time)
        }
        isWithinInstant = true
        coveredCount = max(coveredCount, decoded.batchEnd(after: event.number))
        cursors[event.node] = index + 1
        return true
    }

    /// The clauses of all expectations that an event matches.
    private func observations(of index: Int) -> [Clause] {
        let event = decoded.events[index]
        guard case .effect(let effect) = event.content, let callback = formatter?.callback(for: effect) else {
            return Clause(event).map { [$0] } ?? []
        }
        return (Clause(event).map { [$0] } ?? []) + [Clause(callback)]
    }

    /// The time limit of an expectation for an event at a given time.
    private func limit(until time: Instant) -> Interval {
        let exact = max(time - now, .zero)
        guard isLive else { return exact }
        return .seconds(exact.inMilliseconds / 1000) + Self.liveSlack
    }

    /// The maximum number of lines that expect earlier events before the right one.
    private static let sameMax = 10

    /// The condition in a line that expects an event.
    private struct Clause {
        private let words: String
        private let fields: [AnswerField]

        var text: String {
            ([words] + fields.map { "\($0.name)=\($0.value.quotedIfNeeded)" }).joined(separator: " ")
        }

        init(_ callback: Callback) {
            words = "callback \(callback.name.quotedIfNeeded)"
            // A value that the parser would read as another comparison is not expected.
            fields = callback.fields.filter { KeyValue("\($0.name)=\($0.value)")?.comparison == .equal }
        }

        init?(_ event: SessionEvent) {
            switch event.content {
            case .effect(.transition(let change)):
                words = "state \(change.to.name)"
                fields = [
                    AnswerField(name: "from", value: change.from.name),
                    AnswerField(name: "reason", value: change.reason.name),
                ]
            case .input(.frame(_, let frame)):
                words = "frame in \(frame.body.name)"
                fields = Self.plain(frame)
            case .effect(.send(_, let frame)):
                words = "frame out \(frame.body.name)"
                fields = Self.plain(frame)
            default: return nil
            }
        }

        /// The fields of a frame that can be compared without quotes, and whose names are unambiguous.
        private static func plain(_ frame: Frame) -> [AnswerField] {
            let names = ["request", "status", "user", "reason", "epoch", "id", "channel", "change", "phase", "ids"]
            return frame.facts.filter { field in
                names.contains(field.name) && !field.value.isEmpty
                    && field.value.utf8.allSatisfy { $0 < 128 && ($0 > 64 || (48...57).contains($0) || $0 == 45) }
                    && field.value.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
            }
        }

        func matches(_ other: Clause) -> Bool {
            other.words == words && fields.allSatisfy { other.fields.contains($0) }
        }
    }

    /// True if a command was refused at once. The script ends at such a line, unless the line begins with `!`.
    private func fails(_ index: Int) -> Bool {
        let number: CommandID
        switch decoded.events[index].content {
        case .input(.clientCommand(let id, _)), .input(.serverCommand(let id, _)): number = id
        default: return false
        }
        for event in decoded.events[(index + 1)...] {
            // The store answers at once, so that its answer can precede the result of the command.
            if case .input(.data) = event.content { continue }
            guard case .effect(let effect) = event.content else { return false }
            guard case .complete(let id, let completion) = effect, id == number else { continue }
            return completion.status != .ok && completion.status != .stored
        }
        return false
    }
}
