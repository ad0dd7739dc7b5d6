import Foundation
import NIOCore
import Testing

@testable import IMLive

/// Both sides of a TLS connection in memory: no socket, no time.
@Suite struct TLSSessionTests {
    /// A client and a server that have not spoken yet.
    private struct Pair {
        let client: TLSSession
        let server: TLSSession

        init(_ certificate: Certificate, trust: TLSTrust? = nil, host: String = "localhost") throws {
            client = try TLSSession(TLSContext(trust ?? .file(certificate.files.certificate)), host: host)
            server = try TLSSession(TLSContext(certificate.files))
        }

        /// Carries what one side has to say to the other.
        ///
        /// - Returns: how many bytes.
        @discardableResult
        func carry(
            from one: TLSSession, to other: TLSSession, _ spoil: (inout ByteBuffer) -> Void = { _ in }
        ) -> Int {
            guard var bytes = one.takeSent(ByteBufferAllocator()) else { return 0 }
            spoil(&bytes)
            bytes.withUnsafeReadableBytes { other.receive($0) }
            return bytes.readableBytes
        }

        func shakeHands() throws {
            while !(client.isOpen && server.isOpen) {
                try client.shakeHands()
                let asked = carry(from: client, to: server)
                try server.shakeHands()
                let answered = carry(from: server, to: client)
                try #require(asked + answered > 0, "both wait for the other")
            }
            // What the server says behind its handshake is the client's to hear.
            carry(from: server, to: client)
        }
    }

    private func read(_ session: TLSSession) throws -> [UInt8] {
        var all: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 1000)
        while true {
            let count = try part.withUnsafeMutableBytes { try session.read(into: $0) }
            if count == 0 { return all }
            all += part[..<count]
        }
    }

    private let local = "DNS:localhost,IP:127.0.0.1"

    @Test func whatOneSideWritesTheOtherReads() throws {
        let pair = try Pair(try Certificate(names: local))
        try pair.shakeHands()
        let message = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        for (one, other) in [(pair.client, pair.server), (pair.server, pair.client)] {
            try message.withUnsafeBytes { try one.write($0) }
            #expect(pair.carry(from: one, to: other) > message.count)
            #expect(try read(other) == message)
        }
    }

    @Test func aSideThatIsDoneSaysSoOnce() throws {
        let pair = try Pair(try Certificate(names: local))
        try pair.shakeHands()
        pair.client.finish()
        #expect(pair.carry(from: pair.client, to: pair.server) > 0)
        pair.client.finish()
        #expect(pair.carry(from: pair.client, to: pair.server) == 0)
        #expect(!pair.server.isPeerDone)
        #expect(try read(pair.server).isEmpty)
        #expect(pair.server.isPeerDone)
    }

    @Test func aChangedByteIsNoticedWhereverItIs() throws {
        let certificate = try Certificate(names: local)
        for place in stride(from: 0, to: 40, by: 3) {
            let pair = try Pair(certificate)
            try pair.shakeHands()
            try [UInt8](repeating: 7, count: 20).withUnsafeBytes { try pair.client.write($0) }
            pair.carry(from: pair.client, to: pair.server) { bytes in
                let index = bytes.readerIndex + min(place, bytes.readableBytes - 1)
                bytes.setInteger(bytes.getInteger(at: index, as: UInt8.self).map { $0 ^ 0x40 } ?? 0, at: index)
            }
            // A longer record is waited for; anything else is refused, and nothing is read.
            let heard: [UInt8]? = try? read(pair.server)
            #expect(heard == nil || heard == [], "byte \(place)")
        }
    }

    @Test func bytesThatAreNoTLSEndTheHandshake() throws {
        let pair = try Pair(try Certificate(names: local))
        Array("GET / HTTP/1.1\r\n\r\n".utf8).withUnsafeBytes { pair.server.receive($0) }
        #expect(throws: TLSProblem.self) { try pair.server.shakeHands() }
        try pair.client.shakeHands()
        Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8).withUnsafeBytes { pair.client.receive($0) }
        #expect(throws: TLSProblem(text: "the server does not speak TLS")) { try pair.client.shakeHands() }
    }

    @Test(arguments: [
        ("other.test", "the certificate is for another name"), ("127.0.0.2", "the certificate is for another name"),
        ("::1", "the certificate is for another name"),
    ])
    func anotherNameIsRefused(host: String, words: String) throws {
        let pair = try Pair(try Certificate(names: local), host: host)
        #expect(throws: TLSProblem(text: words)) { try pair.shakeHands() }
    }

    @Test func aKeyBehindAPasswordIsNotAskedFor() throws {
        let certificate = try Certificate(names: local)
        let key = certificate.folder.appending(path: "locked.pem").path()
        try Certificate.openssl("ec", "-in", certificate.files.key, "-aes128", "-passout", "pass:x", "-out", key)
        #expect(throws: TLSProblem(text: "cannot read a private key from '\(key)': it is behind a password")) {
            try TLSContext(TLSFiles(certificate: certificate.files.certificate, key: key))
        }
    }
}
