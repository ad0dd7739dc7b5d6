import IMProfiles
import IMSession
import IMShell
import Recorder
import SansIO

/// `verify` and `diff`: whether recordings still replay, and the first difference of two recordings.
struct SessionCheck {
    let output: any ShellOutput

    /// Verifies recordings, and returns the outcome with the highest exit code.
    func verify(_ paths: [String]) -> Outcome {
        var outcomes: [Outcome] = []
        for path in paths {
            do {
                outcomes.append(try verify(path))
            } catch let error as ShellError {
                output.error("imrepl: \(error.message)")
                outcomes.append(Outcome(error.reason))
            } catch {
                output.error("imrepl: \(path): \(error)")
                outcomes.append(.unreadable)
            }
        }
        return outcomes.max { $0.rawValue < $1.rawValue } ?? .ok
    }

    private func verify(_ path: String) throws -> Outcome {
        let reader = try RecordingFiles.open(path)
        if reader.header.isObserved {
            printResult(
                "\(path): observed in a log, cannot be verified",
                [("file", .text(path)), ("result", "observed"), ("events", .number(Int(reader.eventCount)))])
            return .ok
        }
        let result: Verification
        do throws(SessionError) {
            result = try Verifier.verify(reader, schema: IMSessionSchema(), behaviour: .any)
        } catch {
            throw ShellError(message: "\(path): \(error)", reason: .unreadable)
        }
        switch result {
        case .verified(let events):
            printResult(
                "\(path): verified \(events) events",
                [
                    ("file", .text(path)), ("result", "verified"), ("events", .number(Int(events))),
                ])
            if reader.completeness != .closed {
                output.error("\(path): \(reader.completeness); everything before it is complete")
            }
            printBehaviourNotice(of: reader, path, divergence: nil)
            return .ok
        case .diverged(let divergence):
            printResult(
                "\(path): diverged at event \(divergence.number)\n\(divergence.description)",
                [
                    ("file", .text(path)), ("result", "diverged"), ("event", .number(Int(divergence.number))),
                    ("text", .text(divergence.description)),
                ])
            printBehaviourNotice(of: reader, path, divergence: divergence)
            return .diverged
        }
    }

    /// Prints the result as text or as a row for programs.
    private func printResult(_ text: String, _ values: [(name: String, value: AnswerValue)]) {
        if let rows = output.rows { rows(values) } else { output.line(text) }
    }

    /// Prints a notice if the machines of this version behave differently from those of the recording, which is no
    /// error.
    private func printBehaviourNotice(of reader: SessionReader, _ path: String, divergence: Divergence?) {
        guard let difference = BehaviourDifference(reader, divergence: divergence) else { return }
        output.error("\(path): \(difference)")
    }

    func diff(_ left: String, _ right: String) throws -> Outcome {
        let readers = (try RecordingFiles.open(left), try RecordingFiles.open(right))
        let diff: SessionDiff
        do {
            diff = try SessionDiff.compare(readers.0, readers.1, options: SessionDiff.Options())
        } catch {
            // The error does not name its file, so each file is read again to find the damaged one.
            for path in [left, right] { try RecordingFiles.read(path) { try $0.forEach { _ in } } }
            throw ShellError(message: "\(error)", reason: .unreadable)
        }
        if diff.isEmpty {
            printResult(
                "no difference in \(diff.equalEvents) events",
                [
                    ("result", "equal"), ("events", .number(Int(diff.equalEvents))),
                ])
            return .ok
        }
        if let rows = output.rows {
            rows([
                ("result", "different"), ("equal-events", .number(Int(diff.equalEvents))),
                ("left", .text(diff.left.map { Self.line($0, of: readers.0) } ?? "")),
                ("right", .text(diff.right.map { Self.line($0, of: readers.1) } ?? "")),
            ])
            return .failed
        }
        for event in diff.before { output.line("  " + Self.line(event, of: readers.0)) }
        output.line("- " + (diff.left.map { Self.line($0, of: readers.0) } ?? "(the end)"))
        for event in diff.leftAfter { output.line("-   " + Self.line(event, of: readers.0)) }
        output.line("+ " + (diff.right.map { Self.line($0, of: readers.1) } ?? "(the end)"))
        for event in diff.rightAfter { output.line("+   " + Self.line(event, of: readers.1)) }
        return .failed
    }

    private static func line(_ event: Event, of reader: SessionReader) -> String {
        let head = "#\(event.number) +\(event.time.secondsText) "
        if !event.comment.isEmpty { return head + event.comment }
        return head + IMSessionSchema().describe(event, node: reader.name(of: event.node))
    }
}
