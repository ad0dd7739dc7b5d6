import Foundation
import IMExport
import TestSupport
import Testing

/// Tests of `imrepl export`: its output files, its errors and its formats.
@Suite(.onOwnThreads) struct ExportTests {
    @Test func `a page is written beside its recording, and never replaces a file`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let made = try sandbox.imrepl("export", "kick.pcapng", "--as", "html")
        #expect(made.status == 0, "\(made.errors)")
        #expect(made.output == "")
        #expect(made.errorLines == ["wrote kick.html"])
        let page = try sandbox.data("kick.html")
        #expect(page.starts(with: Data("<!doctype html>".utf8)))

        let again = try sandbox.imrepl("export", "kick.pcapng", "--as", "html")
        #expect(again.status == 3)
        #expect(again.errors.contains("--force replaces it"))
        let forced = try sandbox.imrepl("export", "kick.pcapng", "--as", "html", "--force")
        #expect(forced.status == 0)
        #expect(try sandbox.data("kick.html") == page)
        let piped = try sandbox.imrepl("export", "kick.pcapng", "--as", "html", "-o", "-")
        #expect(piped.outputBytes == page)
    }

    @Test func `exported events equal the output of show`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let exported = try sandbox.imrepl("export", "kick.pcapng", "--as", "ndjson")
        #expect(exported.status == 0, "\(exported.errors)")
        #expect(exported.errors == "")
        #expect(exported.output == (try sandbox.imrepl("show", "kick.pcapng", "--json").output))
        let file = try sandbox.imrepl("export", "kick.pcapng", "--as", "ndjson", "-o", "kick.ndjson")
        #expect(file.output == "")
        #expect(try sandbox.data("kick.ndjson") == exported.outputBytes)
    }

    @Test func `a diagram and a report for an issue tracker`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let diagram = try sandbox.imrepl("export", "kick.pcapng", "--as", "mermaid")
        #expect(diagram.status == 0, "\(diagram.errors)")
        #expect(diagram.lines.first == "sequenceDiagram")
        #expect(diagram.output.contains("-x"))
        let report = try sandbox.imrepl("export", "kick.pcapng", "--as", "md")
        #expect(report.status == 0, "\(report.errors)")
        #expect(report.output.contains("| phone | kicked |"))
        #expect(report.output.contains(diagram.output.trimmingCharacters(in: .newlines)))
    }

    @Test(arguments: ExportFormat.allCases.map(\.rawValue))
    func `a file that is not a recording gives an error and no output file`(form: String) throws {
        let sandbox = try Sandbox()
        try sandbox.write("no recording", "junk.pcapng")
        let junk = try sandbox.imrepl("export", "junk.pcapng", "--as", form, "-o", "out")
        #expect(junk.status == 5)
        #expect(junk.errors.contains("junk.pcapng"))
        let missing = try sandbox.imrepl("export", "nothing.pcapng", "--as", form, "-o", "out")
        #expect(missing.status == 5)
        #expect(try !sandbox.files().contains("out"))
    }

    @Test func `a damaged recording leaves no partial export`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        var bytes = try sandbox.data("kick.pcapng")
        bytes[bytes.count / 2] ^= 0x55
        try sandbox.write(bytes, "kick.pcapng")
        for form in ExportFormat.allCases.map(\.rawValue) {
            let result = try sandbox.imrepl("export", "kick.pcapng", "--as", form, "-o", "out")
            #expect(result.status == 5, "\(form): \(result.errors)")
            #expect(try !sandbox.files().contains("out"), "\(form)")
        }
    }

    @Test func `an export never overwrites its recording`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let before = try sandbox.data("kick.pcapng")
        let result = try sandbox.imrepl("export", "kick.pcapng", "--as", "md", "-o", "./kick.pcapng", "--force")
        #expect(result.status == 2)
        #expect(try sandbox.data("kick.pcapng") == before)
        let folder = try sandbox.imrepl("export", "kick.pcapng", "--as", "md", "-o", "no/such/folder.md")
        #expect(folder.status == 3)
    }

    @Test func `a truncated recording is exported up to its last complete event`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let bytes = try sandbox.data("kick.pcapng")
        try sandbox.write(bytes.prefix(bytes.count * 3 / 4), "cut.pcapng")
        let result = try sandbox.imrepl("export", "cut.pcapng", "--as", "md")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.errors.contains("closing record missing"))
        #expect(result.output.contains("| Complete | no: closing record missing"))
    }

    @Test func `the shell draws its timeline as plain text when the output is not a terminal`() throws {
        let sandbox = try Sandbox()
        let script = "client new phone --platform ios\nlogin alice\nexpect state online within 5s\ntimeline\n"
        let result = try sandbox.imrepl("--world", "simulated", input: Data(script.utf8))
        #expect(result.status == 0, "\(result.errors)")
        let strip = try #require(result.lines.first { $0.hasPrefix("phone ") })
        #expect(strip.utf8.allSatisfy { $0 < 0x7F })
        #expect(strip.utf8.count == 80)
        #expect(strip.contains("o"))
    }
}
