import IMLive
import SansIO
import Testing

/// Tests of the frames that a peer may and may not send. The peer is a TCP connection that sends hand-made frames.
@Suite struct ProtocolTests {
    /// Sends bytes after the upgrade. Returns the code in the server's close frame, and the event of its connection.
    private func outcome(of bytes: [UInt8], messageBytesMax: Int = 1000) async throws -> (code: UInt16?, Event) {
        var code: UInt16?
        var event = Event.open
        try await withHarness { harness in
            try await harness.serve(messageBytesMax: messageBytesMax)
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            #expect(try await harness.next("s1") == .open)
            await harness.sendRaw("raw", bytes)
            code = RawPeer.closeCode(in: try await harness.readRaw("raw", atLeast: 4))
            event = try await harness.next("s1")
        }
        return (code, event)
    }

    private func expectViolation(_ code: UInt16, _ bytes: [UInt8]) async throws {
        let (sent, event) = try await outcome(of: bytes)
        #expect(sent == code)
        guard case .ended(.violation(code, _)) = event else {
            Issue.record("\(event)")
            return
        }
    }

    @Test func textIsRefused() async throws {
        try await expectViolation(1003, RawPeer.frame(0x1, Array("hello".utf8)))
    }

    @Test func unmaskedFramesAreRefused() async throws {
        try await expectViolation(1002, RawPeer.frame(0x2, [1], masked: false))
    }

    @Test func reservedOpcodesAndBitsAreRefused() async throws {
        try await expectViolation(1002, RawPeer.frame(0x3, [1]))
        try await expectViolation(1002, RawPeer.frame(0xB))
        try await expectViolation(1002, [0xC2, 0x81, 0, 0, 0, 0, 1])
    }

    @Test func fragmentsOutOfOrderAreRefused() async throws {
        try await expectViolation(1002, RawPeer.frame(0x0, [1]))
        try await expectViolation(1002, RawPeer.frame(0x2, [1], fin: false) + RawPeer.frame(0x2, [2]))
    }

    @Test func malformedControlFramesAreRefused() async throws {
        try await expectViolation(1002, RawPeer.frame(0x9, [], fin: false))
        try await expectViolation(1002, RawPeer.frame(0x9, Array(repeating: 0, count: 126)))
    }

    @Test func malformedClosesAreRefused() async throws {
        try await expectViolation(1002, RawPeer.frame(0x8, [3]))
        try await expectViolation(1002, RawPeer.frame(0x8, [0x03, 0xED]))
        try await expectViolation(1002, RawPeer.frame(0x8, [0x03, 0xE8, 0xFF, 0xFE]))
    }

    @Test func aCloseWithoutACodeIsAccepted() async throws {
        let (code, event) = try await outcome(of: RawPeer.frame(0x8))
        #expect(code == 1000)
        #expect(event == .ended(.closedByPeer(code: 1005, reason: "")))
    }

    /// Only the header is sent, without the payload. A server that waited for the payload would hang.
    @Test(
        arguments: [
            [0x82, 0x80 | 126, 0x03, 0xE9, 0, 0, 0, 0],
            [0x82, 0x80 | 127, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0],
            [0x82, 0x80 | 127, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0],
        ] as [[UInt8]])
    func anAnnouncedLengthBeyondTheLimitIsRefusedAtOnce(head: [UInt8]) async throws {
        try await expectViolation(1009, head)
    }

    @Test func fragmentsThatAddUpBeyondTheLimitAreRefused() async throws {
        let part = [UInt8](repeating: 1, count: 600)
        try await expectViolation(1009, RawPeer.frame(0x2, part, fin: false) + RawPeer.frame(0x0, part))
    }

    @Test func aMessageOfExactlyTheLimitIsAccepted() async throws {
        let message = [UInt8](repeating: 9, count: 1000)
        let (_, event) = try await outcome(of: RawPeer.frame(0x2, message) + RawPeer.frame(0x8))
        #expect(event == .message(message))
    }

    @Test func fragmentsAroundAPingFormOneMessage() async throws {
        try await withHarness { harness in
            try await harness.serve(echoes: true)
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            _ = try await harness.next("s1")
            let bytes =
                RawPeer.frame(0x2, [1, 2], fin: false) + RawPeer.frame(0x9, [42]) + RawPeer.frame(0x0, [], fin: false)
                + RawPeer.frame(0x0, [3])
            // The bytes are sent one at a time, because a TCP stream has no message boundaries.
            for byte in bytes { await harness.sendRaw("raw", [byte]) }
            #expect(try await harness.next("s1") == .message([1, 2, 3]))
            #expect(try await harness.readRaw("raw", atLeast: 8) == [0x8A, 1, 42, 0x82, 3, 1, 2, 3])
        }
    }

