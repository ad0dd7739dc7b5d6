import TestSupport
import Testing

/// A session over real sockets is exported as a script, which runs again in virtual time.
@Suite(.onOwnThreads) struct LiveScriptTests {
    @Test func `a session typed live becomes a script that passes`() throws {
        let sandbox = try Sandbox()
        let lines = [
            "client new phone", "login alice", "expect state online within 10s", "client new pad", "login alice",
            "expect state online within 10s", "@phone expect state kicked within 10s", "@phone login alice",
            "@phone expect state online within 10s", "@pad expect state kicked within 10s",
        ]
        let live = try sandbox.imrepl(
            ["--world", "live", "--record", "live.pcapng"] + lines.flatMap { ["-c", $0] })
        #expect(live.status == 0, "\(live.errors)")
        let written = try sandbox.imrepl("export", "live.pcapng", "--as", "script", "-o", "told.imr")
        #expect(written.status == 0, "\(written.errors)")
        let test = try sandbox.imrepl("test", "told.imr")
        #expect(test.status == 0, "\(test.output)\(test.errors)")
        #expect(test.output.contains("1 passed, 0 failed"))
    }
}
