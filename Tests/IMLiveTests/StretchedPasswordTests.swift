import Dispatch
import Foundation
import IMClient
import IMLive
import IMProfiles
import IMProtocol
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// The data that a live server stores for a password, and its secrecy.
@Suite struct StretchedPasswordTests {
    private static let cheap = StretchedPasswordBook.Cost(rounds: 10)

    private func check(_ password: String, of user: String, in book: StretchedPasswordBook) -> Bool {
        let answer = Answer()
        let done = DispatchSemaphore(value: 0)
        book.check(password, of: user, isUrgent: false) {
            answer.isValid = $0
            done.signal()
        }
        done.wait()
        return answer.isValid
    }

    /// The result of a check on another thread. It is written before a semaphore is signalled, and read after the wait
    /// for the semaphore, so it needs no lock.
    private final class Answer: @unchecked Sendable {
        var isValid = false
        var thread: Thread?
    }

    // MARK: The stored record

    @Test("design 2: stretching is PBKDF2 with HMAC-SHA256, with published test vectors")
    func vector() {
        // A vector as in RFC 7914: "password", "salt", 4096 rounds.
        let hash: [UInt8] = [
            0xC5, 0xE4, 0x78, 0xD5, 0x92, 0x88, 0xC8, 0x41, 0xAA, 0x53, 0x0D, 0xB6, 0x84, 0x5C, 0x4C, 0x8D, 0x96, 0x28,
            0x93, 0xA0, 0x01, 0xCE, 0x4E, 0x11, 0xA4, 0x96, 0x38, 0x73, 0xAA, 0x98, 0x13, 0x4A,
        ]
        let record = PasswordRecord(salt: Array("salt".utf8), rounds: 4096, hash: hash)
        let book = StretchedPasswordBook(cost: Self.cheap, records: ["alice": record])
        #expect(check("password", of: "alice", in: book))
        #expect(!check("passwore", of: "alice", in: book))
        #expect(!check("password", of: "bob", in: book))
        // The last byte is compared like the first.
        for index in hash.indices {
            var other = record
            other.hash[index] ^= 1
            #expect(
                !check("password", of: "alice", in: StretchedPasswordBook(cost: Self.cheap, records: ["alice": other])))
        }
        var short = record
        short.hash.removeLast()
        #expect(!check("password", of: "alice", in: StretchedPasswordBook(cost: Self.cheap, records: ["alice": short])))
    }

    @Test("design 2: each record has its own salt, and does not contain the password")
    func salted() throws {
        let book = StretchedPasswordBook(cost: Self.cheap)
        let one = try book.record(of: "s3cret")
        let other = try book.record(of: "s3cret")
        #expect(one.salt != other.salt)
        #expect(one.hash != other.hash)
        #expect(one.salt.count == StretchedPasswordBook.saltBytes)
        #expect(one.hash.count == StretchedPasswordBook.hashBytes)
        #expect(StretchedPasswordBook.Cost.live.rounds >= 210_000)
    }

    @Test("design 2: a live world stretches on another thread, with the same duration for unknown users")
    func otherThread() throws {
        let book = StretchedPasswordBook(cost: StretchedPasswordBook.Cost(rounds: 1000))
        try book.set("s3cret", of: "alice")
        for user in ["alice", "nobody"] {
            let answer = Answer()
            let done = DispatchSemaphore(value: 0)
            book.check("s3cret", of: user, isUrgent: false) {
                answer.thread = Thread.current
                answer.isValid = $0
                done.signal()
            }
            done.wait()
            #expect(answer.isValid == (user == "alice"))
            #expect(answer.thread !== Thread.current)
        }
    }

    @Test("design 2: a password is also checked over real sockets, and the session does not contain it")
    func live() async throws {
        try await onThread {
            let sink = MemorySink()
            let dialect = try #require(Dialects.named("nim"))
            var policy = dialect.clientPolicy
            policy.features.insert(.passwords)
            let configuration = WorldConfiguration(
                profile: "nim", clientPolicy: policy, serverPolicy: dialect.serverPolicy, seed: 1,
                epochNanoseconds: 1_767_225_600_000_000_000)
            let recording = Recording(
                sink: sink, path: nil,
                header: SessionHeader(
                    title: "passwords", profile: "nim", application: "tests", os: "any", parameters: []),
                epochNanoseconds: configuration.epochNanoseconds)
            let world = try LiveWorld(
                configuration, server: .embedded, timeScale: 1, stopsBetweenCommands: true, trust: .none,
                key: JWTAuthority.makeKey(), recording: recording, store: MemoryClientStore(), summarize: { _ in "" })
            let secret = "s3cret-do-not-keep"
            try world.perform { core in
                try core.vault.setPassword(secret, of: "alice")
                try core.addClient("phone", platform: .ios)
            }
            func logIn(_ password: String) throws -> Status? {
                try world.perform { core in
                    guard let phone = core.node(named: "phone") else { return }
                    try core.command(
                        .login(user: "alice", credential: try core.vault.keep(password: password), mode: .manual),
                        client: phone)
                }
                _ = try world.advance(by: .seconds(60)) { $0.lastStatus(of: "phone") != nil }
                return try world.perform { $0.lastStatus(of: "phone") }
            }
            #expect(try logIn(secret + "x") == .wrongCredential)
            #expect(try logIn(secret) == .ok)
            try world.shutDown()
            #expect(!sink.bytes.isEmpty)
            #expect(Data(sink.bytes).range(of: Data(secret.utf8)) == nil)
        }
    }
}
