import Foundation
import Testing

@testable import IMCommands
@testable import IMRepl
@testable import IMScript
@testable import IMShell

/// What the README shows is what happens.
@Suite struct ReadmeTests {
    private var readme: String {
        get throws { try String(contentsOfFile: "\(SourceTree.root)/README.md", encoding: .utf8) }
    }

    @Test func theScriptShownIsTheScriptInTheLibrary() throws {
        let shown = try #require(try block("imr"))
        #expect(shown == (try String(contentsOfFile: "\(SessionLibrary.folder)/readme.imr", encoding: .utf8)))
    }

    @Test func theLinesShownAreTheLinesPrinted() throws {
        let shown = try #require(try block("transcript")).split(separator: "\n").map(String.init)
        #expect(shown.count >= 5)
        let printed = try Played.lines(of: try SessionLibrary.read("readme.imr"))
        for line in shown { #expect(printed.contains(line), "not printed: \(line)") }
    }

    @Test func theWalkShownIsTheWalkTaken() throws {
        let typed = try #require(try block("replay"))
        let shown = try #require(try block("replayed")).split(separator: "\n").map(String.init)
        let printed = Played()
        let session = try ReplaySession(
            path: SessionLibrary.recordingPath("s-08-kicked-while-reconnecting"),
            output: LineOutput(to: printed.add))
        #expect(try ReplayConversation(session).run(ReplayScript(Array(typed.utf8), named: "README")) == .ok)
        for line in shown { #expect(printed.lines.contains(line), "not printed: \(line)") }
    }

    /// The commands of the first session are those that `help` ends with, which a test types.
    @Test func theFirstSessionIsThatOfTheHelp() throws {
        let text = try readme
        let start = try #require(text.range(of: "## A first session"))
        let end = try #require(text.range(of: "## ", range: start.upperBound..<text.endIndex))
        let typed = text[start.upperBound..<end.lowerBound].split(separator: "\n")
            .filter { $0.hasPrefix("    ") }
            .map { String($0.prefix(while: { $0 != "#" }).trimmingPrefix("    ")).trimmingBlanks() }
        #expect(Array(typed.prefix(HelpText.firstSession.count)) == HelpText.firstSession)
        // What is typed afterwards: in the terminal, and in a recording.
        for line in typed.dropFirst(HelpText.firstSession.count) {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "imrepl" {
                guard case .action = ProgramStart(arguments: Array(words.dropFirst())) else {
                    Issue.record("\(line)")
                    continue
                }
            } else {
                #expect(ReplayCommands.check(try #require(try Statement.parse(line))) == [], "\(line)")
            }
        }
    }

    /// Every line that begins with `imrepl` is one that the program takes.
    @Test func everyCommandLineIsOne() throws {
        var count = 0
        for line in try readme.split(separator: "\n") where line.hasPrefix("    imrepl ") {
            let command = try #require(try Statement.parse(String(line.trimmingPrefix("    "))))
            let words = command.words.compactMap(\.literal)
            guard words.count == command.words.count, case .action = ProgramStart(arguments: Array(words.dropFirst()))
            else {
                Issue.record("\(line)")
                continue
            }
            count += 1
        }
        #expect(count > 9)
    }

    /// The commands for the prompt in the sections on the systems: each paragraph in a world of its own, in which nothing
    /// has happened. No line fails, and none is answered with a failure.
    @Test func everyExampleRunsInAnEmptyWorld() throws {
        let text = try readme
        let start = try #require(text.range(of: "## Five systems"))
        let end = try #require(text.range(of: "## From a report", range: start.upperBound..<text.endIndex))
        var count = 0
        for paragraph in text[start.upperBound..<end.lowerBound].split(separator: "\n\n") {
            let lines = paragraph.split(separator: "\n").filter { $0.hasPrefix("    ") && !$0.contains("imrepl ") }
            guard !lines.isEmpty else { continue }
            let plan = try WorldPlan(
                WorldSettings.forTests, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: "test"
            )
            let shell = try Shell(plan, recording: .off, output: LineOutput.silent, isInteractive: false)
            defer { try? shell.close() }
            let last = "check 'count(kind == result and status == failed) == 0'"
            for statement in try (lines.map(String.init) + [last]).flatMap({ try Statement.parseAll($0) }) {
                do {
                    try ScriptRunner.execute(statement, in: shell)
                    try shell.settle(after: shell.nature(of: statement))
                } catch {
                    Issue.record("\(statement.source): \(error)")
                }
                count += 1
            }
        }
        #expect(count > 30)
    }

    private func block(_ language: String) throws -> String? {
        let text = try readme
        guard let start = text.range(of: "```\(language)\n"),
            let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
