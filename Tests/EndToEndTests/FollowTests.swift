import Foundation
import TestSupport
import Testing

/// Tests of `follow` for recordings: it prints existing events, new events, and then ends.
@Suite(.onOwnThreads) struct FollowTests {
    @Test func `follow prints a growing recording, filtered, until it is closed`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("whole.pcapng")
        let whole = [UInt8](try sandbox.data("whole.pcapng"))
        // The first half of the recording. Its last event is truncated.
        try sandbox.write(Data(whole[..<(whole.count / 2 + 3)]), "grows.pcapng")
        let follow = try sandbox.start("follow", "grows.pcapng", "--filter", "kind == transition")
        _ = try follow.line("the first state") { $0.contains("logged-out → connecting") }
        let file = try #require(FileHandle(forWritingAtPath: sandbox.file("grows.pcapng")))
        try file.seekToEnd()
        try file.write(contentsOf: Data(whole[(whole.count / 2 + 3)...]))
        try file.close()
        #expect(try follow.end() == 0)
        let shown = try sandbox.imrepl("show", "whole.pcapng", "--filter", "kind == transition")
        #expect(follow.lines == shown.lines)
    }

    @Test func `follow prints a closed recording like show`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("kick.pcapng")
        let json = try sandbox.imrepl("follow", "kick.pcapng", "--json")
        let shown = try sandbox.imrepl("show", "kick.pcapng", "--json")
        #expect(json.lines.filter { $0.contains("\"n\":") }.count == shown.lines.count)
    }

    @Test func `follow filters a log, and an address gives a hint`() throws {
        let sandbox = try Sandbox()
        let log = "2026-11-20 09:31:02.500 [IM] onLogin step=8\n2026-11-20 09:31:10.500 [IM] onKick reason=1\n"
        let result = try sandbox.imrepl(
            "follow", "-", "--filter", "callback == onKick and t > 5s", input: Data(log.utf8))
        #expect(result.lines.count == 2 && result.lines[0].contains("onKick"), "\(result)")
        let url = try sandbox.imrepl("follow", "ws://example.test:7000/nim")
        #expect(url.status == 2)
        #expect(url.errors.contains("imrepl serve --record FILE") && url.errors.contains("ssh example.test"))
    }
}
