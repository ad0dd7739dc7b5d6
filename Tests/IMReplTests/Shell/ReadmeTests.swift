import Foundation
import Testing

@testable import IMRepl

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
            path: "\(SessionLibrary.folder)/s-08-kicked-while-reconnecting.pcapng",
            output: Output(colour: false, to: printed.add))
        #expect(try ReplayScript(Array(typed.utf8), named: "README").run(in: session) == .ok)
        for line in shown { #expect(printed.lines.contains(line), "not printed: \(line)") }
    }

    /// The commands of the first session, typed in the order of the text.
    @Test func theFirstSessionDoesWhatTheTextSays() throws {
        let text = try readme
        let start = try #require(text.range(of: "## A first session"))
        let end = try #require(text.range(of: "Then `query state`"))
        let typed = text[start.upperBound..<end.lowerBound].split(separator: "\n")
            .filter { $0.hasPrefix("    ") }.map { $0.dropFirst(4) }
        #expect(typed.count == 7)
        let rest = [
            "query state", "server devices alice", "server kick alice", "wait 1s", "expect state kicked", "logout",
        ]
        let source = (typed.map { "\($0)\nwait 1s" } + rest).joined(separator: "\n")
        let printed = try Played.lines(source)
        #expect(printed.contains { $0.contains("phone") && $0.contains("onKick") })
        #expect(printed.contains { $0.contains("pad") && $0.contains("state reconnecting →") })
    }

    private func block(_ language: String) throws -> String? {
        let text = try readme
        guard let start = text.range(of: "```\(language)\n"),
            let end = text.range(of: "```", range: start.upperBound..<text.endIndex)
        else { return nil }
        return String(text[start.upperBound..<end.lowerBound])
    }
}
