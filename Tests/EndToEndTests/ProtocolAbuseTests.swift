import Foundation
import IMProtocol
import IMTree
import TestSupport
import Testing

/// Tests of a server with clients that violate the protocol. The server answers and disconnects each of them, and a
/// correct client is not affected.
@Suite(.onOwnThreads) struct ProtocolAbuseTests {
    /// A server, and a correct client that is connected to it.
    private final class ServerAndPeer {
        let server: ServerProcess
        private let sandbox: Sandbox
        private let healthy: RawClient

        init() throws {
            sandbox = try Sandbox()
            server = try ServerProcess(in: sandbox, ["--profile", "nim"])
            healthy = try RawClient(server.url)
            try healthy.send(.login(RawClient.login("healthy", device: "healthy")))
            let status = try healthy.loginStatus()
            #expect(status == .ok)
        }

        func client() throws -> RawClient { try RawClient(server.url) }

        func loggedIn(_ user: String = "abuser") throws -> RawClient {
            let client = try client()
            try client.send(.login(RawClient.login(user)))
            let status = try client.loginStatus()
            #expect(status == .ok)
            return client
        }

        /// Checks that the correct client gets the answer to a heartbeat, and no other frame.
        func expectHealth(_ comment: String = "", sourceLocation: SourceLocation = #_sourceLocation) throws {
            try healthy.send(.heartbeat)
            let answer = try healthy.next()
            #expect(
                answer == .frame(Frame(request: 1, .heartbeatAck)), "\(comment)", sourceLocation: sourceLocation)
        }

        /// Checks that the server sends a goodbye with this reason, closes the WebSocket and then the connection.
        func expectGoodbye(
            _ reason: GoodbyeReason, _ detail: String? = nil, from client: RawClient, _ comment: String = "",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let answer = try client.next()
            guard case .frame(let frame) = answer, case .goodbye(let given, let text) = frame.body else {
                Issue.record("\(comment): \(answer) is no goodbye", sourceLocation: sourceLocation)
                return
            }
            #expect(given == reason, "\(comment)", sourceLocation: sourceLocation)
            if let detail { #expect(text == detail, "\(comment)", sourceLocation: sourceLocation) }
            try expectClose(1000, from: client, comment, sourceLocation: sourceLocation)
        }

        func expectClose(
            _ code: UInt16, from client: RawClient, _ comment: String = "",
            sourceLocation: SourceLocation = #_sourceLocation
        ) throws {
            let close = try client.next()
            #expect(close == .close(code: code), "\(comment)", sourceLocation: sourceLocation)
            let end = try client.next()
            #expect(end == .end, "\(comment)", sourceLocation: sourceLocation)
            try expectHealth(comment, sourceLocation: sourceLocation)
        }
    }

    private static let device = Device(id: "x", platform: .ios)

    /// All frames that only a server may send.
    private static let answers: [FrameBody] = [
        .loginAck(LoginReply(.ok, epoch: 7)), .logoutAck(.ok), .heartbeatAck,
        .kicked(KickNotice(reason: .server, epoch: 1)),
        .kickAck(.ok), .syncPhase(.groups, count: 1), .syncDone, .devicesChanged(.login, [device]),
        .renewTokenAck(.ok), .tokenNotice(expired: true, remainingMilliseconds: 0), .sendAck(.ok, id: "m"),
        .message(ChatMessage(id: "m", from: "healthy", to: "abuser", text: "x")),
        .joinAck(.ok, channel: "c", members: []), .leaveAck(.ok, channel: "c"),
        .memberChanged(channel: "c", user: "healthy", joined: false), .accountCallAck(.ok, [device]),
        .operationAck(.ok),
        .operated(DeviceOperation(id: "o", kind: .contactBan, target: "healthy")), .setAttributesAck(.ok),
        .answer(.ok, []), .watchAck(.ok), .presence(user: "healthy", .offline), .treeAck(.ok, .null),
        .treeData(TreeData(listen: 1, path: "p", .set(.null))), .treeCancelled(listen: 1, .forbidden),
    ]

