/// The server side of a Model Context Protocol connection. It receives lines from a client and returns lines to send
/// and tool calls to run.
///
/// Two generations of the protocol are supported. In versions up to 2025-11-25 a client begins with `initialize`. In
/// version 2026-07-28 each request contains its protocol version instead. An invalid line is answered with an error and
/// does not end the connection.
public struct AgentConnection: Sendable {
    /// Protocol versions without a handshake: each request contains the version.
    static let statelessVersions = ["2026-07-28"]
    /// Protocol versions in which a client begins with the handshake `initialize`, newest first.
    static let handshakeVersions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]

    /// A tool call. ``answer(_:with:)`` creates the line with its result.
    public struct Call: Sendable {
        /// The tool's name.
        public var tool: String
        /// The arguments. They are already checked against the tool's declaration.
        public var arguments: JSONValue
        var id: JSONValue
        var isStateless: Bool
    }

    /// The reaction to a line of the client.
    public enum Output: Sendable {
        /// A line to send.
        case line(String)
        /// A tool to run.
        case call(Call)
    }

    /// The result of a tool call.
    public enum Answer: Sendable {
        /// The result, as the text of a JSON object.
        case object(String)
        /// The reason why the tool has no result, in one sentence.
        case failure(String)
    }

    private let tools: [AgentTool]
    private let version: String
    private let instructions: String
    private var hasHandshake = false

    /// - Parameters:
    ///   - version: the version of this program, for `serverInfo`.
    ///   - instructions: the purpose of the tools, as a text for the language model.
    public init(tools: [AgentTool], version: String, instructions: String) {
        (self.tools, self.version, self.instructions) = (tools, version, instructions)
    }

    private enum Code: Int {
        case parse = -32700
        case invalidRequest = -32600
        case noMethod = -32601
        case invalidParameters = -32602
        case unsupportedVersion = -32022
    }

    private struct Failure: Error {
        var code: Code
        var message: String
        var data: String?

        init(_ code: Code, _ message: String, data: String? = nil) {
            (self.code, self.message, self.data) = (code, message, data)
        }
    }

    /// Handles a line of the client. Nil if the line needs no reply.
    public mutating func receive(_ line: String) -> Output? {
        guard !line.allSatisfy(\.isWhitespace) else { return nil }
        guard let message = JSONValue(line) else { return refuse(.null, Failure(.parse, "the line is not JSON")) }
        guard case .object = message else {
            return refuse(.null, Failure(.invalidRequest, "a line must be one object; batches are not supported"))
        }
        let id = message["id"] ?? .null
        let hasID = id.text != nil || id.integer != nil
        guard message["jsonrpc"]?.text == "2.0" else {
            return refuse(hasID ? id : .null, Failure(.invalidRequest, "'jsonrpc' must be \"2.0\""))
        }
        guard let method = message["method"]?.text else {
            // The line is a response, but this side never sends requests, so it is ignored.
            if message["result"] != nil || message["error"] != nil { return nil }
            return refuse(hasID ? id : .null, Failure(.invalidRequest, "'method' is missing"))
        }
        // A message without an id is a notification: it gets no response, and none changes this connection's state.
        guard message["id"] != nil else { return nil }
        guard hasID else { return refuse(.null, Failure(.invalidRequest, "'id' must be a text or a whole number")) }
        do throws(Failure) {
            return try respond(to: method, message["params"] ?? .object([]), id)
        } catch {
            return refuse(id, error)
        }
    }

    /// The error response to a line that exceeds the maximum length. Its id is null, because the line was not stored.
    public func refuseLongLine(bytesMax: Int) -> String {
        Self.line(.null, Failure(.invalidRequest, "a line has at most \(bytesMax) bytes"))
    }

    /// The response line with a tool's answer.
    public func answer(_ call: Call, with answer: Answer) -> String {
        var members: [String]
        switch answer {
        case .object(let json):
            members = [
                "\"content\":[{\"type\":\"text\",\"text\":\(JSONValue.quoted(json))}]", "\"structuredContent\":\(json)",
                "\"isError\":false",
            ]
        case .failure(let text):
            members = ["\"content\":[{\"type\":\"text\",\"text\":\(JSONValue.quoted(text))}]", "\"isError\":true"]
        }
        if call.isStateless { members.append(completeness) }
        return Self.result(call.id, members)
    }

    // MARK: Requests

    private mutating func respond(to method: String, _ params: JSONValue, _ id: JSONValue) throws(Failure) -> Output {
        if method == "initialize" { return .line(try handshake(params, id)) }
        let isStateless = try isStateless(params)
        switch method {
        case "server/discover" where isStateless:
            let versions = Self.list(Self.statelessVersions + Self.handshakeVersions)
            return .line(
                Self.result(
                    id, ["\"supportedVersions\":\(versions)", capabilities, instructionsMember, caching, completeness]))
        case "ping" where !isStateless: return .line(Self.result(id, []))
        case "tools/list":
            let list = "\"tools\":[\(tools.map(\.object).joined(separator: ","))]"
            return .line(Self.result(id, isStateless ? [list, caching, completeness] : [list]))
        case "tools/call": return try call(params, id, isStateless)
        default: throw Failure(.noMethod, "there is no method '\(method.prefix(64))'")
        }
    }

    private mutating func handshake(_ params: JSONValue, _ id: JSONValue) throws(Failure) -> String {
        guard let requested = params["protocolVersion"]?.text else {
            throw Failure(.invalidParameters, "'protocolVersion' is missing")
        }
        hasHandshake = true
        let chosen = Self.handshakeVersions.contains(requested) ? requested : Self.handshakeVersions[0]
        return Self.result(
            id,
            [
                "\"protocolVersion\":\(JSONValue.quoted(chosen))", capabilities, "\"serverInfo\":\(serverInfo)",
                instructionsMember,
            ])
    }

    /// True if a request contains its protocol version, false if it belongs to a connection with a handshake.
    private func isStateless(_ params: JSONValue) throws(Failure) -> Bool {
        let meta = params["_meta"]
        guard let version = meta?["io.modelcontextprotocol/protocolVersion"] else {
            if hasHandshake { return false }
            throw Failure(
                .invalidParameters,
                "'_meta' must have 'io.modelcontextprotocol/protocolVersion'; an older client sends 'initialize' first")
        }
        guard let requested = version.text else {
            throw Failure(.invalidParameters, "'io.modelcontextprotocol/protocolVersion' must be a text")
        }
        guard Self.statelessVersions.contains(requested) else {
            let supported = Self.list(Self.statelessVersions + Self.handshakeVersions)
            throw Failure(
                .unsupportedVersion, "unsupported protocol version",
                data: "{\"supported\":\(supported),\"requested\":\(JSONValue.quoted(String(requested.prefix(64))))}")
        }
        guard case .object? = meta?["io.modelcontextprotocol/clientCapabilities"] else {
            throw Failure(.invalidParameters, "'_meta' must have 'io.modelcontextprotocol/clientCapabilities'")
        }
        return true
    }

    private func call(_ params: JSONValue, _ id: JSONValue, _ isStateless: Bool) throws(Failure) -> Output {
        guard let name = params["name"]?.text else { throw Failure(.invalidParameters, "'name' is missing") }
        guard let tool = tools.first(where: { $0.name == name }) else {
            throw Failure(.invalidParameters, "there is no tool '\(name.prefix(64))'")
        }
        let arguments = params["arguments"] ?? .object([])
        let call = Call(tool: name, arguments: arguments, id: id, isStateless: isStateless)
        // Wrong arguments are reported as a result and not as a protocol error, because a language model sees only
        // results and can then correct the arguments.
        if let error = tool.error(in: arguments) { return .line(answer(call, with: .failure(error))) }
        return .call(call)
    }

    // MARK: Lines

    private var serverInfo: String { "{\"name\":\"imrepl\",\"version\":\(JSONValue.quoted(version))}" }
    private var capabilities: String { "\"capabilities\":{\"tools\":{}}" }
    private var instructionsMember: String { "\"instructions\":\(JSONValue.quoted(instructions))" }
    /// The list of tools does not change while the process runs, so clients may cache it.
    private var caching: String { "\"ttlMs\":3600000,\"cacheScope\":\"private\"" }
    private var completeness: String {
        "\"resultType\":\"complete\",\"_meta\":{\"io.modelcontextprotocol/serverInfo\":\(serverInfo)}"
    }

    private static func list(_ texts: [String]) -> String {
        "[" + texts.map(JSONValue.quoted).joined(separator: ",") + "]"
    }

    private static func result(_ id: JSONValue, _ members: [String]) -> String {
        "{\"jsonrpc\":\"2.0\",\"id\":\(id.line),\"result\":{\(members.joined(separator: ","))}}"
    }

    private func refuse(_ id: JSONValue, _ failure: Failure) -> Output { .line(Self.line(id, failure)) }

    private static func line(_ id: JSONValue, _ failure: Failure) -> String {
        let data = failure.data.map { ",\"data\":\($0)" } ?? ""
        return "{\"jsonrpc\":\"2.0\",\"id\":\(id.line),\"error\":{\"code\":\(failure.code.rawValue),"
            + "\"message\":\(JSONValue.quoted(failure.message))\(data)}}"
    }
}
