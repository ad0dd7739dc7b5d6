import Foundation
import IMAgent
import IMDebugger
import IMLogs
import IMProtocol
import IMReproduce
import IMShell
import IMSimulation
import IMText
import Recorder
import Synchronization

/// The tools of `imrepl mcp`. The answer of a tool is the JSON object that the command of the same purpose prints for
/// programs.
struct AgentTools: Sendable {
    /// Passes an answer from the thread of a tool to the caller.
    private final class AnswerBox: Sendable {
        let answer = Mutex<AgentConnection.Answer?>(nil)
    }

    /// The number of running tools, including abandoned ones.
    private final class Runs: Sendable {
        let count = Mutex(0)
    }

    private static let abandonedMax = 3
    private let runs = Runs()
    /// The maximum size of an answer in bytes. A language model cannot use a longer one.
    private static let answerBytesMax = 512 << 10
    /// The time limit of a query, in seconds.
    private static let secondsMax = 20.0
    private let folder: AgentFolder
    private let runsScripts: Bool

    init(_ folder: AgentFolder, runsScripts: Bool) {
        (self.folder, self.runsScripts) = (folder, runsScripts)
    }

    /// Runs a tool, and abandons it at a time limit. The thread of an abandoned tool continues until the tool returns.
    /// While `abandonedMax` tools run, no other tool starts.
    func run(_ call: AgentConnection.Call) -> AgentConnection.Answer {
        guard runs.count.withLock({ $0 }) < Self.abandonedMax else {
            return .failure("earlier questions are still running; ask again later")
        }
        let (done, box) = (DispatchSemaphore(value: 0), AnswerBox())
        runs.count.withLock { $0 += 1 }
        let thread = Thread { [self] in
            let made = answerOrFailure(call)
            box.answer.withLock { $0 = made }
            runs.count.withLock { $0 -= 1 }
            done.signal()
        }
        thread.stackSize = 8 << 20
        thread.start()
        _ = done.wait(timeout: .now() + Self.secondsMax + 10)
        return box.answer.withLock { $0 } ?? .failure("no answer within \(Int(Self.secondsMax + 10)) s; request less")
    }

    private func answerOrFailure(_ call: AgentConnection.Call) -> AgentConnection.Answer {
        do {
            let answer = try answer(call.tool, Arguments(call.arguments))
            guard answer.utf8.count <= Self.answerBytesMax else {
                return .failure("the answer is larger than \(Self.answerBytesMax >> 10) KiB; use a filter or a limit")
            }
            return .object(answer)
        } catch let error as FilterError {
            return .failure(error.text)
        } catch let error as ShellError {
            return .failure(error.message)
        } catch let error as WordError {
            return .failure(error.message + (error.hint.map { "; \($0)" } ?? ""))
        } catch {
            return .failure("\(error)")
        }
    }

    /// The arguments of a call, which match the tool's declaration.
    private struct Arguments {
        private let value: JSONValue

        init(_ value: JSONValue) { self.value = value }

        /// A text, or a number in digits.
        func text(_ name: String) -> String? { value[name]?.text ?? value[name]?.integer.map(String.init) }
        func number(_ name: String) -> Int? { value[name]?.integer }
        func flag(_ name: String) -> Bool { value[name] == .bool(true) }
    }

    private func answer(_ tool: String, _ arguments: Arguments) throws -> String {
        switch tool {
        case "list_sessions": return listSessions(limit: arguments.number("limit") ?? 100)
        case "import_log": return try importLog(arguments)
        case "events": return try events(arguments)
        case "reproduce": return try reproduce(arguments)
        case "help": return try help(arguments.text("words") ?? "")
        case "run_script" where runsScripts:
            return try AgentScript.run(
                arguments.text("script") ?? "", limit: arguments.number("limit") ?? 200, seconds: Self.secondsMax)
        case "state_at", "why", "why_not", "what_if": return try ask(tool, arguments)
        default: throw CommandFailure("there is no tool '\(tool)'")
        }
    }

    // MARK: Lists

    private func listSessions(limit: Int) -> String {
        let (recordings, logs) = folder.sessions()
        var objects: [AnswerObject] = []
        for name in recordings.prefix(limit) {
            var table = SessionTable(terminalWidth: nil)
            if let path = try? folder.checkedPath(ofFile: name) { table.add(path) }
            var object = AnswerObject()
            object.add("file", name)
            for (key, value) in table.objects.first ?? [] where key != "name" { object.add(key, value) }
            objects.append(object)
        }
        for name in logs.prefix(limit - objects.count) {
            var object = AnswerObject()
            object.add("file", name)
            object.add("outcome", "a log; import_log describes it")
            objects.append(object)
        }
        var answer = AnswerObject()
        answer.add("sessions", objects: objects)
        answer.add("total", number: recordings.count + logs.count)
        return answer.json
    }

    private func importLog(_ arguments: Arguments) throws -> String {
        let path = try folder.checkedPath(ofFile: arguments.text("file") ?? "")
        guard RecordingFiles.isText(path) else { throw CommandFailure("'\(path)' is not a text file") }
        let log = try LogFile.readEvents(path, profile: arguments.text("profile"))
        var answer = AnswerObject()
        answer.add("lines", number: log.lineCount)
        answer.add("understood", number: log.understoodCount)
        answer.add("processes", number: log.processCount)
        answer.add("profile", log.profile)
        answer.add("formats", texts: log.formats)
        let findings = log.profile.flatMap { LogCheck.findings(in: log, profile: $0) } ?? []
        answer.add(
            "findings",
            objects: findings.prefix(Self.rowsMax).map { finding in
                var object = AnswerObject()
                for (name, value) in FindingReport.values(of: finding) { object.add(name, value) }
                return object
            })
        return answer.json
    }