    @Test func `a connection begins with a login and nothing else`() throws {
        let serverAndPeer = try ServerAndPeer()
        let early: [FrameBody] = [
            .heartbeat, .sync, .kick(device: "healthy"), .send(ChatMessage(id: "m", to: "healthy", text: "x")),
            .join(channel: "c"), .leave(channel: "c"), .messageAck(id: "m"), .kickedAck(epoch: 1),
            .renewToken(.secret("")), .goodbye(.shutdown, detail: ""), .watch(user: "healthy", isOn: true),
            .setAttributes(channel: "", []), .tree(.get(path: "")), .operatedAck(id: "o"),
        ]
        for body in early + Self.answers {
            let client = try serverAndPeer.client()
            try client.send(body)
            try serverAndPeer.expectGoodbye(.protocolViolation, "log in first", from: client, body.name)
        }
    }

    @Test func `a client that sends a server's frame is disconnected`() throws {
        let serverAndPeer = try ServerAndPeer()
        for (index, body) in Self.answers.enumerated() {
            // Each frame has its own user, because logins are rate-limited (NIM-8).
            let client = try serverAndPeer.loggedIn("abuser-\(index)")
            try client.send(body)
            try serverAndPeer.expectGoodbye(.protocolViolation, "only a server may say that", from: client, body.name)
        }
    }

    @Test func `one connection has one login`() throws {
        let serverAndPeer = try ServerAndPeer()
        for user in ["abuser", "healthy"] {
            let client = try serverAndPeer.loggedIn()
            try client.send(.login(RawClient.login(user)))
            try serverAndPeer.expectGoodbye(.protocolViolation, "already logged in", from: client, user)
        }
        // Two login requests at once are handled in order.
        let client = try serverAndPeer.client()
        try client.send(.login(RawClient.login("abuser")))
        try client.send(.login(RawClient.login("abuser", device: "other")))
        #expect(try client.loginStatus() == .ok)
        try serverAndPeer.expectGoodbye(.protocolViolation, "already logged in", from: client)
    }

    @Test func `an unknown field of a later version is ignored`() throws {
        let serverAndPeer = try ServerAndPeer()
        let client = try serverAndPeer.client()
        // Field 1000 of the frame, once as a number and once as a text.
        let later: [UInt8] = [0xC0, 0x3E, 0x07, 0xCA, 0x3E, 0x03] + Array("new".utf8)
        try client.sendMessage(Frame(request: 1, .login(RawClient.login("abuser"))).bytes() + later)
        #expect(try client.loginStatus() == .ok)
        try serverAndPeer.expectHealth()
    }

    @Test func `an invalid frame ends the connection with a reason`() throws {
        let serverAndPeer = try ServerAndPeer()
        let login = Frame(request: 1, .login(RawClient.login("abuser"))).bytes()
        let messages: [(String, [UInt8])] = [
            ("nothing", []),
            // An unknown kind of frame, number 900.
            ("an unknown kind", [0xA2, 0x38, 0x00]), ("only a request number", [0x08, 0x01]),
            ("garbage", [0xFF, 0xFF, 0xFF, 0xFF]), ("half a login", Array(login.prefix(login.count / 2))),
            ("text", Array("login alice".utf8)), ("zeros", Array(repeating: 0, count: ProtocolLimit.frameBytesMax)),
            ("all that fits", Array(repeating: 0xAA, count: ProtocolLimit.frameBytesMax)),
            // A protobuf group that is not closed, nested as deep as the size permits.
            ("a deep nest", Array(repeating: 0x0B, count: 60_000)),
        ]
        for (name, message) in messages {
            for isLoggedIn in [false, true] {
                let client = isLoggedIn ? try serverAndPeer.loggedIn() : try serverAndPeer.client()
                try client.sendMessage(message)
                try serverAndPeer.expectGoodbye(.malformedFrame, from: client, name)
            }
        }
    }

