import Foundation
import TestSupport
import Testing

/// `rehearse`: what an app sees differently with another version, for the traps of the vendors' guides.
@Suite(.onOwnThreads) struct RehearseTests {
    private let sandbox: Sandbox

    init() throws {
        sandbox = try Sandbox()
        try sandbox.write(
            """
            #! imrepl script 1
            # title: a refused token
            # profile: agora-chat

            client new phone --platform ios
            @phone login alice
            @phone expect state online within 5s
            @phone net down
            @phone renew-token --token wrong
            @phone net up
            @phone expect callback userAccountDidForcedToLogout code=202 within 40s

            """, "token.imr")
        try sandbox.write(
            """
            #! imrepl script 1
            # title: a place that is taken
            # profile: nim

            client new phone --platform ios
            client new pad --platform ipad
            @phone login alice
            @phone expect state online within 5s
            @phone net down
            wait 100s
            @pad login alice
            @pad expect state online within 5s
            @phone net up
            @phone expect callback onKick reason=1 within 70s

            """, "place.imr")
    }

    /// The line of an event, and the line of the guide after it.
    private func explanation(of event: String, in lines: [String]) -> String? {
        lines.firstIndex { $0.contains(event) }.map { lines[$0 + 1] }
    }

    @Test func `a silent logout of Chat 5 is named`() throws {
        let result = try sandbox.imrepl("rehearse", "token.imr", "--from", "agora-chat@4", "--to", "agora-chat@5")
        #expect(result.status == 1, "\(result)")
        let guide = explanation(of: "phone callback userAccountDidForcedToLogout code=", in: result.lines)
        #expect(guide?.contains("104, 110, 204 and 213 end the login without a callback") == true, "\(result)")
        #expect(result.lines.contains { $0.hasPrefix("token.imr: - +") })
    }

    @Test func `a reconnect of NIM V2 that gets 417 is named`() throws {
        let result = try sandbox.imrepl("rehearse", "place.imr", "--from", "nim@v1", "--to", "nim@v2")
        #expect(result.status == 1, "\(result)")
        let guide = explanation(of: "phone callback onLoginFailed error=NIMRemoteErrorCodeExist(417)", in: result.lines)
        #expect(guide?.contains("forceMode counts as false in a reconnect") == true, "\(result)")
        #expect(result.lines.contains { $0.contains("phone callback onKick reason=") })
    }

    @Test func `the same version differs in nothing, and a version of another system is refused`() throws {
        let same = try sandbox.imrepl("rehearse", "token.imr", "--from", "agora-chat@4", "--to", "agora-chat@4")
        #expect(same.status == 0 && same.lines == ["nothing differs"], "\(same)")
        #expect(try sandbox.imrepl("rehearse", "token.imr", "--from", "nim@v1", "--to", "agora-chat@5").status == 2)
        #expect(try sandbox.imrepl("rehearse", "token.imr", "--from", "nim@v1", "--to", "nim@v2").status == 2)
    }

    @Test func `a recording of a version opens`() throws {
        let made = try sandbox.imrepl(
            "run", "token.imr", "--profile", "agora-chat@4", "--record", "four.pcapng", "--no-rc")
        #expect(made.status == 0, "\(made)")
        #expect(try sandbox.imrepl("verify", "four.pcapng").status == 0)
        _ = try sandbox.imrepl(
            "--profile", "nim@v2", "--world", "simulated", "--record", "two.pcapng", "-c", "login alice", "-c",
            "wait 5s")
        #expect(try sandbox.imrepl("verify", "two.pcapng").status == 0)
        #expect(try sandbox.imrepl("show", "two.pcapng").output.contains("callback onLoginStatus status=LOGINED(1)"))
    }
}
