import IMDebugger
import IMProfiles
import IMProtocol
import IMSession
import IMSimulation
import IMText
import SansIO

/// `--as script`: an `.imr` that plays the recording's scenario again in the simulated world. It waits and expects where
/// time passed, so that each command comes where it came, and every state that a client went through is expected.
package struct ScriptExport {
    private let decoded: DecodedSession
    private let words: ScriptWords
    /// Puts callbacks into words; nil where none are expected.
    private let formatter: EventFormatter?
    private var lines: [String] = []
    /// How far the script's clock has got.
    private var now = Instant.zero
    /// Whether others of that moment may still be to come, since the last line waits for one of its events only.
    private var isWithinMoment = false
    /// How many events the lines have brought about.
    private var told = 0
    /// Where each node's expectations have got to: the place behind the event found last.
    private var cursors: [String: Int] = [:]
    /// The place of each node's newest command.
    private var commanded: [String: Int] = [:]
    /// Whether it was recorded over sockets. What took them three milliseconds may take thirty in virtual time, and the
    /// other way round: everything may then come a little later.
    private var isLive: Bool { decoded.header["world"] == WorldKind.live.rawValue }
    private static let liveSlack = Interval.seconds(5)

    /// - Parameter expectsCallbacks: whether each callback that the app got is expected as well.
    package init(_ session: ExportedSession, expectsCallbacks: Bool = false) throws {
        decoded = try DecodedSession(session.reader)
        formatter = expectsCallbacks ? EventFormatter(dialect: session.dialect) : nil
        if let objection = decoded.objection {
            throw ExportError(.impossible, "\(session.path) cannot be told as a script: \(objection)")
        }
        let configuration = try WorldConfiguration(goingOnFrom: decoded.header)
        words = ScriptWords(decoded, credential: decoded.credentialsTyped(configuration))
    }

    /// The script, line by line.
    package mutating func script() -> [String] {
        lines = head
        let causes = Dictionary(decoded.causes().map { ($0.number, $0) }) { one, _ in one }
        for place in decoded.events.indices {
            let event = decoded.events[place]
            if case .effect(let effect) = event.content {
                if case .transition = effect { expect(place) }
                if let callback = formatter?.callback(for: effect) { expect(place, Clause(callback)) }
            } else if let cause = causes[event.number] {
                reach(place, causes)
                // A connect that came to no server has left nothing behind that could be waited for.
                if isWithinMoment, !isLive, case .serverProcess(.up) = cause.action,
                    !isMoreToCome(behind: place, causes), !comeToSomething(before: place)
                {
                    lines.append("wait 0s")
                }
                lines.append((fails(place) ? "!" : "") + words.line(of: cause))
                told = decoded.batchEnd(after: event.number)
                commanded[event.node] = place
            }
        }
        reach(decoded.events.count, causes)
        return lines
    }

    /// The same scenario without a word of what came of it: what was done, and the time between.
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
            "# because: it is the script of a recording, and its times are the recording's",
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

    /// Lets time pass up to the moment of what comes next from outside, and no further than what came before it: others
    /// of the same moment may still be to come.
    private mutating func reach(_ place: Int, _ causes: [UInt64: ForkCause]) {
        let time = place < decoded.events.count ? decoded.events[place].time : decoded.end
        guard !isLive, let input = lastInput(before: place, at: time) else {
            if time > now { wait(until: time) }
            return
        }
        let batch = input..<decoded.batchEnd(after: decoded.events[input].number)
        // Where nothing else is still to come, to wait is as good as to expect what a test would not take.
        let takesOlder =
            place < decoded.events.count && (isMoreToCome(behind: place, causes) || comeToSomething(before: place))
        if !batch.reversed().contains(where: { (takesOlder || !meetsOlder($0)) && expect($0) }) { wait(until: time) }
    }

    /// Whether the expectation of an event would first meet another one, of before the newest command for its client or
    /// for the server: a test refuses that (`expect it before that command`).
    private func meetsOlder(_ place: Int) -> Bool {
        let node = decoded.events[place].node
        let command = max(commanded[node] ?? 0, commanded[WorldCore.serverName] ?? 0)
        let start = cursors[node] ?? 0
        guard start < command, let clause = Clause(decoded.events[place]) else { return false }
        return (start..<command).contains { other in
            decoded.events[other].node == node && observations(of: other).contains(where: clause.matches)
        }
    }

    /// Whether something else happens by itself at the moment of a cause, and behind it.
    private func isMoreToCome(behind place: Int, _ causes: [UInt64: ForkCause]) -> Bool {
        decoded.events.indices[(place + 1)...].prefix { decoded.events[$0].time == decoded.events[place].time }
            .contains { other in
                guard case .input = decoded.events[other].content else { return false }
                return causes[decoded.events[other].number] == nil && !decoded.isConsequence(other)
            }
    }

    /// Whether links were asked for at the moment of an event and before it, and each of them was made, failed or was given up
    /// at once later: then none of them has met a server that was not there.
    private func comeToSomething(before place: Int) -> Bool {
        let time = decoded.events[place].time
        let asked = decoded.events[..<place].reversed().prefix { $0.time == time }.compactMap { event in
            if case .effect(.connect(let id)) = event.content { (node: event.node, id: id) } else { nil }
        }
        return !asked.isEmpty
            && asked.allSatisfy { asked in
                decoded.events[place...].contains { event in
                    guard event.node == asked.node else { return false }
                    return switch event.content {
                    case .input(.linkOpened(let id)), .input(.linkFailed(let id, _)): id == asked.id
                    case .effect(.closeLink(let id)): id == asked.id && event.time == time
                    default: false
                    }
                }
            }
    }

    private mutating func wait(until time: Instant) {
        lines.append("wait \((time - now).text)")
        now = time
        isWithinMoment = false
    }

    /// What happened by itself behind the last line and before a place, at that very moment.
    private func lastInput(before place: Int, at time: Instant) -> Int? {
        var earlier = place - 1
        while earlier >= told, decoded.events[earlier].time == time {
            switch decoded.events[earlier].content {
            // The store answers at once: no time passes for it.
            case .input(.data): break
            case .input where !decoded.isConsequence(earlier): return earlier
            default: break
            }
            earlier -= 1
        }
        return nil
    }

    // MARK: Expectations

    /// Expects an event.
    ///
    /// - Returns: false for what no expectation can be about.
    @discardableResult
    private mutating func expect(_ place: Int) -> Bool {
        guard place >= cursors[decoded.events[place].node] ?? 0, let clause = Clause(decoded.events[place]) else {
            return false
        }
        return expect(place, clause)
    }

    /// The same of a callback that it is, behind what else it is.
    @discardableResult
    private mutating func expect(_ place: Int, _ clause: Clause) -> Bool {
        let event = decoded.events[place]
        guard event.node != WorldCore.serverName else { return false }
        let start = min(cursors[event.node] ?? 0, place)
        // Those before it that look the same are found first.
        let same = (start..<place).filter { other in
            decoded.events[other].node == event.node && observations(of: other).contains(where: clause.matches)
        }
        guard same.count <= Self.sameMax else { return false }
        let line = "@\(words.names[event.node]) expect \(clause.text)"
        for time in same.map({ decoded.events[$0].time }) + [event.time] {
            let limit = limit(until: time)
            lines.append(limit > .zero ? "\(line) within \(limit.text)" : line)
            now = max(now, time)
        }
        isWithinMoment = true
        told = max(told, decoded.batchEnd(after: event.number))
        cursors[event.node] = place + 1
        return true
    }

    /// What expectations see of an event.
    private func observations(of place: Int) -> [Clause] {
        let event = decoded.events[place]
        guard case .effect(let effect) = event.content, let callback = formatter?.callback(for: effect) else {
            return Clause(event).map { [$0] } ?? []
        }
        return (Clause(event).map { [$0] } ?? []) + [Clause(callback)]
    }

    /// How long an event may take that came at a time.
    private func limit(until time: Instant) -> Interval {
        let exact = max(time - now, .zero)
        guard isLive else { return exact }
        return .seconds(exact.inMilliseconds / 1000) + Self.liveSlack
    }

    /// So many times an expectation is repeated at most to find the one that is meant.
    private static let sameMax = 10

    /// What an expectation asks for.
    private struct Clause {
        private let words: String
        private let fields: [AnswerField]

        var text: String {
            ([words] + fields.map { "\($0.name)=\($0.value.quotedIfNeeded)" }).joined(separator: " ")
        }

        init(_ callback: Callback) {
            words = "callback \(callback.name.quotedIfNeeded)"
            // A value that would be read as another comparison is not expected.
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

        /// What can be compared without quotes, by the names that mean one thing.
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

    /// Whether a command was refused at once, which ends a script that does not say so.
    private func fails(_ place: Int) -> Bool {
        let number: CommandID
        switch decoded.events[place].content {
        case .input(.clientCommand(let id, _)), .input(.serverCommand(let id, _)): number = id
        default: return false
        }
        for event in decoded.events[(place + 1)...] {
            // The store answers at once.
            if case .input(.data) = event.content { continue }
            guard case .effect(let effect) = event.content else { return false }
            guard case .complete(let id, let completion) = effect, id == number else { continue }
            return completion.status != .ok && completion.status != .stored
        }
        return false
    }
}
