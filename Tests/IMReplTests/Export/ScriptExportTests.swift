import Foundation
import IMSimulation
import Recorder
import TestSupport
import Testing

@testable import IMExport
@testable import IMRepl
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests of a recording that is exported as a script. Running the script gives the same session.
@Suite struct ScriptExportTests {
    @Test(arguments: SessionLibrary.scripts) func theScriptOfARecordingReproducesIt(_ name: String) throws {
        let path = SessionLibrary.recordingPath(name.dropLast(4))
        var export = try ScriptExport(try ExportedSession.open(path))
        let again = try play(export.script(), named: name)
        #expect(try outcome(again) == outcome(try SessionReader(path: path)))
    }

    /// Texts that begin like options, contain blanks or quotes, or are empty are unchanged.
    @Test func ambiguousTextsStayTexts() throws {
        let lines = [
            "#! imrepl script 1", "# profile: nim", "client new phone --device \"-d\" --device-name \"--name\"",
            "@phone login \"al#ice\"", "@phone expect state online within 5s", "@phone send bob \"--channel\"",
            "@phone send \"-b\" \"- text\"", "@phone send bob \"-5 degrees\"", "@phone send bob \"\\u{1}\\n\\$x #\"",
            "rec mark \"--mark\"", "wait 1s",
        ]
        let session = try play(lines, named: "words")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "words.pcapng"))
        let script = export.script()
        #expect(script.contains("@phone login \"al#ice\""))
        #expect(script.contains("@phone send bob \"--channel\""))
        #expect(script.contains("@phone send \"-b\" \"- text\""))
        #expect(script.contains("rec mark \"--mark\""))
        let again = try play(script, named: "again")
        #expect(try outcome(again) == outcome(session))
        #expect(try commands(again) == commands(session))
    }

    private static let hostileTexts = [
        "a b", "a --first 3", "--to", "-x", "--", "a\"b", "a'b", "a\\b", "#x", "@p", "$x", " a ", "a=b", "a,b",
        "\u{1F600}", "null", "3", "{}", ";", "a\tb",
    ]

    /// A hostile text in any part of a tree query is not interpreted as an option, and the query is unchanged.
    @Test(arguments: hostileTexts) func aTreeQueryWithHostileTextsIsUnchanged(_ text: String) throws {
        let value = String(decoding: try JSONEncoder().encode(text), as: UTF8.self).quoted
        let lines =
            ["#! imrepl script 1", "# profile: wilddog", "client new p", "wait 1s"]
            + ["--from \(value)", "--to \(value)", "--equal \(value)", "--order-by value --first 2 --from \(value)"]
            .flatMap { ["@p sync get /x \($0)", "@p sync on /x \($0)", "@p sync off /x \($0)"] }
            + ["@p sync get /x --order-by \("child=k".quoted) --from \(value)", "wait 1s"]
        let session = try play(lines, named: "tree")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "tree.pcapng"))
        let again = try play(export.script(), named: "again")
        #expect(try commands(again) == commands(session))
    }

    /// The name in an order by child may contain blanks and the names of options.
    @Test(arguments: ["a b", "a --first 3", "--last 2", "a'b"])
    func anOrderByChildIsUnchanged(_ child: String) throws {
        let session = try play(
            [
                "#! imrepl script 1", "# profile: wilddog", "client new p", "wait 1s",
                "@p sync get /x --order-by \("child=\(child)".quoted)", "wait 1s",
            ], named: "child")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "child.pcapng"))
        let again = try play(export.script(), named: "again")
        #expect(try commands(again) == commands(session))
    }

    @Test func aStrictWorldStaysStrict() throws {
        let lines = [
            "#! imrepl script 1", "# profile: nim", "# strict: true", "client new phone", "@phone login alice",
            "@phone expect state logged-out reason=credential-refused within 5s", "server account add alice",
            "@phone login alice", "@phone expect state logged-out reason=credential-refused within 5s", "wait 1s",
        ]
        let session = try play(lines, named: "strict")
        #expect(session.header["strict"] == "true")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "strict.pcapng"))
        let script = export.script()
        #expect(script.contains("# strict: true"))
        #expect(script.contains("@phone login alice"))
        let again = try play(script, named: "again")
        #expect(again.header["strict"] == "true")
        #expect(try outcome(again) == outcome(session))
        #expect(try commands(again) == commands(session))
    }

    /// A recording contains no passwords, but for each login whether its password was right.
    @Test func aWrongPasswordStaysWrong() throws {
        let sandbox = try Sandbox()
        let right = try sandbox.write(Data("first\n".utf8), "right.password")
        let wrong = try sandbox.write(Data("second\n".utf8), "wrong.password")
        let lines = [
            "#! imrepl script 1", "# profile: agora-chat", "client new phone", "server account add alice first",
            "@phone login alice --password-file \"\(wrong)\"", "@phone expect result login code=202 within 5s",
            "@phone login alice --password-file \"\(right)\"", "@phone expect state online within 5s", "wait 1s",
        ]
        let session = try play(lines, named: "password")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "password.pcapng"))
        let again = try play(export.script(), named: "again")
        #expect(try outcome(again) == outcome(session))
        #expect(try commands(again).count == commands(session).count)
    }

    /// A command that gives a default value explicitly differs from a command without it.
    @Test func defaultsAreWritten() throws {
        let lines = [
            "#! imrepl script 1", "# profile: wilddog", "client new phone", "@phone sync on a --event value",
            "@phone sync on b", "@phone sync on c --order-by priority", "@phone sync on d --order-by key --first 1",
            "@phone sync on e --event child-added --event value --order-by key",
            "@phone sync get a --order-by priority",
            "@phone sync keep a on --order-by priority", "@phone sync off a --order-by priority", "wait 1s",
        ]
        let session = try play(lines, named: "words")
        var export = try ScriptExport(try ExportedSession(reader: session, path: "words.pcapng"))
        let script = export.script()
        for line in lines[3...10] where !line.contains("on c") { #expect(script.contains(line), "\(line)") }
        let again = try play(script, named: "again")
        #expect(try commands(again) == commands(session))
        #expect(try outcome(again) == outcome(session))
    }

    private func play(_ lines: [String], named name: String) throws -> SessionReader {
        let script = try ScriptFile.parse(
            Array(lines.joined(separator: "\n").utf8), named: name, origin: .file, variables: [])
        var settings = WorldSettings.forTests
        settings.epochNanoseconds = nil
        return try SessionReader(bytes: try Played.recording(of: script, settings))
    }

    /// The texts of all events that an app receives.
    private func outcome(_ session: SessionReader) throws -> [String] {
        try DecodedSession(session).events.filter(\.isOutcome).map(words)
    }

    private func commands(_ session: SessionReader) throws -> [String] {
        try DecodedSession(session).events.filter { event in
            if case .input(.clientCommand) = event.content { true } else { event.kind == "mark" }
        }.map(words)
    }

    private func words(_ event: SessionEvent) -> String {
        let facts = event.facts.map { "\($0.name)=\($0.value)" }
        return "\(event.time.nanoseconds) \(event.node) \(event.kind) \(facts.joined(separator: " "))"
    }
}
