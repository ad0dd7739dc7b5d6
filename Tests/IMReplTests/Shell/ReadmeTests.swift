import Foundation
import Testing

@testable import IMDebugger
@testable import IMRepl
@testable import IMShell

/// The examples in the README and on the pages in Documentation work.
@Suite struct ReadmeTests {
    /// The README, and the pages to which it links.
    private var pages: [String] {
        get throws {
            let readme = try page("README.md")
            return [readme]
                + (try readme.matches(of: /\(Documentation\/(\w+\.md)\)/).map { match in
                    try page("Documentation/\(match.1)")
                })
        }
    }

    private var text: String { get throws { try pages.joined(separator: "\n") } }

    private func page(_ name: String) throws -> String {
        try String(contentsOfFile: "\(SourceTree.root)/\(name)", encoding: .utf8)
    }

    @Test func everyLinkHasATarget() throws {
        let folder = "\(SourceTree.root)/Documentation"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(try pages.count == names.count + 1, "README.md links every page of Documentation")
        for name in ["README.md", "GLOSSARY.md", "CONTRIBUTING.md"] + names.map({ "Documentation/\($0)" }) {
            let parent = name.contains("/") ? folder : SourceTree.root
            for match in try page(name).matches(of: /\]\(([^)#]+)\)/) where !match.1.hasPrefix("http") {
                #expect(FileManager.default.fileExists(atPath: "\(parent)/\(match.1)"), "\(name): \(match.1)")
            }
        }
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

    @Test func theReplayShownIsTheReplayPrinted() throws {
        let typed = try #require(try block("replay"))
        let shown = try #require(try block("replayed")).split(separator: "\n").map(String.init)
        let printed = Played()
        let session = try ReplaySession(
            path: SessionLibrary.recordingPath("s-08-kicked-while-reconnecting"),
            output: LineOutput(to: printed.add))
        let script = try ReplayScript(Array(typed.utf8), named: "README")
        #expect(try Conversation(ReplayTarget(session)).run(script.script, script.statements) == .ok)
        for line in shown { #expect(printed.lines.contains(line), "not printed: \(line)") }
    }

    /// The commands of the first session in README.md are those that `help` shows. Another test runs the commands of
    /// `help`.
    @Test func theFirstSessionEqualsTheHelps() throws {
        let text = try page("README.md")
        let start = try #require(text.range(of: "## A first session"))
        let end = try #require(text.range(of: "## ", range: start.upperBound..<text.endIndex))
        let typed = text[start.upperBound..<end.lowerBound].split(separator: "\n")
            .filter { $0.hasPrefix("    ") }
            .map { String($0.prefix(while: { $0 != "#" }).trimmingPrefix("    ")).trimmingBlanks() }
        #expect(Array(typed.prefix(HelpText.firstSession.count)) == HelpText.firstSession)
        // The later commands are for the terminal or for a replay.
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

    /// Every line that begins with `imrepl` is a valid command line.
    @Test func everyCommandLineIsValid() throws {
        var count = 0
        for line in try text.split(separator: "\n") where line.hasPrefix("    imrepl ") {
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

    /// On the pages about the systems, each paragraph with commands for the prompt runs in a new world. No line fails,
    /// and no result is a failure.
    @Test func everyExampleRunsInAnEmptyWorld() throws {
        let text = try ["Systems", "LocalData", "Tree"].map { try page("Documentation/\($0).md") }.joined(
            separator: "\n")
        var count = 0
        for paragraph in text.split(separator: "\n\n") {
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
                    try shell.settle(after: shell.nature(of: shell.checked(statement)))
                } catch {
                    Issue.record("\(statement.source): \(error)")
                }
                count += 1
            }
        }
        #expect(count > 30)
    }

    private func block(_ language: String) throws -> String? {
        let text = try text
        guard let start = text.range(of: "```\(language)\n"),
            let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
