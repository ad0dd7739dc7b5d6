import Recorder
import Testing

@testable import IMExport
@testable import IMSession

/// A report's own metadata, and the handling of foreign ones.
@Suite struct ReportTextTests {
    private func report(note: String?, summary: [String] = ["first kick: #9", "it ends: phone kicked"]) -> BugReport {
        BugReport(
            note: note,
            about: BugReport.About(
                events: 12, complete: "yes", verified: "replayed", summary: summary, moment: 9, isRedacted: false,
                versions: [BugReport.Version(name: "swift", value: "6|3")]),
            document: "# kick\n\u{1B}[31mred")
    }

    @Test func aReportIsReadUnchanged() throws {
        for note in [nil, "two\nlines ✓"] {
            let made = report(note: note)
            let parts = try made.attachments()
            #expect(BugReport(parts) == made)
            #expect(try made.attachments() == parts)
            #expect(BugReport(parts.reversed()) == made)
        }
        #expect(BugReport([]) == nil)
        #expect(BugReport([SessionAttachment(name: "about.json", text: "{")]) == nil)
        #expect(BugReport([SessionAttachment(name: "note.txt", text: "hello")]) == nil)
    }

    @Test(
        arguments: [
            (
                nil,
                ["a report without a note", "first kick: #9", "it ends: phone kicked", "go there: goto 9, then why"]
            ),
            ("one", ["note: one", "first kick: #9", "it ends: phone kicked", "go there: goto 9, then why"]),
            (
                "one\ntwo",
                ["note: one", "      two", "first kick: #9", "it ends: phone kicked", "go there: goto 9, then why"]
            ),
            (
                "one\n\nthree",
                [
                    "note: one", "      … full text: imrepl report --print 'a b.pcapng'", "first kick: #9",
                    "it ends: phone kicked", "go there: goto 9, then why",
                ]
            ),
            (
                "\u{1B}[2Jone",
                ["note: \u{FFFD}[2Jone", "first kick: #9", "it ends: phone kicked", "go there: goto 9, then why"]
            ),
        ] as [(String?, [String])])
    func theHeadHasFiveLinesAtMost(note: String?, lines: [String]) {
        #expect(ReportText(report: report(note: note), path: "a b.pcapng").head == lines)
    }

    @Test func aLongLineIsCut() {
        let head = ReportText(report: report(note: String(repeating: "n", count: 101)), path: "a.pcapng").head
        #expect(head[0] == "note: \(String(repeating: "n", count: 99))…")
        #expect(head[1] == "      … full text: imrepl report --print a.pcapng")
        #expect(head.count == 5)
        let second = ReportText(report: report(note: "one\n\(String(repeating: "n", count: 101))"), path: "a.pcapng")
            .head
        #expect(second.prefix(2) == ["note: one", "      … full text: imrepl report --print a.pcapng"])
        #expect(second.count == 5)
        let exact = ReportText(report: report(note: String(repeating: "n", count: 100)), path: "a.pcapng").head
        #expect(exact[0] == "note: \(String(repeating: "n", count: 100))")
        #expect(exact.count == 4)
    }

    @Test func noControlCharacterReachesTheTerminal() {
        let text = ReportText(report: report(note: "a\u{7}b", summary: ["c\u{1B}d\ne"]), path: "a.pcapng")
        for line in text.head + text.top + text.markdown {
            #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }, "\(line)")
        }
        #expect(text.markdown.contains("| swift | 6\\|3 |"))
        #expect(text.top.last == "imrepl replay a.pcapng -c 'goto 9' -c why")
    }

    @Test func aDocumentThatIsTooLongEndsAtALine() {
        let lines = ["# kick", "```mermaid"] + (0..<200).map { "phone->>server: login \($0)" } + ["```"]
        let whole = lines.joined(separator: "\n")
        #expect(BugReport.document(lines, limit: whole.utf8.count) == whole)
        for limit in [300, 1000, whole.utf8.count - 1] {
            let cut = BugReport.document(lines, limit: limit)
            #expect(cut.utf8.count <= limit)
            let kept = cut.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            #expect(kept.count { $0.hasPrefix("```") } == 2)
            #expect(kept.last?.hasPrefix("`imrepl export --as md` writes ") == true)
            let shown = kept.prefix { $0 != "" }
            #expect(lines.starts(with: shown.dropLast()))
            #expect(
                kept.last == "`imrepl export --as md` writes \(lines.count - shown.count + 1) more lines.")
        }
    }
}
