import Testing

@testable import IMAgent

/// Tests of the agent protocol as a value: lines go in, lines or calls of tools come out.
@Suite struct AgentConnectionTests {
    private static let tool = AgentTool(
        "why", title: "Why", text: "Why?",
        [.init("file", .text(bytesMax: 8), isRequired: true, "A file."), .init("limit", .number(1...9), "How many.")],
        answerSchema: "{\"type\":\"object\"}")

    private var connection = AgentConnection(tools: [Self.tool], version: "1.0", instructions: "Ask.")

    private static let meta =
        "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
        + "\"io.modelcontextprotocol/clientCapabilities\":{}}"

    private mutating func answer(_ line: String) throws -> JSONValue {
        guard case .line(let text)? = connection.receive(line) else { throw NoLine() }
        return try #require(JSONValue(text))
    }

    private mutating func isUnanswered(_ line: String) -> Bool {
        if case nil = connection.receive(line) { true } else { false }
    }

    private struct NoLine: Error {}

    private mutating func begin() throws {
        _ = try answer(
            #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{}}}"#
        )
        #expect(isUnanswered(#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#))
    }

    @Test mutating func `an older client initializes, and gets its version or the newest older one`() throws {
        for (requested, selected) in [("2024-11-05", "2024-11-05"), ("2026-07-28", "2025-11-25"), ("x", "2025-11-25")] {
            let answer = try answer(
                #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(requested)"}}"#)
            #expect(answer["id"] == .string("a"))
            #expect(answer["result"]?["protocolVersion"]?.text == selected)
            #expect(answer["result"]?["resultType"] == nil)
        }
        #expect(try answer(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)["result"] == .object([]))
        #expect(try answer(#"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)["result"]?["ttlMs"] == nil)
    }

    @Test mutating func `a newer client names its version in each request`() throws {
        let found = try answer(
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\",\"params\":{\(Self.meta)}}")
        #expect(found["result"]?["resultType"]?.text == "complete")
        #expect(found["result"]?["supportedVersions"] != nil)
        let list = try answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\(Self.meta)}}")
        #expect(list["result"]?["ttlMs"]?.integer != nil)
        #expect(list["result"]?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"]?.text == "imrepl")
        let old = Self.meta.replacing("2026-07-28", with: "2030-01-01")
        let refused = try answer("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\(old)}}")
        #expect(refused["error"]?["code"]?.integer == -32022)
        #expect(refused["error"]?["data"]?["requested"]?.text == "2030-01-01")
        let bare = try answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
        #expect(bare["error"]?["code"]?.integer == -32602)
        let half = #"{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
        let lacking = try answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":\#(half)}}"#)
        #expect(lacking["error"]?["code"]?.integer == -32602)
    }

    @Test(
        arguments: [
            ("{", -32700), ("[]", -32600), ("7", -32600), (#"{"id":1,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600),
            (#"{"jsonrpc":"2.0","id":1,"method":"sampling"}"#, -32601),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"none"}}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":7}"#, -32602),
            (#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, -32602),
            (String(repeating: "[", count: 100_000), -32700),
        ])
    mutating func `a bad line gets an error, and the next line is answered`(_ line: String, _ code: Int) throws {
        try begin()
        #expect(try answer(line)["error"]?["code"]?.integer == code)
        #expect(try answer(#"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["id"]?.integer == 9)
    }

    @Test mutating func `arguments are checked before a tool runs`() throws {
        try begin()
        func line(_ arguments: String) -> String {
            #"{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"why","arguments":\#(arguments)}}"#
        }
        for arguments in [
            "{}", #"{"file":7}"#, #"{"file":"123456789"}"#, #"{"file":"a","limit":0}"#, #"{"file":"a","x":1}"#, "[]",
        ] {
            #expect(try answer(line(arguments))["result"]?["isError"] == .bool(true), "\(arguments)")
        }
        guard case .call(let call)? = connection.receive(line(#"{"file":"a\u00e9"}"#)) else { throw NoLine() }
        #expect(call.tool == "why")
        #expect(call.arguments["file"]?.text == "aé")
        let answered = try #require(JSONValue(connection.answer(call, with: .object(#"{"type":"why"}"#))))
        #expect(answered["id"]?.integer == 3)
        #expect(answered["result"]?["structuredContent"]?["type"]?.text == "why")
        let failed = try #require(JSONValue(connection.answer(call, with: .failure("no\nfile"))))
        #expect(failed["result"]?["isError"] == .bool(true))
    }

    @Test mutating func `notifications and answers are not answered`() {
        for line in [
            #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#,
            #"{"jsonrpc":"2.0","id":1,"result":{}}"#, "", "  ",
        ] { #expect(isUnanswered(line), "\(line)") }
    }

    @Test func `a long line is skipped to its end`() {
        var splitter = LineSplitter(bytesMax: 4)
        #expect(splitter.feed("ab\n12345678\ncd".utf8) == [.line("ab"), .tooLong])
        #expect(splitter.end() == .line("cd"))
        #expect(splitter.end() == nil)
    }

    @Test(
        arguments: [
            #"{"a":[1,-2.5e+3,true,false,null,"x\n\"\\é"]}"#, "[]", "{}", "\"\"", "0",
        ])
    func `JSON is read and written`(_ text: String) throws {
        #expect(try #require(JSONValue(text)).line == text)
    }

    @Test(arguments: [
        "", "{", "01", "1.", "+1", "\"\\x\"", "\"\\ud800\"", "\"\n\"", "{\"a\"}", "[1,]", "tru", "1 2", "-",
    ])
    func `invalid JSON is refused`(_ text: String) { #expect(JSONValue(text) == nil) }
}
