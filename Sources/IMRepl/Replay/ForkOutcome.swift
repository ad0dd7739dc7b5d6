import Foundation
import IMDialects
import IMSession
import IMSimulation
import LineEditing
import Recorder
import SansIO

extension ReplaySession {
    /// Tells the story with a change, and says what became of it.
    func whatIf(_ change: WhatIf.Change, at number: UInt64, _ line: ForkLine) throws {
        let outcome: WhatIfOutcome
        do {
            let tape = try tape()
            if let objection = tape.objection { throw CommandFailure("no \(change.name): \(objection)") }
            let whatIf = try WhatIf(tape, change, at: number)
            var plan = try WorldPlan(goingOnFrom: reader.header)
            plan.title = "\(path) with \(change.word) #\(number): \(reader.header.title)"
            plan.origin = ForkOrigin(tape: whatIf.tape, file: path, number: number, change: change.command)
            let narrator = Narrator(dialect: dialect)
            let recording = try plan.recording(at: line.record)
            do {
                outcome = try whatIf.run(plan.configuration(goingOnFrom: reader.header), recording: recording) {
                    "\($0.node) \(narrator.tell($0).text)"
                }
            } catch {
                // What could not be told leaves nothing behind.
                if let path = line.record { try? FileManager.default.removeItem(atPath: path) }
                throw error
            }
        } catch let error as WorldError {
            throw CommandFailure(error.description)
        } catch let error as EntryError {
            throw CommandFailure(error.message)
        }
        output.line([.init(change.phrase + " ")] + (try self.line(of: event(number))))
        if case .delay(let delay) = change, let due = try? timeline.event(number).time + delay,
            let end = try? timeline.event(count).time, due > end
        {
            output.line("it would come at +\(due.secondsText), when the recording is over (+\(end.secondsText))")
        }
        OutcomeText(outcome, dialect: dialect, output: output).print(listsAll: line.listsAll)
        if let path = line.record { output.line("recorded \(path)") }
    }
}

extension WhatIf.Change {
    fileprivate var word: String {
        switch self {
        case .none: "nothing changed behind"
        case .mute: "no"
        case .edit(let field, let value): "\(field)=\(value) in"
        case .delay(let delay): "\(delay.text) more before"
        }
    }

    /// The command for it.
    fileprivate var name: String {
        switch self {
        case .none: "fork"
        case .mute: "mute"
        case .edit: "edit"
        case .delay: "delay"
        }
    }

    /// What was typed for it, without the number; nil for no change.
    fileprivate var command: String? {
        switch self {
        case .none: nil
        case .mute: name
        case .edit(let field, let value): "\(name) \(field)=\(value)"
        case .delay(let delay): "\(name) \(delay.text)"
        }
    }

    fileprivate var phrase: String {
        switch self {
        case .none: "as it was:"
        case .mute: "without:"
        case .edit(let field, let value): "with \(field)=\(value):"
        case .delay(let delay): "\(delay.text) later:"
        }
    }
}

/// How two tellings of a story went, in lines.
struct OutcomeText {
    /// So many lines are shown of each client behind the first difference.
    static let linesMax = 12

    private let outcome: WhatIfOutcome
    private let narrator: Narrator
    private let output: Output

    init(_ outcome: WhatIfOutcome, dialect: any Dialect, output: Output) {
        self.outcome = outcome
        narrator = Narrator(dialect: dialect)
        self.output = output
    }

    func print(listsAll: Bool) {
        for final in outcome.finals { lines(of: final.node, listsAll: listsAll) }
        for skipped in outcome.skipped {
            output.line("#\(skipped.number) could not be done any more: \(skipped.reason)")
        }
        let states = outcome.finals.map { final in
            let (one, two) = (final.recorded?.name ?? "not running", final.retold?.name ?? "not running")
            return one == two ? "\(final.node) \(one)" : "\(final.node) \(one) → \(two)"
        }
        if let difference = outcome.difference {
            output.line("another outcome, first at \(difference.node):")
            output.line("  was: \(difference.recorded.map(text) ?? "nothing more")")
            output.line("  is:  \(difference.retold.map(text) ?? "nothing more")")
        } else {
            let isLate = outcome.recorded.map(\.time) != outcome.retold.map(\.time)
            output.line("same outcome: \(Self.count(outcome.recorded))\(isLate ? ", at other times" : "")")
        }
        output.line("at the end: \(states.joined(separator: ", "))")
    }

    /// What one client went through: common lines, then `-` as it was and `+` as it became.
    private func lines(of node: String, listsAll: Bool) {
        let recorded = outcome.recorded.filter { $0.node == node }
        let retold = outcome.retold.filter { $0.node == node }
        let change = retold.map(words).difference(from: recorded.map(words))
        let isOnTime = recorded.map(\.time) == retold.map(\.time)
        if recorded.isEmpty && retold.isEmpty || change.isEmpty && isOnTime && !listsAll {
            return output.line("\(node): \(recorded.isEmpty ? "" : "the same ")\(Self.count(recorded))")
        }
        var lines: [(mark: String, text: String)] = recorded.map { (" ", text($0)) }
        var removed: Set<Int> = []
        for case .remove(let offset, _, _) in change {
            removed.insert(offset)
            lines[offset].mark = "-"
        }
        // Where each new line stands among those that were there.
        var merged: [(mark: String, text: String)] = []
        var inserted: Set<Int> = []
        for case .insert(let offset, _, _) in change { inserted.insert(offset) }
        var next = 0
        for place in retold.indices {
            // What it was stands before what it became.
            while removed.contains(next) {
                merged.append(lines[next])
                next += 1
            }
            if inserted.contains(place) {
                merged.append(("+", text(retold[place])))
                continue
            }
            // The same at another time: both are said.
            let old = next < recorded.count ? recorded[next].time : retold[place].time
            if old == retold[place].time {
                merged.append((" ", text(retold[place])))
            } else {
                merged.append(("~", "+\(old.secondsText) → \(text(retold[place]))"))
            }
            next += 1
        }
        merged += lines[min(next, lines.count)...]
        show(merged, of: node, listsAll: listsAll)
    }

    private func show(_ lines: [(mark: String, text: String)], of node: String, listsAll: Bool) {
        let first = lines.firstIndex { $0.mark != " " } ?? lines.count
        let shown = listsAll ? 0 : max(0, first - 1)
        output.line(shown > 0 ? "\(node): the same \(Self.count(lines[..<shown])), and then" : "\(node):")
        let end = listsAll ? lines.count : min(lines.count, first + Self.linesMax)
        for line in lines[min(shown, end)..<end] { output.line("  \(line.mark) \(line.text)") }
        if end < lines.count { output.line("    … and \(lines.count - end) more; --all lists them") }
    }

    private static func count(_ told: some Collection) -> String {
        switch told.count {
        case 0: "no states or callbacks"
        case 1: "1 state or callback"
        default: "\(told.count) states and callbacks"
        }
    }

    private func words(_ event: SessionEvent) -> String { narrator.text(of: event) }

    private func text(_ event: SessionEvent) -> String { "+\(event.time.secondsText) \(event.node) \(words(event))" }
}