    @Test func framesAfterAViolationAreIgnored() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            _ = try await harness.next("s1")
            await harness.sendRaw("raw", RawPeer.frame(0x1) + RawPeer.frame(0x2, [1]) + RawPeer.frame(0x8))
            _ = try await harness.readRaw("raw")
            #expect(await harness.unread("s1").count == 1)
        }
    }

    /// Random bytes from a seed are sent on new connections. The server continues after each of them.
    @Test func randomBytesNeverTrapTheServer() async throws {
        try await withHarness { harness in
            try await harness.serve(messageBytesMax: 1000)
            var random = SeededRandom(seed: 42)
            for round in 1...60 {
                try await harness.connectRaw("raw\(round)")
                // Every third connection starts with random bytes instead of an HTTP request.
                if round % 3 > 0 { try await harness.upgradeRaw("raw\(round)") }
                let count = 1 + Int(random.below(400))
                await harness.sendRaw("raw\(round)", (0..<count).map { _ in UInt8(random.below(256)) })
                await harness.closeRaw("raw\(round)")
            }
            await harness.connect("phone")
            #expect(try await harness.next("phone") == .open)
            await harness.send("phone", "alive")
            #expect(try await harness.next("s41") == .open)
            #expect(try await harness.next("s41") == .text("alive"))
        }
    }

    @Test func aStreamThatEndsWithoutACloseIsAReset() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            await harness.closeRaw("raw")
            #expect(try await harness.next(2, "s1") == [.open, .ended(.reset)])
        }
    }

    @Test func aPeerThatNeverAnswersACloseIsDisconnected() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectRaw("raw")
            try await harness.upgradeRaw("raw")
            await harness.close("s1")
            let answer = try await harness.readRaw("raw")
            #expect(RawPeer.closeCode(in: answer) == 1000)
            #expect(try await harness.next(2, "s1") == [.open, .ended(.closedHere)])
        }
    }

    // MARK: Before the WebSocket

    @Test(arguments: ["", "GET /im HT", "GET /im HTTP/1.1\r\nHost: x\r\n"])
    func aPeerThatNeverFinishesTheHandshakeIsDisconnected(beginning: String) async throws {
        try await withHarness { harness in
            try await harness.serve(handshakeTimeout: .milliseconds(100))
            try await harness.connectRaw("raw")
            await harness.sendRaw("raw", Array(beginning.utf8))
            let event = try await harness.next("raw")
            guard case .ended = event else {
                Issue.record("\(event)")
                return
            }
        }
    }

    @Test func anOpenLinkSurvivesTheHandshakeLimit() async throws {
        try await withHarness { harness in
            // The limit is long enough for the phone on a busy computer. The raw peer, which connects later, waits for
            // the whole limit.
            try await harness.serve(handshakeTimeout: .seconds(3))
            try await harness.connectAndOpen("phone", as: "s1")
            try await harness.connectRaw("raw")
            #expect(try await harness.next("raw") == .ended(.reset))
            await harness.send("phone", "still here")
            #expect(try await harness.next("s1") == .text("still here"))
        }
    }

    /// The head of the server's response to a request with these lines.
    private func answer(_ lines: [String], sources: RequestSources = RequestSources()) async throws -> String {
        var answer = ""
        try await withHarness { harness in
            try await harness.serve(sources: sources)
            try await harness.connectRaw("raw")
            let request = ["GET /im HTTP/1.1", "Connection: Upgrade", "Upgrade: websocket"] + lines + ["", ""]
            await harness.sendRaw("raw", Array(request.joined(separator: "\r\n").utf8))
            answer = String(decoding: try await harness.readHead("raw"), as: UTF8.self)
        }
        return answer
    }

    private static let handshake = ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="]

    @Test(arguments: [
        (["Host: 127.0.0.1:1"], 101), (["Host: LOCALHOST"], 101), (["Host: evil.example"], 403), ([], 400),
        (["Host: 127.0.0.1", "Host: 127.0.0.1"], 400), (["Host: 127.0.0.1.evil.example"], 403),
        (["Host: 127.0.0.1:9", "Origin: http://127.0.0.1:9"], 101),
        (["Host: 127.0.0.1:9", "Origin: http://127.0.0.1:8"], 403),
        (["Host: 127.0.0.1:9", "Origin: https://127.0.0.1:9"], 403), (["Host: 127.0.0.1", "Origin: null"], 403),
        (["Host: evil.example", "Origin: http://evil.example"], 403),
    ])
    func aPageOfAnotherSiteIsRefused(lines: [String], status: Int) async throws {
        let answer = try await answer(lines + Self.handshake)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }

    @Test func allowedOriginsMayConnect() async throws {
        let sources = RequestSources(origins: ["https://app.example"], hosts: ["im.example"])
        let allowed = ["Host: im.example:443", "Origin: https://app.example"] + Self.handshake
        #expect(try await answer(allowed, sources: sources).hasPrefix("HTTP/1.1 101 "))
        let other = ["Host: im.example", "Origin: https://app.example.evil"] + Self.handshake
        #expect(try await answer(other, sources: sources).hasPrefix("HTTP/1.1 403 "))
    }

    @Test func aHandshakeOfAnotherVersionIsAnswered() async throws {
        let key = Self.handshake[1]
        let version = try await answer(["Host: 127.0.0.1", "Sec-WebSocket-Version: 8", key])
        #expect(version.hasPrefix("HTTP/1.1 426 ") && version.contains("Sec-WebSocket-Version: 13\r\n"), "\(version)")
        let without = try await answer(["Host: 127.0.0.1", "Sec-WebSocket-Version: 13"])
        #expect(without.hasPrefix("HTTP/1.1 400 "), "\(without)")
    }

    @Test func aPlainRequestGetsAnExplanation() async throws {
        try await withHarness { harness in
            try await harness.serve()
            try await harness.connectRaw("raw")
            await harness.sendRaw("raw", Array("GET / HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            let answer = String(decoding: try await harness.readRaw("raw"), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 426 Upgrade Required\r\n"))
        }
    }
}
