import Foundation
import TestSupport
import Testing

/// Tests of `imrepl mcp`: the built program is used through a pipe.
@Suite(.onOwnThreads) struct MCPTests {
    private var meta: [String: Any] {
        ["io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": [:]]
    }

    private func request(_ id: Int, _ method: String, _ params: [String: Any] = [:]) throws -> String {
        let object: [String: Any] = ["jsonrpc": "2.0", "id": id, "method": method, "params": params]
        return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
    }

    private func call(_ id: Int, _ tool: String, _ arguments: [String: Any]) throws -> String {
        try request(id, "tools/call", ["name": tool, "arguments": arguments])
    }

    /// Sends lines to the program, and returns its answers.
    private func exchange(_ sandbox: Sandbox, _ lines: [String], _ options: [String] = []) throws -> [[String: Any]] {
        let result = try sandbox.imrepl(["mcp"] + options, input: Data((lines.joined(separator: "\n") + "\n").utf8))
        #expect(result.status == 0, "\(result.errors)")
        return try result.lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }
    }

    private func older(_ sandbox: Sandbox, _ lines: [String], _ options: [String] = []) throws -> [[String: Any]] {
        let begin = try request(0, "initialize", ["protocolVersion": "2025-06-18", "capabilities": [:]])
        let answers = try exchange(
            sandbox, [begin, #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#] + lines, options)
        #expect((answers.first?["result"] as? [String: Any])?["protocolVersion"] as? String == "2025-06-18")
        return Array(answers.dropFirst())
    }

    private func result(_ answer: [String: Any]?) throws -> [String: Any] {
        try #require(answer?["result"] as? [String: Any], "\(answer ?? [:])")
    }

    private func content(_ answer: [String: Any]?) throws -> [String: Any] {
        try #require(try result(answer)["structuredContent"] as? [String: Any], "\(answer ?? [:])")
    }

    private func code(_ answer: [String: Any]?) -> Int? { (answer?["error"] as? [String: Any])?["code"] as? Int }

    private func failure(_ answer: [String: Any]?) throws -> String? {
        let result = try result(answer)
        guard result["isError"] as? Bool == true else { return nil }
        return (result["content"] as? [[String: Any]])?.first?["text"] as? String
    }

    @Test func `an older client lists tools, calls why, and continues after bad lines`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let kick = try sandbox.event(where: "callback == onKick", in: "kick.pcapng")
        let answers = try older(
            sandbox,
            [
                request(1, "tools/list"), call(2, "why", ["file": "kick.pcapng", "event": "callback == onKick"]),
                "{bad", String(repeating: "x", count: 2 << 20), call(3, "no_tool", [:]),
                call(4, "run_script", ["script": "client new phone"]), request(5, "ping"),
            ])
        #expect(answers.count == 7)
        let tools = try #require(try result(answers[0])["tools"] as? [[String: Any]])
        #expect(
            tools.compactMap { $0["name"] as? String } == [
                "list_sessions", "import_log", "events", "state_at", "why", "why_not", "what_if", "reproduce", "help",
            ])
        let why = try content(answers[1])
        #expect(why["event"] as? Int == kick)
        #expect(why["rules"] as? [String] == ["NIM-11"])
        let inOneCall = try sandbox.imrepl("why", "kick.pcapng", "\(kick)", "--json").lines[0]
        let same = try JSONSerialization.jsonObject(with: Data(inOneCall.utf8)) as? NSDictionary
        #expect(same == why as NSDictionary)
        #expect(answers[2...5].map(code) == [-32700, -32600, -32602, -32602])
        #expect(answers[6]["id"] as? Int == 5)
    }

    @Test func `a newer client begins with server_discover`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let answers = try exchange(
            sandbox,
            [
                request(1, "server/discover", ["_meta": meta]), request(2, "tools/list"),
                request(3, "tools/call", ["_meta": meta, "name": "help", "arguments": ["words": "417"]]),
            ])
        let found = try result(answers.first)
        #expect((found["supportedVersions"] as? [String])?.first == "2026-07-28")
        #expect(found["resultType"] as? String == "complete")
        #expect(code(answers[1]) == -32602)
        #expect(try content(answers[2])["about"] as? String == "417")
        #expect(try result(answers[2])["resultType"] as? String == "complete")
    }

    @Test func `each tool answers its question, and no file is written`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick()
        let log = """
            2026-11-20 09:31:02.391 [IM] start process
            2026-11-20 09:31:02.400 [IM] call login user=alice token=abcdefghijkl
            2026-11-20 09:31:02.500 [IM] onLogin step=8
            2026-11-20 09:31:10.500 [IM] onKick reason=1 clientType=2

            """
        try sandbox.write(log, "app.log")
        let before = try sandbox.files().filter { !$0.hasPrefix(".run-") }
        let file: [String: Any] = ["file": "kick.pcapng"]
        func with(_ more: [String: Any]) -> [String: Any] { file.merging(more) { $1 } }
        let login = try sandbox.event(where: "node == pad and command == login", in: "kick.pcapng")
        let answers = try older(
            sandbox,
            [
                call(1, "list_sessions", [:]), call(2, "events", with(["filter": "kind == transition", "limit": 2])),
                call(3, "state_at", with(["node": "phone"])),
                call(4, "why_not", with(["condition": "node == pad and to == kicked"])),
                call(5, "what_if", with(["event": login, "change": "mute"])),
                call(6, "import_log", ["file": "app.log"]),
                call(7, "reproduce", ["file": "app.log", "seconds": 5]), call(8, "events", ["file": "app.log"]),
            ])
        let files = try #require(try content(answers[0])["sessions"] as? [[String: Any]])
        #expect(files.compactMap { $0["file"] as? String } == ["kick.pcapng", "app.log"])
        #expect((try content(answers[1])["events"] as? [[String: Any]])?.count == 2)
        #expect(try content(answers[1])["more"] as? Bool == true)
        #expect(try content(answers[2])["state"] as? String == "kicked")
        #expect(try content(answers[3])["holds"] as? Bool == false)
        #expect(try content(answers[4])["outcome"] as? String == "other")
        #expect(try content(answers[5])["understood"] as? Int == 4)
        #expect(try content(answers[6])["explained"] is Bool)
        #expect((try content(answers[7])["events"] as? [[String: Any]])?.isEmpty == false)
        #expect(try sandbox.files().filter { !$0.hasPrefix(".run-") } == before)
    }

    @Test func `no file outside of the folder is read`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("outside.pcapng")
        try FileManager.default.createDirectory(atPath: sandbox.file("inside"), withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: sandbox.file("inside/link.pcapng"), withDestinationPath: sandbox.file("outside.pcapng"))
        let names = [
            "../outside.pcapng", sandbox.file("outside.pcapng"), "link.pcapng", "-", "last", "", ".", "/dev/zero",
        ]
        let answers = try older(
            sandbox, try names.enumerated().map { try call($0, "why", ["file": $1]) }, ["inside"])
        #expect(answers.count == names.count)
        for (name, answer) in zip(names, answers) { #expect(try failure(answer) != nil, "\(name)") }
    }

    @Test func `a script runs only with --allow-run, and accesses no file`() throws {
        let sandbox = try Sandbox()
        let script = "client new phone\nlogin alice\nexpect state online within 5s\nwhy\n"
        try sandbox.write("secret", "token.txt")
        let answers = try older(
            sandbox,
            [
                call(1, "run_script", ["script": script]), call(2, "run_script", ["script": "rec start x.pcapng"]),
                call(3, "run_script", ["script": "source token.txt"]),
                call(4, "run_script", ["script": "client new phone\nlogin alice --token-file token.txt"]),
                call(5, "run_script", ["script": "client new phone\nexpect state online within 1s"]),
            ], ["--allow-run"])
        let run = try content(answers[0])
        #expect(run["status"] as? String == "ok")
        #expect((run["answers"] as? [[String: Any]])?.contains { $0["type"] as? String == "why" } == true)
        for answer in answers[1...3] { #expect(try failure(answer)?.contains("may not use files") == true) }
        #expect(try content(answers[4])["status"] as? String == "failed")
        #expect(try sandbox.recordings().isEmpty)
    }
}