    private func events(_ arguments: Arguments) throws -> String {
        let path = try folder.checkedPath(ofFile: arguments.text("file") ?? "")
        let (reader, _) = try LogFile.openSession(path)
        let filter = try arguments.text("filter").map { try Filter(reading: $0, ofServer: reader.isOfServerAlone) }
        let lines = AnswerLines()
        // `.text`: the lines of the printer are JSON already.
        let printer = try SessionPrinter(reader, path: path, output: lines.output(.text))
        let more = try printer.print(
            asJSON: true, filter: filter, after: UInt64(arguments.number("after") ?? 0),
            limit: arguments.number("limit") ?? 100)
        return "{\"events\":[\(lines.all.joined(separator: ","))],\"more\":\(more)}"
    }

    private func reproduce(_ arguments: Arguments) throws -> String {
        let path = try folder.checkedPath(ofFile: arguments.text("file") ?? "")
        let platform = arguments.text("platform")
        let report = try ReproduceReport(
            of: ReproduceRequest(
                files: [path], profile: arguments.text("profile"),
                platform: Platform.allCases.first { $0.name == platform } ?? .ios, explanations: 3, runsMax: 300,
                seconds: Double(arguments.number("seconds") ?? 15),
                settings: CommonSettings(color: .never, dataFolder: nil, asJSON: true)))
        var answer = AnswerObject()
        answer.add("explained", isTrue: report.hasExplanation)
        answer.add(
            "rows",
            objects: report.rows.map { row in
                var object = AnswerObject()
                for (name, value) in row { object.add(name, value) }
                return object
            })
        return answer.json
    }

    private func help(_ text: String) throws -> String {
        let words = text.split(separator: " ").map(String.init)
        let help = HelpText(table: .shell, library: .find())
        return help.object(for: words, text: try help.text(for: words)).json
    }

    // MARK: Questions about one session

    private func ask(_ tool: String, _ arguments: Arguments) throws -> String {
        let path = try folder.checkedPath(ofFile: arguments.text("file") ?? "")
        let (reader, _) = try LogFile.openSession(path)
        let lines = AnswerLines()
        let deadline = Deadline(seconds: Self.secondsMax)
        let session = try ReplaySession(
            reader, path: path, output: lines.output(), interruption: deadline.interruption)
        try session.debug.move(to: session.count)
        let event = try arguments.text("event").map(session.debug.event(named:))
        switch tool {
        case "why": try session.explanations.explain(event ?? session.debug.eventToExplain())
        case "why_not":
            let condition = try ReplayCondition(arguments.text("condition") ?? "")
            if let event { try session.debug.move(to: event) }
            try session.explanations.explainWhyNot(condition, node: arguments.text("node"))
        case "state_at":
            if let event { try session.debug.move(to: event) }
            let words = [arguments.text("node")].compactMap { $0 } + (arguments.flag("whole") ? ["--json"] : [])
            try ReplayCommands.named("state")?.run(session, ReplayLine(words: words, text: ""))
        default:
            try session.whatIf(
                try change(arguments), at: event ?? session.count, ForkLine(ReplayLine(words: [], text: "")))
        }
        guard let answer = lines.all.last else { throw CommandFailure("the command printed no answer") }
        return answer
    }

    private func change(_ arguments: Arguments) throws -> WhatIf.Change {
        switch arguments.text("change") {
        case "edit":
            guard let field = arguments.text("field"), let value = arguments.text("value") else {
                throw CommandFailure("edit needs 'field' and 'value'")
            }
            return .edit(field: field, value: value)
        case "delay":
            guard let delay = arguments.text("delay").flatMap({ DurationText.signedInterval($0) }), delay > .zero else {
                throw CommandFailure("delay needs 'delay', a duration such as 5s")
            }
            return .delay(delay)
        default: return .mute
        }
    }
}

/// Keeps the lines of an answer. Of more than `keptMax` lines, only the last ones are kept.
final class AnswerLines: Sendable {
    private static let keptMax = 4000
    private let kept = Mutex((lines: [String](), droppedCount: 0))

    func output(_ form: OutputForm = .json) -> LineOutput {
        LineOutput(form: form) { [self] line in
            kept.withLock { kept in
                if kept.lines.count == Self.keptMax {
                    kept.lines.removeFirst(Self.keptMax / 2)
                    kept.droppedCount += Self.keptMax / 2
                }
                kept.lines.append(line)
            }
        }
    }

    var all: [String] { kept.withLock { $0.lines } }
    var droppedCount: Int { kept.withLock { $0.droppedCount } }
}

/// Interrupts a query that takes too long.
struct Deadline {
    let interruption = Interruption()

    init(seconds: Double) {
        let interruption = interruption
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { interruption.raise() }
    }
}

extension AnswerObject {
    fileprivate mutating func add(_ name: String, _ value: AnswerValue) { add(name, json: value.json) }
}
