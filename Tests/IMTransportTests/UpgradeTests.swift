import IMTransport
import NIOCore
import NIOPosix
import SansIO
import Testing

/// The request for a WebSocket, and what a server makes of it (RFC 6455, 4.2).
@Suite struct UpgradeTests {
    /// Sends a request, and reads all of what the server says to it before it ends the connection.
    private func answer(to request: String) async throws -> String {
        var answer = ""
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectRaw("raw")
            await stage.sendRaw("raw", Array(request.utf8))
            answer = String(decoding: try await stage.readRaw("raw"), as: UTF8.self)
            #expect(await stage.unseen("s1").isEmpty)
        }
        return answer
    }

    @Test func theServerProvesThatItSawTheKey() async throws {
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectRaw("raw")
            await stage.sendRaw("raw", RawPeer.upgradeRequest)
            let answer = String(decoding: try await stage.readRaw("raw", atLeast: 129), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 101 Switching Protocols\r\n"), "\(answer)")
            // The example of the RFC (1.3).
            #expect(answer.contains("\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "\(answer)")
        }
    }

    /// The stream has no packets: a request may come in pieces, and frames right behind it.
    @Test func aRequestInPiecesWithAFrameBehindIt() async throws {
        for size in [1, 7, 1000] {
            try await withStage { stage in
                try await stage.serve()
                try await stage.connectRaw("raw")
                let bytes = RawPeer.upgradeRequest + RawPeer.frame(0x2, [1, 2, 3]) + RawPeer.frame(0x2, [4])
                for start in stride(from: 0, to: bytes.count, by: size) {
                    await stage.sendRaw("raw", Array(bytes[start..<min(start + size, bytes.count)]))
                }
                #expect(try await stage.next(3, "s1") == [.open, .message([1, 2, 3]), .message([4])])
            }
        }
    }

    @Test func namesAndListsOfARequestAreReadWhateverTheirCase() async throws {
        let request = """
            GET /im?x=1 HTTP/1.1\r
            HOST: a\r
            connection:keep-alive, UPGRADE\r
            uPGRADE: WebSocket \r
            SEC-WEBSOCKET-VERSION:13\r
            Sec-Websocket-Key:\t dGhlIHNhbXBsZSBub25jZQ== \r
            \r\n
            """
        try await withStage { stage in
            try await stage.serve()
            try await stage.connectRaw("raw")
            await stage.sendRaw("raw", Array(request.utf8))
            #expect(try await stage.next("s1") == .open)
            #expect(await stage.target("s1") == "/im?x=1")
        }
    }

    @Test(arguments: [
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 8\r\n"
            + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n",
        "GET / HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            + "Sec-WebSocket-Key: a\r\nSec-WebSocket-Key: b\r\n\r\n",
    ])
    func whoAsksForNoWebSocketIsToldWhatIsHere(request: String) async throws {
        let answer = try await answer(to: request)
        #expect(answer.hasPrefix("HTTP/1.1 426 Upgrade Required\r\nUpgrade: websocket\r\n"), "\(answer)")
        #expect(answer.hasSuffix("\r\n\r\nThis is a WebSocket server.\n"), "\(answer)")
    }

    @Test(arguments: [
        "hello\r\n\r\n", "GET /\r\n\r\n", "GET / SMTP\r\n\r\n", "GET / HTTP/1.1\r\nno colon\r\n\r\n", "\r\n\r\n",
        "\u{16}\u{3}\u{1}",
    ])
    func whatIsNoRequestIsRefused(request: String) async throws {
        #expect(try await answer(to: request).hasPrefix("HTTP/1.1 400 "))
    }

    @Test func aRequestThatDoesNotEndIsRefused() async throws {
        let request =
            "GET / HTTP/1.1\r\n" + String(repeating: "X-Long: \(String(repeating: "x", count: 90))\r\n", count: 200)
        #expect(try await answer(to: request).hasPrefix("HTTP/1.1 431 "))
    }

    /// What thousands of peers do in one moment is done in their order, however long it takes.
    @Test func turnsKeepTheirOrder() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let count = 2000
        let order = try await loop.flatSubmit { () -> EventLoopFuture<[Int]> in
            let turns = Turns(on: loop)
            let done = loop.makePromise(of: [Int].self)
            var order: [Int] = []
            for number in 0..<count {
                turns.take {
                    order.append(number)
                    // Some of the work makes more: it comes behind what waits.
                    if number % 100 == 0 { turns.take { order.append(count) } }
                    if order.count == count + count / 100 { done.succeed(order) }
                }
            }
            return done.futureResult
        }.get()
        #expect(order.filter { $0 < count } == Array(0..<count))
    }
}
