import NIOCore
import NIOEmbedded
import NIOSSL
import Testing

@testable import IMLive

/// Tests of both ends of a TLS connection in memory, without sockets and time.
@Suite struct TLSSessionTests {
    /// A client and a server before the handshake.
    private final class Pair {
        let client = EmbeddedChannel()
        let server = EmbeddedChannel()

        init(
            _ certificate: Certificate, trust: TLSTrust? = nil, host: String = "localhost",
            address: String = "127.0.0.1"
        ) throws {
            try server.pipeline.syncOperations.addTLS(server: .server(certificate.files))
            try client.pipeline.syncOperations.addTLS(
                client: .client(trusting: trust ?? .file(certificate.files.certificate)), host: host)
            let remote = try SocketAddress(ipAddress: address, port: 443)
            for channel in [server, client] { channel.connect(to: remote, promise: nil) }
        }

        deinit {
            for channel in [client, server] { TLSSessionTests.end(channel) }
        }

        /// Passes the output of one end to the other end.
        ///
        /// - Returns: the number of bytes.
        @discardableResult
        func transfer(
            from one: EmbeddedChannel, to other: EmbeddedChannel, _ spoil: (inout ByteBuffer) -> Void = { _ in }
        ) throws -> Int {
            var count = 0
            while var bytes = try one.readOutbound(as: ByteBuffer.self) {
                spoil(&bytes)
                count += bytes.readableBytes
                try other.writeInbound(bytes)
            }
            return count
        }

        /// Passes the output of both ends until neither has more output.
        func shakeHands() throws {
            while try transfer(from: client, to: server) + transfer(from: server, to: client) > 0 {}
        }
    }

    /// Closes one end of a connection. The peer does not answer the close, so the time limit for the answer expires.
    private static func end(_ channel: EmbeddedChannel) {
        channel.close(promise: nil)
        channel.embeddedEventLoop.advanceTime(by: .seconds(2))
        _ = try? channel.finish(acceptAlreadyClosed: true)
    }

    private func read(_ channel: EmbeddedChannel) throws -> [UInt8] {
        var all: [UInt8] = []
        while let part = try channel.readInbound(as: ByteBuffer.self) { all += part.readableBytesView }
        return all
    }

    private let local = "DNS:localhost,IP:127.0.0.1"

    @Test func writtenBytesAreReadByTheOtherSide() throws {
        let pair = try Pair(try Certificate(names: local))
        try pair.shakeHands()
        let message = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for (one, other) in [(pair.client, pair.server), (pair.server, pair.client)] {
            one.writeAndFlush(ByteBuffer(bytes: message), promise: nil)
            #expect(try pair.transfer(from: one, to: other) > message.count)
            #expect(try read(other) == message)
        }
    }

    @Test func bytesWrittenBeforeTheHandshakeArriveAfterIt() throws {
        let pair = try Pair(try Certificate(names: local))
        pair.client.writeAndFlush(ByteBuffer(string: "early"), promise: nil)
        try pair.shakeHands()
        #expect(try read(pair.server) == Array("early".utf8))
    }

    @Test func aSideThatClosesEndsBoth() throws {
        let pair = try Pair(try Certificate(names: local))
        try pair.shakeHands()
        pair.server.writeAndFlush(ByteBuffer(string: "late"), promise: nil)
        pair.client.close(promise: nil)
        #expect(pair.client.isActive)
        try pair.transfer(from: pair.client, to: pair.server)
        #expect(!pair.server.isActive)
        try pair.transfer(from: pair.server, to: pair.client)
        #expect(!pair.client.isActive)
        // The client's end had closed before the bytes arrived, so it reads nothing.
        #expect(try read(pair.client).isEmpty)
    }

    @Test func aSideWaitsTwoSecondsForTheOthersClose() throws {
        let pair = try Pair(try Certificate(names: local))
        try pair.shakeHands()
        pair.client.close(promise: nil)
        pair.client.embeddedEventLoop.advanceTime(by: .milliseconds(1999))
        #expect(pair.client.isActive)
        pair.client.embeddedEventLoop.advanceTime(by: .milliseconds(1))
        #expect(!pair.client.isActive)
    }

    @Test func everyChangedByteIsDetected() throws {
        let certificate = try Certificate(names: local)
        for index in stride(from: 0, to: 40, by: 3) {
            let pair = try Pair(certificate)
            try pair.shakeHands()
            pair.client.writeAndFlush(ByteBuffer(repeating: 7, count: 20), promise: nil)
            // If the changed byte makes a record longer, the receiver waits for its rest. Any other change gives an
            // error. Nothing is read in either case.
            _ = try? pair.transfer(from: pair.client, to: pair.server) { bytes in
                let index = bytes.readerIndex + min(index, bytes.readableBytes - 1)
                bytes.setInteger(bytes.getInteger(at: index, as: UInt8.self).map { $0 ^ 0x40 } ?? 0, at: index)
            }
            #expect(try read(pair.server).isEmpty, "byte \(index)")
        }
    }

