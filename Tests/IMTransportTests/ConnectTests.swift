import IMLive
import SansIO
import Testing

/// Tests of connection attempts that fail, and of listeners that cannot start.
@Suite struct ConnectTests {
    @Test func aUsedPortIsReported() async throws {
        try await withHarness { harness in
            let port = try await harness.serve()
            let error = await #expect(throws: ListenError.self) { try await harness.serve(port: port) }
            #expect(error == .portTaken(host: "127.0.0.1", port: port))
            #expect(error?.description == "port \(port) on 127.0.0.1 is already in use")
        }
    }

    @Test func anInvalidPortIsReported() async throws {
        try await withHarness { harness in
            await #expect(throws: ListenError.failed("65536 is not a port")) { try await harness.serve(port: 65_536) }
        }
    }

    @Test func aPortWithoutAListener() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.closeListener()
            await harness.connect("phone")
            #expect(try await harness.next("phone") == .ended(.refused))
        }
    }

    @Test func aNameWithoutAnAddress() async throws {
        try await withHarness { harness in
            await harness.connect("phone", url: "ws://no-such-host.invalid/")
            let event = try await harness.next("phone")
            #expect(event == .ended(.unresolvedHost("no-such-host.invalid")))
        }
    }

    @Test(arguments: [
        "http://host/", "ws://", "ws:///path", "ws://host:0/", "ws://host:65536", "ws://host:x", "ws://host:",
        "ws://[::1", "ws://[::1]x", "ws://user:secret@host/", "ws://ho st/", "ws://host/\r\nEvil: 1", "",
    ])
    func urlsThatCannotBeDialled(url: String) async throws {
        try await withHarness { harness in
            await harness.connect("phone", url: url)
            let event = try await harness.next("phone")
            guard case .ended(.invalidURL) = event else {
                Issue.record("\(event)")
                return
            }
        }
    }

    @Test func credentialsInAURLAreNotRepeated() async throws {
        try await withHarness { harness in
            await harness.connect("phone", url: "ws://user:secret@host/")
            let event = try await harness.next("phone")
            #expect(event == .ended(.invalidURL("the URL must not contain credentials")))
        }
    }

    @Test func aServerThatNeverAnswers() async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("raw")
            await harness.connect("phone", url: "ws://127.0.0.1:\(port)/", timeout: .milliseconds(100))
            #expect(try await harness.next("phone") == .ended(.timedOut))
            // The first message is the request, and then the connection ends.
            _ = try await harness.readRaw("raw")
        }
    }

    @Test(arguments: [
        (
            "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
            "the server answered 404 Not Found: nothing exists at '/'"
        ),
        ("SSH-2.0-OpenSSH_9.6\r\n", "the server does not use HTTP"),
    ])
    func aServerThatIsSomethingElse(answer: String, words: String) async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("raw")
            await harness.connect("phone", url: "ws://127.0.0.1:\(port)/")
            guard case .message = try await harness.next("raw") else { return }
            await harness.sendRaw("raw", Array(answer.utf8))
            #expect(try await harness.next("phone") == .ended(.handshake(words)))
        }
    }

    @Test func aServerThatHangsUp() async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("raw")
            await harness.connect("phone", url: "ws://127.0.0.1:\(port)/")
            guard case .message = try await harness.next("raw") else { return }
            await harness.closeRaw("raw")
            let words = "the server closed the connection before it answered"
            #expect(try await harness.next("phone") == .ended(.handshake(words)))
        }
    }

    @Test func aWrongAcceptKeyIsNoWebSocket() async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("raw")
            await harness.connect("phone", url: "ws://127.0.0.1:\(port)/")
            guard case .message = try await harness.next("raw") else { return }
            let answer = "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
            await harness.sendRaw("raw", Array((answer + "Sec-WebSocket-Accept: AAAA\r\n\r\n").utf8))
            let event = try await harness.next("phone")
            guard case .ended(.handshake) = event else {
                Issue.record("\(event)")
                return
            }
        }
    }

    @Test func anAttemptCanBeCancelled() async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("raw")
            await harness.connect("phone", url: "ws://127.0.0.1:\(port)/")
            guard case .message = try await harness.next("raw") else { return }
            await harness.abort("phone")
            #expect(try await harness.next("phone") == .ended(.closedHere))
            guard case .ended = try await harness.next("raw") else {
                Issue.record("the connection stays open")
                return
            }
        }
    }

    /// A peer between client and server inserts bytes that violate the protocol after a real handshake.
    @Test func aMaskedFrameOfAServerIsRefused() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectThroughTheMiddle("phone")
            await harness.sendRaw("toClient", RawPeer.frame(0x9, [5], masked: false) + RawPeer.frame(0x2, [1]))
            let event = try await harness.next("phone")
            guard case .ended(.violation(code: 1002, _)) = event else {
                Issue.record("\(event)")
                return
            }
            // The answer is a pong and a close frame. Each has a header, a mask and a payload.
            let answer = try await harness.readRaw("toClient", atLeast: 13)
            #expect(answer[0...1] == [0x8A, 0x81])
            #expect(answer[6] ^ answer[2] == 5)
            #expect(answer[7] == 0x88)
        }
    }
}
