import Foundation
import IMDebugger
import IMProfiles
import IMSession
import IMShell
import IMSimulation
import IMText
import LineEditing
import Recorder
import SansIO

extension ReplaySession {
    /// Runs the scenario with a change, and prints the outcome.
    func whatIf(_ change: WhatIf.Change, at number: UInt64, _ line: ForkLine) throws {
        let outcome: WhatIfOutcome
        do {
            let decoded = try decoded()
            if let rejectionReason = decoded.rejectionReason {
                throw CommandFailure("no \(change.name): \(rejectionReason)")
            }
            let whatIf = try WhatIf(decoded, change, at: number)
            var plan = try WorldPlan(continuing: reader.header)
            plan.title = "\(path) with \(change.word) #\(number): \(reader.header.title)"
            plan.origin = ForkOrigin(decoded: whatIf.decoded, file: path, number: number, change: change.command)
            let formatter = EventFormatter(dialect: dialect)
            let recording = try plan.recording(at: line.record)
            do {
                outcome = try whatIf.run(
                    WorldConfiguration(continuing: reader.header), recording: recording, untilStable: true
                ) {
                    "\($0.node) \(formatter.format($0).text)"
                }
            } catch {
                // A failed run leaves no recording.
                if let path = line.record { try? FileManager.default.removeItem(atPath: path) }
                throw error
            }
        } catch let error as WorldError {
            throw CommandFailure(error.description)
        } catch let error as ShellError {
            throw CommandFailure(error.message)
        }
        if output.form == .json {
            return output.object(outcome.object(of: change, at: number, dialect: dialect, recording: line.record))
        }
        output.line([.init(change.phrase + " ")] + (try self.line(of: event(number))))
        if case .delay(let delay) = change, let newTime = try? timeline.event(number).time + delay,
            let end = try? timeline.event(count).time, newTime > end
        {
            output.line("it comes at +\(newTime.secondsText), after the end of the recording (+\(end.secondsText))")
        }
        for line in WhatIfReport(outcome, dialect: dialect).lines(listsAll: line.listsAll) { output.line(line) }
        if let path = line.record { output.line("recorded \(path)") }
    }
}

extension WhatIf.Change {
    fileprivate var word: String {
        switch self {
        case .none: "no change after"
        case .mute: "no"
        case .edit(let field, let value): "\(field)=\(value) in"
        case .delay(let delay): "\(delay.text) more before"
        }
    }

    /// The name of the command that makes the change.
    fileprivate var name: String {
        switch self {
        case .none: "fork"
        case .mute: "mute"
        case .edit: "edit"
        case .delay: "delay"
        }
    }

    /// The change as the user types it, without the number of the event; nil for no change.
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
        case .edit(let field, let value): "with \(field)=\(value.quotedIfNeeded):"
        case .delay(let delay): "\(delay.text) later:"
        }
    }
}