    @Test func `an invalid WebSocket message closes the connection with the matching code`() throws {
        let serverAndPeer = try ServerAndPeer()
        let big = try serverAndPeer.client()
        try big.sendMessage(Array(repeating: 0, count: ProtocolLimit.frameBytesMax + 1))
        try serverAndPeer.expectClose(1009, from: big, "one byte too many")
        let huge = try serverAndPeer.client()
        // The header announces a huge message, but no content is sent.
        try huge.send([0x82, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0])
        try serverAndPeer.expectClose(1009, from: huge, "more than there is memory")
        let text = try serverAndPeer.client()
        try text.sendMessage(Array("{\"login\":\"alice\"}".utf8), opcode: 0x1)
        try serverAndPeer.expectClose(1003, from: text, "text")
        let bare = try serverAndPeer.client()
        try bare.sendMessage(Frame(.heartbeat).bytes(), isMasked: false)
        try serverAndPeer.expectClose(1002, from: bare, "not masked")
        let reserved = try serverAndPeer.client()
        try reserved.sendMessage([1], opcode: 0x7)
        try serverAndPeer.expectClose(1002, from: reserved, "a reserved kind")
    }

    @Test func `invalid names are refused, and another attempt is possible`() throws {
        let serverAndPeer = try ServerAndPeer()
        let client = try serverAndPeer.client()
        let bad = [
            "", String(repeating: "x", count: 10_000), String(repeating: "é", count: 128), "a\u{0}b", "a\nb", "\u{7F}",
            "\u{1B}[31malice", "a\u{85}",
        ]
        for user in bad {
            try client.send(.login(RawClient.login(user)))
            #expect(try client.loginStatus() == .invalidArgument)
        }
        var login = RawClient.login("abuser")
        for device in ["", String(repeating: "x", count: 10_000), "a\tb"] {
            login.device.id = device
            try client.send(.login(login))
            #expect(try client.loginStatus() == .invalidArgument)
        }
        try client.send(.login(RawClient.login("abuser", application: "zim")))
        #expect(try client.loginStatus() == .wrongCredential)
        // A client must not set the verdict on its credential, or refer to a secret of the server by name.
        for credential: Credential in [.verdict(CredentialVerdict(.valid, user: "abuser")), .reference("token-of-x")] {
            login = RawClient.login("abuser")
            login.credential = credential
            try client.send(.login(login))
            #expect(try client.loginStatus() == .wrongCredential)
        }
        try serverAndPeer.expectHealth()
    }

    @Test func `a client that sends nothing is disconnected`() throws {
        let serverAndPeer = try ServerAndPeer()
        let silent = try serverAndPeer.client()
        // Half of an HTTP request. The connection does not become a WebSocket, and the server closes it without an
        // answer.
        let slow = try RawClient(serverAndPeer.server.url, upgrades: false)
        try slow.send(Array("GET / HTTP/1.1\r\nHost: ".utf8))
        #expect(try slow.next() == .end)
        try serverAndPeer.expectGoodbye(.loginOverdue, from: silent)
    }

    @Test func `an unknown path is answered with 404`() throws {
        let serverAndPeer = try ServerAndPeer()
        for path in ["/zim", "/nim/x", "/NIM", "//", "/nim%20", "/" + String(repeating: "x", count: 5000)] {
            let client = try RawClient(serverAndPeer.server.url, upgrades: false)
            let head = try client.request(path)
            if path == "//" { continue }
            #expect(head.hasPrefix("HTTP/1.1 404 "), "\(path): \(head)")
            #expect(try client.rest() == "There is no application at this path; use one of: /nim.\n")
        }
        for path in ["/", "/nim", "/nim?x=1"] {
            let client = try RawClient(serverAndPeer.server.url, upgrades: false)
            #expect(try client.request(path).hasPrefix("HTTP/1.1 101 "), "\(path)")
        }
        try serverAndPeer.expectHealth()
    }
}
