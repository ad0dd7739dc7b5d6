import Foundation
import TestSupport
import Testing

/// Tests of the program in the place where `make install` puts it: it finds the session library from any folder.
@Suite(.onOwnThreads) struct InstalledTests {
    @Test func `an installed program finds the session library and deletes none of its files`() throws {
        let sandbox = try Sandbox()
        let files = FileManager.default
        for folder in ["prefix/bin", "prefix/share/imrepl/sessions/common"] {
            try files.createDirectory(atPath: sandbox.file(folder), withIntermediateDirectories: true)
        }
        let program = sandbox.file("prefix/bin/imrepl")
        // `cp` writes the program. If this process wrote it, the file could still be open in a process that another
        // test starts at that time, and a program that is open for writing cannot run.
        #expect(try sandbox.tool("cp", try Program.imrepl(), program).status == 0)
        let name = "c-12-silence-on-both-sides"
        let sessions = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("sessions/common")
        for file in ["\(name).imr", "\(name).pcapng"] {
            try files.copyItem(
                atPath: sessions.appendingPathComponent(file).path,
                toPath: sandbox.file("prefix/share/imrepl/sessions/common/\(file)"))
        }
        func runInstalled(_ arguments: String...) throws -> Program.Result { try sandbox.run(program, arguments) }
        #expect(try runInstalled("sessions").output.contains(name))
        #expect(try runInstalled("show", name).status == 0)
        #expect(try runInstalled("help", "C-12").output.contains("common/\(name).imr"))
        let deleted = try runInstalled("sessions", "delete", name)
        #expect(deleted.status == 2 && deleted.errors.contains("belongs to the session library"))
        #expect(files.fileExists(atPath: sandbox.file("prefix/share/imrepl/sessions/common/\(name).pcapng")))
    }
}
