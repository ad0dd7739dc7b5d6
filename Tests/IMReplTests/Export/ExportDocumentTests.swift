import Foundation
import IMProfiles
import Recorder
import Testing

@testable import IMDebugger
@testable import IMExport
@testable import IMRepl
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests of the content of exports. A user's text must not be interpreted as syntax of the format.
@Suite struct ExportDocumentTests {
    /// Runs lines in a simulated world and returns the recording.
    private func session(_ lines: [String], title: String = "a test") throws -> ExportedSession {
        var settings = WorldSettings.forTests
        settings.profile = "nim"
        let plan = try WorldPlan(
            settings, head: ScriptMetadata(), defaultKind: .simulated, isScripted: true, title: title)
        let sink = MemorySink()
        let shell = try Shell(plan, recording: .memory(sink), output: LineOutput.silent, isInteractive: false)
        for line in lines {
            let statement = try #require(try Statement.parse(line))
            try ScriptRunner.execute(statement, in: shell)
        }
        try shell.close()
        return try ExportedSession(reader: SessionReader(bytes: sink.bytes), path: "folder/test.pcapng")
    }

    private static let kick = [
        "client new phone --platform ios", "client new pad --platform ios", "@phone login alice",
        "@phone expect state online within 5s", "@pad login alice", "@pad expect state online within 5s",
        "@phone expect state kicked within 5s", "rec mark 'lift door'", "@pad net down", "wait 90s", "@pad net up",
        "wait 30s",
    ]

    /// The JSON data in a page.
    private func data(of page: String) throws -> [String: Any] {
        let begin = try #require(page.range(of: #"<script type="application/json" id="data">"#))
        let end = try #require(page.range(of: "</script>", range: begin.upperBound..<page.endIndex))
        let json = Data(page[begin.upperBound..<end.lowerBound].utf8)
        return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
    }

    @Test func theSameSessionGivesTheSamePage() throws {
        let first = try PageExport(session(Self.kick)).page()
        #expect(try PageExport(session(Self.kick)).page() == first)
        #expect(!first.contains("folder/"))
    }

