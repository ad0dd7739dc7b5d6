import Foundation
import TestSupport
import Testing

/// Tests of `imrepl why` and `imrepl why-not`, which answer one question about a recording or a log.
@Suite(.onOwnThreads) struct WhyProgramTests {
    @Test func `why explains a number, an expression and the end as at the prompt`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let kick = try sandbox.event(where: "callback == onKick", in: "kick.pcapng")
        let atPrompt = try sandbox.imrepl("replay", "kick.pcapng", "-c", "why \(kick)").output
        for words in [["\(kick)"], ["#\(kick)"], ["callback == onKick"], ["callback", "==", "onKick"]] {
            let result = try sandbox.imrepl(["why", "kick.pcapng"] + words)
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output == atPrompt)
        }
        let end = try sandbox.imrepl("why", "kick.pcapng").output
        #expect(try sandbox.imrepl("replay", "kick.pcapng", "-c", "goto end", "-c", "why").output.hasSuffix(end))
        let json = try sandbox.imrepl("replay", "kick.pcapng", "--json", "-c", "why \(kick)").lines
        let inOneCall = try sandbox.imrepl("why", "kick.pcapng", "\(kick)", "--json").lines
        #expect(inOneCall.count == 2)
        #expect(json.contains(inOneCall.first ?? "none"))
        #expect(inOneCall.last == #"{"schema":1,"type":"end","status":0}"#)
    }

    @Test func `the exit code shows whether there is such an event`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        for words in [["9999"], ["0"], ["callback == onFoo"], ["mark:none"]] {
            #expect(try sandbox.imrepl(["why", "kick.pcapng"] + words).status == 1, "\(words)")
        }
        #expect(try sandbox.imrepl("why", "kick.pcapng", "callback = onKick").status == 2)
        #expect(try sandbox.imrepl("why").status == 2)
        #expect(try sandbox.imrepl("why", "none.pcapng").status == 5)
        let json = try sandbox.imrepl("why", "kick.pcapng", "9999", "--json")
        #expect(json.lines.last == #"{"schema":1,"type":"end","status":1}"#)
        #expect(json.lines.first?.contains(#""type":"notice","text":"there is no event 9999"#) == true)
    }

    @Test func `why-not answers for the end of a recording`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let result = try sandbox.imrepl("why-not", "kick.pcapng", "node == phone and to == online")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("blocked: phone has been kicked since #"), "\(result.output)")
        #expect(try sandbox.imrepl("why-not", "kick.pcapng", "kick", "--json").lines.count == 2)
        #expect(try sandbox.imrepl("why-not", "kick.pcapng").status == 2)
        #expect(try sandbox.imrepl("why-not", "kick.pcapng", "node ==").status == 2)
    }

    @Test func `a log is read without an import`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(
            """
            2026-11-20 09:31:02.391 [IM] start process
            2026-11-20 09:31:02.400 [IM] call login user=alice token=abcdefghijkl
            2026-11-20 09:31:02.500 [IM] onLogin step=8
            2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=2

            """, "app.log")
        _ = try sandbox.imrepl("import", "app.log", "-o", "app.pcapng")
        let files = try sandbox.files()
        for question in [["why", "callback == onKick"], ["why"], ["why-not", "to == online"]] {
            let (command, words) = (question[0], Array(question.dropFirst()))
            let ofLog = try sandbox.imrepl([command, "app.log"] + words)
            #expect(ofLog.status == 0, "\(ofLog.errors)")
            #expect(try ofLog.output == sandbox.imrepl([command, "app.pcapng"] + words).output)
        }
        #expect(try sandbox.files() == files)
    }
}
