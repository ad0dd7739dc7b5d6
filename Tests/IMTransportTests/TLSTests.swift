import IMLive
import Testing

@Suite struct TLSTests {
    private let local = "DNS:localhost,IP:127.0.0.1"

    @Test(arguments: ["localhost", "127.0.0.1"]) func echoOverTLS(host: String) async throws {
        let certificate = try Certificate(names: local)
        let files = certificate.files
        try await withHarness { harness in
            let port = try await harness.serve(tls: files, echoes: true)
            await harness.connect("phone", url: "wss://\(host):\(port)/", trust: .file(files.certificate))
            #expect(try await harness.next("phone") == .open)
            let message = [UInt8](repeating: 3, count: 100_000)
            await harness.send("phone", message)
            #expect(try await harness.next("phone") == .message(message))
            await harness.close("phone", code: 4001)
            #expect(try await harness.next("phone") == .ended(.closedHere))
            #expect(
                try await harness.next(3, "s1")
                    == [.open, .message(message), .ended(.closedByPeer(code: 4001, reason: ""))])
        }
    }

    @Test func anAbortEndsTLSAtOnce() async throws {
        let certificate = try Certificate(names: local)
        let files = certificate.files
        try await withHarness { harness in
            let port = try await harness.serve(tls: files)
            await harness.connect("phone", url: "wss://127.0.0.1:\(port)/", trust: .none)
            #expect(try await harness.next("phone") == .open)
            await harness.abort("phone")
            #expect(try await harness.next(2, "s1") == [.open, .ended(.reset)])
        }
    }

    @Test func anUnknownCertificateIsNotTrusted() async throws {
        let certificate = try Certificate(names: local)
        let stranger = try Certificate(names: local)
        let (files, other) = (certificate.files, stranger.files)
        try await withHarness { harness in
            let port = try await harness.serve(tls: files)
            for trust in [TLSTrust.system, .file(other.certificate)] {
                await harness.connect("phone", url: "wss://localhost:\(port)/", trust: trust)
                #expect(try await harness.next("phone") == .ended(.tls("the certificate is not trusted")))
            }
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"]) func aCertificateForAnotherNameIsRefused(host: String) async throws {
        let certificate = try Certificate(names: "DNS:other.test")
        let files = certificate.files
        try await withHarness { harness in
            let port = try await harness.serve(tls: files)
            await harness.connect("phone", url: "wss://\(host):\(port)/", trust: .file(files.certificate))
            let event = try await harness.next("phone")
            #expect(event == .ended(.tls("the certificate is for another name")))
        }
    }

    @Test func aPlainServerIsReportedAsSuch() async throws {
        try await withHarness { harness in
            let port = try await harness.serve()
            await harness.connect("phone", url: "wss://localhost:\(port)/", trust: .none)
            #expect(try await harness.next("phone") == .ended(.tls("the server does not use TLS")))
        }
    }

    @Test func aCloseDuringTheHandshakeIsReported() async throws {
        try await withHarness { harness in
            let port = try await harness.serveRaw("server")
            await harness.connect("phone", url: "wss://localhost:\(port)/", trust: .none)
            _ = try await harness.next("server")
            await harness.closeRaw("server")
            let words = "the server closed the connection during the handshake"
            #expect(try await harness.next("phone") == .ended(.tls(words)))
        }
    }

    @Test func aTLSServerDisconnectsAPlainClient() async throws {
        let certificate = try Certificate(names: local)
        let files = certificate.files
        try await withHarness { harness in
            try await harness.serve(tls: files)
            await harness.connect("phone")
            let event = try await harness.next("phone")
            guard case .ended = event else {
                Issue.record("\(event)")
                return
            }
        }
    }

    @Test func missingAndInvalidFilesAreReported() async throws {
        let certificate = try Certificate(names: local)
        let stranger = try Certificate(names: local)
        let (good, other) = (certificate.files, stranger.files)
        let cases = [
            (TLSFiles(certificate: "/no/cert.pem", key: good.key), "/no/cert.pem"),
            (TLSFiles(certificate: good.certificate, key: "/no/key.pem"), "/no/key.pem"),
            (TLSFiles(certificate: good.key, key: good.key), good.key),
            (TLSFiles(certificate: good.certificate, key: other.key), other.key),
        ]
        try await withHarness { harness in
            for (files, name) in cases {
                do {
                    try await harness.serve(tls: files)
                    Issue.record("it listens with \(files)")
                } catch let ListenError.tls(words) {
                    #expect(words.contains(name), "\(words)")
                }
            }
            try await harness.serve()
            await harness.connect("phone", url: "wss://127.0.0.1:\(await harness.port)/", trust: .file("/no/ca.pem"))
            let event = try await harness.next("phone")
            guard case .ended(.tls(let words)) = event else {
                Issue.record("\(event)")
                return
            }
            #expect(words.contains("/no/ca.pem"), "\(words)")
        }
    }
}