    /// No format hides a part of a user's text, and each format gives the same output every time.
    @Test(arguments: ExportFormat.allCases)
    func noFormatHidesAUsersText(form: ExportFormat) throws {
        let texts = Extremes.texts.filter { !$0.contains("\0") && !$0.isEmpty }
        let lines = Self.kick + texts.map { "rec mark \($0.quoted)" } + texts.map { "@pad send bob \($0.quoted)" }
        let title = texts.joined(separator: " ")
        let text = try session(lines, title: title).text(as: form)
        #expect(text.contains("lift door"))
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) where form.isText {
            #expect(!line.unicodeScalars.contains { $0 != "\t" && VisibleText.isHidden($0) }, "\(line)")
        }
        #expect(try session(lines, title: title).text(as: form) == text)
    }

    @Test func aPageMakesNoRequests() throws {
        let page = try PageExport(session(Self.kick)).page()
        for word in ["http:", "https:", "src=", "href=", "@import", "url(", "innerHTML", "eval(", "fetch("] {
            #expect(!page.contains(word), "\(word)")
        }
        #expect(page.contains("default-src 'none'"))
        // The page has two complete script elements: the data and the program.
        #expect(page.components(separatedBy: "<script").count == 3)
        #expect(page.components(separatedBy: "</script>").count == 3)
        #expect(!page.contains("{{"))
    }

    @Test func aUsersTextIsNeverMarkup() throws {
        let hostile = "</script><script>alert(1)</script><!-- {{data}} {{script}} & \"quoted\" \\ \u{2028}"
        let session = try session(
            ["client new phone --platform ios", "rec mark 'a </script><b>&amp;{{data}}|`x`'"], title: hostile)
        let page = try PageExport(session).page()
        #expect(page.components(separatedBy: "</script>").count == 3)
        #expect(page.components(separatedBy: "<script").count == 3)
        let data = try data(of: page)
        #expect((data["head"] as? [String: String])?["title"] == VisibleText.of(hostile))
        #expect((data["texts"] as? [String])?.contains("mark a </script><b>&amp;{{data}}|`x`") == true)
        #expect(page.contains("<title>&lt;/script&gt;"))
    }

    @Test func everyColumnHasEveryEvent() throws {
        let session = try session(Self.kick)
        let data = try data(of: try PageExport(session).page())
        let count = Int(session.reader.eventCount)
        for column in ["dt", "node", "kind", "text", "facts", "dir", "link", "peer", "weight", "what"] {
            #expect((data[column] as? [Int])?.count == count, "\(column)")
        }
        let times = try #require(data["dt"] as? [Int])
        let last = try #require(try SessionPicture(session).events.last)
        #expect(Int64(times.reduce(0, +)) == last.time.nanoseconds)
        // The two ends of a frame refer to each other.
        let peers = try #require(data["peer"] as? [Int])
        let pairs = peers.indices.filter { peers[$0] >= 0 }
        #expect(pairs.count > 10)
        #expect(pairs.allSatisfy { peers[peers[$0]] == $0 })
    }

    /// The changes in the page's data, applied as the page does it, give the state after the last event.
    @Test func theChangesAddUpToTheState() throws {
        let session = try session(Self.kick)
        let states = PageStates(session)
        #expect(states.absence == nil)
        var known: [NodeIndex: [String: String]] = [:]
        for change in states.changes {
            for leaf in change.leaves { known[change.node, default: [:]][leaf.path] = leaf.value }
        }
        let timeline = try Timeline(reader: session.reader, schema: IMSessionSchema())
        let replay = try timeline.state(at: timeline.count)
        #expect(replay.running.count == 3)
        for node in replay.running {
            let json = try IMSessionSchema().encodeState(try #require(replay[node]))
            let leaves = StateLeaves.read(json)
            #expect(leaves.count == known[node]?.count)
            for leaf in leaves {
                let path = leaf.path.drop { $0 != "." }.dropFirst()
                #expect(known[node]?[String(path)] == leaf.value, "\(leaf.path)")
            }
        }
    }

    @Test func leavesOfAState() {
        let json = #"{"a":{"_0":{"b":[1,{"c":"x,}\"y"}],"d":{},"e":[]}},"f":true,"g":-1.5e3}"#
        #expect(
            StateLeaves.read(Array(json.utf8)).map { "\($0.path)=\($0.value)" } == [
                "a.b[0]=1", #"a.b[1].c="x,}\"y""#, "a.d={}", "a.e=[]", "f=true", "g=-1.5e3",
            ])
        // A truncated or invalid state is read up to the error, without a trap.
        for length in 0...json.utf8.count { _ = StateLeaves.read(Array(json.utf8.prefix(length))) }
        for text in ["{", "[", "\"", "{\"a\"", "{\"a\":", "[1", "\\", "}", "{]", String(repeating: "[", count: 9_999)] {
            _ = StateLeaves.read(Array(text.utf8))
        }
    }

    @Test func aDiagramShowsTheScenario() throws {
        let lines = try MermaidDiagram(picture: SessionPicture(session(Self.kick))).lines
        #expect(
            lines.prefix(4) == [
                "sequenceDiagram", "    participant n1 as phone", "    participant n0 as server",
                "    participant n2 as pad",
            ])
        #expect(lines.contains { $0.hasPrefix("    n0-xn1: kicked reason=") && $0.hasSuffix("(Kick) (10ms)") })
        #expect(lines.contains { $0.hasPrefix("    Note over n1: +") && $0.contains("online → kicked") })
        #expect(lines.contains { $0.hasPrefix("    Note over n1,n2: +") && $0.hasSuffix("mark lift door") })
        #expect(lines.contains { $0.hasSuffix("net down") })
        #expect(!lines.contains { $0.contains("heartbeat") })
    }

    @Test func aLongDiagramIsTruncatedWithANotice() throws {
        var diagram = try MermaidDiagram(picture: SessionPicture(session(Self.kick)))
        let whole = diagram.lines.count
        diagram.stepsMax = 5
        #expect(diagram.lines.count == 4 + 5 + 1)
        #expect(diagram.lines.last?.contains("the first 5 of \(whole - 4) steps") == true)
    }

    @Test func aDiagramTakesNoTextForSyntax() {
        #expect(MermaidDiagram.escaped("a;b #1 <br> %%x\ny") == "a#59;b #35;1 #60;br#62; #37;#37;x#92;u#123;a#125;y")
    }

    @Test func aReportHasItsParts() throws {
        let lines = try ReportDocument(session(Self.kick, title: "kick | in *the* lift")).lines
        #expect(lines.first == #"# kick \| in \*the\* lift"#)
        for part in ["## What happened", "## How it ended", "## Marks", "## Frames", "```mermaid"] {
            #expect(lines.contains(part), "\(part)")
        }
        #expect(lines.contains { $0.hasPrefix("| Verified | replayed, all ") && $0.hasSuffix(" events identical |") })
        #expect(lines.contains("| phone | kicked |"))
        #expect(lines.contains { $0.hasSuffix("lift door") && $0.hasPrefix("- #") })
        // Each table row has five delimiters, whatever its cells contain.
        let rows = lines.filter { $0.hasPrefix("| ") && $0.contains("+0.0") }
        #expect(rows.allSatisfy { $0.replacing(#"\|"#, with: "").filter { $0 == "|" }.count == 5 })
    }

    @Test func theServerIsBetweenItsClients() throws {
        func order(_ clients: [String]) throws -> [String] {
            let picture = try SessionPicture(session(clients.map { "client new \($0) --platform ios" }))
            return picture.lanes.map { picture.nodes[$0].name }
        }
        #expect(try order(["a"]) == ["a", "server"])
        #expect(try order(["a", "b", "c"]) == ["a", "b", "server", "c"])
    }
}
