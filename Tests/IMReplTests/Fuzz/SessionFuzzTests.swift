import Foundation
import IMProfiles
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl
@testable import IMSession
@testable import IMShell

/// Tests with recordings that have a valid checksum chain and wrong contents. Each reader returns the contents or a
/// one-line error, and never traps.
@Suite struct SessionFuzzTests {
    @Test func everyReaderOfARecordingEnds() throws {
        let sandbox = try Sandbox()
        for seed in FuzzCases.seeds(25) {
            FuzzCases.attempt("sessions", seed: seed)
            var random = SeededRandom(seed: seed)
            let bytes = random.pick(SessionMutator.library).mutated(&random)
            if let folder = ProcessInfo.processInfo.environment["IMREPL_FUZZ_KEEP"] {
                try Data(bytes).write(to: URL(fileURLWithPath: "\(folder)/last.pcapng"))
            }
            guard let reader = try? SessionReader(bytes: bytes) else { continue }
            _ = try? Verifier.verify(reader, schema: IMSessionSchema(), behaviour: .any)
            walk(reader, &random)
            try export(reader, seed)
            try search(reader, &random)
            let path = try sandbox.write(Data(bytes), "mutated.pcapng")
            replay(path, &random)
        }
        FuzzCases.end()
    }

    private func walk(_ reader: SessionReader, _ random: inout SeededRandom) {
        guard
            let timeline = try? Timeline(
                reader: reader, schema: IMSessionSchema(), checkpointInterval: 1 + random.below(99))
        else { return }
        var walker = timeline
        for _ in 0..<6 {
            let number = random.isOne(in: 4) ? random.pick(Extremes.integers) : random.below(reader.eventCount &+ 2)
            try? walker.go(to: number)
            _ = try? walker.state()
            _ = try? walker.events(number...max(number, number &+ 3))
            _ = try? walker.last(before: number) { $0.role == .keyframe }
        }
    }

    private func export(_ reader: SessionReader, _ seed: UInt64) throws {
        guard let session = try? ExportedSession(reader: reader, path: "mutated.pcapng") else { return }
        _ = try? PageExport(session).page()
        if let picture = try? SessionPicture(session) { _ = MermaidDiagram(picture: picture).lines }
        _ = (try? ReportDocument(session))?.lines
        if let lines = try? EventLinesText.lines(of: session) {
            for line in lines where (try? JSONSerialization.jsonObject(with: Data(line.utf8))) == nil {
                Issue.record("seed \(seed): no JSON: \(line)")
            }
        }
        for expects in [false, true] {
            guard var export = try? ScriptExport(session, expectsCallbacks: expects) else { continue }
            let script = export.script()
            let commands = script.filter { !$0.isEmpty && !$0.hasPrefix("#") }
            do {
                let parsed = try Script.parse(script.joined(separator: "\n") + "\n", named: "exported")
                // Each line has one command: no text of the recording is parsed as an additional command.
                #expect(parsed.statements.count == commands.count, "seed \(seed)")
            } catch {
                Issue.record("seed \(seed): the script cannot be read: \(error.rendered)")
            }
        }
        _ = (try? SwiftTestExport(session))?.lines
        _ = try? Redaction.bytes(of: reader, path: "mutated.pcapng")
    }

    private func search(_ reader: SessionReader, _ random: inout SeededRandom) throws {
        _ = try? SessionSummary(reader)
        let printer = try? SessionPrinter(reader, path: "mutated.pcapng", output: LineOutput.silent)
        let filters = ["kind == transition and in-state == online", "t > 1s or n < 5", "text =~ \"a.*b\"", "user"]
        _ = try? printer?.print(asJSON: random.isOne(in: 2), filter: try Filter(parsing: random.pick(filters)))
    }

    private func replay(_ path: String, _ random: inout SeededRandom) {
        let lines = [
            "continue", "goto begin", "goto 20", "step", "rstep", "next", "rnext", "why", "state", "print phone",
            "print server",
            "frame", "list", "timeline", "timers", "links", "marks", "goto t=1s", "rcontinue",
            "break kind == transition",
            "mute 30", "delay 40 by 2s", "diff 5 30", "finish", "back", "watch phone.phase", "edit 30 text=x",
            "goto end",
        ]
        guard let session = try? ReplaySession(path: path, output: LineOutput.silent) else { return }
        for _ in 0..<10 {
            guard let statement = try? Statement.parse(random.pick(lines)) else { continue }
            if !ReplayCommands.check(statement).isEmpty { continue }
            try? session.execute(CheckedStatement(statement))
        }
        if session.currentFork != nil { try? session.endFork() }
    }
}

/// The lines of a session that is exported with `--as ndjson`.
enum EventLinesText {
    static func lines(of session: ExportedSession) throws -> [String] {
        let printed = Played()
        try SessionPrinter(session.reader, path: session.path, output: LineOutput(to: printed.add))
            .print(asJSON: true)
        return printed.lines
    }
}