    @Test func bytesThatAreNotTLSEndTheHandshake() throws {
        let pair = try Pair(try Certificate(names: local))
        #expect(throws: TLSProblem.self) {
            try pair.server.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
        }
        #expect(throws: TLSProblem(text: "the server does not use TLS")) {
            try pair.client.writeInbound(ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\n\r\n"))
        }
    }

    @Test func versionsBefore12AreRefused() throws {
        let certificate = try Certificate(names: local)
        let pair = try Pair(certificate)
        var old = TLSConfiguration.makeClientConfiguration()
        old.minimumTLSVersion = .tlsv1
        old.maximumTLSVersion = .tlsv11
        let client = EmbeddedChannel()
        defer { Self.end(client) }
        try client.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: NIOSSLContext(configuration: old), serverHostname: nil))
        client.connect(to: try SocketAddress(ipAddress: "127.0.0.1", port: 443), promise: nil)
        #expect(throws: TLSProblem(text: "the handshake failed (unsupported protocol)")) {
            try pair.transfer(from: client, to: pair.server)
        }
    }

    @Test(arguments: [
        // The host has another name, or another address, or the certificate has only an address.
        ("DNS:localhost,IP:127.0.0.1", "other.test", false), ("DNS:localhost,IP:127.0.0.1", "127.0.0.2", false),
        ("DNS:localhost,IP:127.0.0.1", "::1", false), ("IP:127.0.0.1", "localhost", false),
        ("DNS:LocalHost", "localhost", true), ("DNS:localhost", "LOCALHOST.", true),
        ("IP:127.0.0.1", "127.0.0.1", true),
        // Certificates with wildcards.
        ("DNS:*.im.test", "a.im.test", true), ("DNS:*.im.test", "a.b.im.test", false),
        ("DNS:*.im.test", "im.test", false), ("DNS:a*.im.test", "ab.im.test", false), ("DNS:*.test", "im.test", false),
        // The host is only the certificate's common name, which is not compared.
        ("email:a@im.test", "imrepl.test", false), ("", "imrepl.test", false),
    ])
    func aCertificateIsForItsNames(names: String, host: String, isAccepted: Bool) throws {
        let address = host.contains(":") || host.hasPrefix("127") ? host : "127.0.0.1"
        let certificate = try Certificate(names: names)
        let pair = try Pair(certificate, host: host, address: address)
        pair.client.writeAndFlush(ByteBuffer(string: "secret"), promise: nil)
        if isAccepted {
            try pair.shakeHands()
            #expect(try read(pair.server) == Array("secret".utf8))
        } else {
            #expect(throws: TLSProblem(text: "the certificate is for another name")) { try pair.shakeHands() }
            _ = try? pair.shakeHands()
            #expect(try read(pair.server).isEmpty)
        }
    }

    @Test func withoutVerificationEveryCertificateIsAccepted() throws {
        let pair = try Pair(try Certificate(names: "DNS:other.test"), trust: .some(.none), host: "im.test")
        try pair.shakeHands()
        pair.client.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
        try pair.shakeHands()
        #expect(try read(pair.server) == [0x78])
    }

    @Test(arguments: [
        (-3, -1, "the certificate has expired"), (1, 3, "the certificate is not valid yet"),
    ])
    func aCertificateHasItsTime(first: Int, last: Int, text: String) throws {
        let certificate = try Certificate(names: local, days: first...last)
        let pair = try Pair(certificate)
        #expect(throws: TLSProblem(text: text)) { try pair.shakeHands() }
    }

    /// A company may publish only the certificate that signs those of its servers, without the root certificate above
    /// it.
    @Test func aTrustedFileNeedsNoRoot() throws {
        let root = try Certificate(names: "", subject: "root", isAuthority: true)
        let middle = try Certificate(names: "", subject: "middle", issuer: root, isAuthority: true)
        let leaf = try Certificate(names: local, issuer: middle)
        try leaf.append(middle)
        for trusted in [root, middle] {
            let pair = try Pair(leaf, trust: .file(trusted.files.certificate))
            try pair.shakeHands()
            pair.client.writeAndFlush(ByteBuffer(string: "x"), promise: nil)
            try pair.shakeHands()
            #expect(try read(pair.server) == [0x78])
        }
        let other = try Certificate(names: local)
        let stranger = try Pair(leaf, trust: .file(other.files.certificate))
        #expect(throws: TLSProblem(text: "the certificate is not trusted")) { try stranger.shakeHands() }
    }

    @Test func aKeyWithAPasswordIsRefusedWithoutAPrompt() throws {
        let certificate = try Certificate(names: local)
        let key = certificate.folder.appending(path: "locked.pem").path()
        try Certificate.openssl("ec", "-in", certificate.files.key, "-aes128", "-passout", "pass:x", "-out", key)
        #expect(throws: TLSProblem(text: "cannot read a private key from '\(key)': it is encrypted with a password")) {
            try NIOSSLContext.server(TLSFiles(certificate: certificate.files.certificate, key: key))
        }
    }
}
