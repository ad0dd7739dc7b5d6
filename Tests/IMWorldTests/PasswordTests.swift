import Dispatch
import Foundation
import IMClient
import IMDialects
import IMProtocol
import IMStore
import Recorder
import SansIO
import TestSupport
import Testing

@testable import IMWorld

/// Logging in with a password: what is kept of it, what it proves, and who gets to know it.
@Suite struct PasswordTests {
    private func check(_ password: String, of user: String, in book: PasswordBook) -> Bool {
        let answer = Answer()
        let done = DispatchSemaphore(value: 0)
        book.check(password, of: user) {
            answer.isRight = $0
            done.signal()
        }
        done.wait()
        return answer.isRight
    }

    /// Written before a semaphore is raised, read after.
    private final class Answer: @unchecked Sendable {
        var isRight = false
        var thread: Thread?
    }

    // MARK: What is kept

    @Test("design 2: stretching is PBKDF2 with HMAC-SHA256, as others have it")
    func vector() {
        // RFC 7914's kind of vector: "password", "salt", 4096 rounds.
        let hash: [UInt8] = [
            0xC5, 0xE4, 0x78, 0xD5, 0x92, 0x88, 0xC8, 0x41, 0xAA, 0x53, 0x0D, 0xB6, 0x84, 0x5C, 0x4C, 0x8D, 0x96, 0x28,
            0x93, 0xA0, 0x01, 0xCE, 0x4E, 0x11, 0xA4, 0x96, 0x38, 0x73, 0xAA, 0x98, 0x13, 0x4A,
        ]
        let record = PasswordRecord(salt: Array("salt".utf8), rounds: 4096, hash: hash)
        let book = PasswordBook(cost: .simulated, records: ["alice": record])
        #expect(check("password", of: "alice", in: book))
        #expect(!check("passwore", of: "alice", in: book))
        #expect(!check("password", of: "bob", in: book))
        // The last byte counts like the first.
        for index in hash.indices {
            var other = record
            other.hash[index] ^= 1
            #expect(!check("password", of: "alice", in: PasswordBook(cost: .simulated, records: ["alice": other])))
        }
        var short = record
        short.hash.removeLast()
        #expect(!check("password", of: "alice", in: PasswordBook(cost: .simulated, records: ["alice": short])))
    }

    @Test("design 2: each record has a salt of its own, and nothing of the password in it")
    func salted() throws {
        let book = PasswordBook(cost: .simulated)
        let one = try book.record(of: "s3cret")
        let other = try book.record(of: "s3cret")
        #expect(one.salt != other.salt)
        #expect(one.hash != other.hash)
        #expect(one.salt.count == PasswordBook.saltBytes)
        #expect(one.hash.count == PasswordBook.hashBytes)
        #expect(PasswordBook.Cost.live.rounds >= 210_000)
        #expect(!PasswordBook.Cost.live.isInline)
    }

    @Test("design 2: a live world stretches on another thread, as long for users who are not there")
    func beside() throws {
        let book = PasswordBook(cost: PasswordBook.Cost(rounds: 1000, isInline: false))
        book.set(try book.record(of: "s3cret"), of: "alice")
        for user in ["alice", "nobody"] {
            let answer = Answer()
            let done = DispatchSemaphore(value: 0)
            book.check("s3cret", of: user) {
                answer.thread = Thread.current
                answer.isRight = $0
                done.signal()
            }
            done.wait()
            #expect(answer.isRight == (user == "alice"))
            #expect(answer.thread !== Thread.current)
        }
    }

    @Test("design 2: what cannot be a password is refused in words")
    func objections() throws {
        let desk = try Stage(passwords: true).core.desk
        #expect(throws: WorldError.self) { try desk.setPassword("", of: "alice") }
        let long = String(repeating: "x", count: PasswordBook.passwordBytesMax)
        try desk.setPassword(long, of: "alice")
        #expect(throws: WorldError.self) { try desk.setPassword(long + "x", of: "alice") }
        // As many characters, but more bytes.
        #expect(throws: WorldError.self) { try desk.setPassword(String(long.dropLast()) + "é", of: "alice") }
    }

    @Test("design 1: a system that has no passwords says so")
    func none() throws {
        let desk = try Stage(passwords: false).core.desk
        #expect(throws: WorldError.self) { try desk.setPassword("s3cret", of: "alice") }
        #expect(throws: WorldError.self) { try desk.keep(password: "s3cret") }
    }

    // MARK: What it proves

    @Test("CHAT-10: the right password logs in; a wrong one and an unknown user get the same answer")
    func logsIn() throws {
        let stage = try Stage(passwords: true)
        try stage.core.desk.setPassword("s3cret", of: "alice")
        #expect(try stage.logIn("alice", password: "wrong") == .wrongCredential)
        #expect(try stage.logIn("nobody", password: "wrong") == .wrongCredential)
        #expect(try stage.logIn("alice", password: "") == .wrongCredential)
        // Who knows the password of one user is not another.
        #expect(try stage.logIn("bob", password: "s3cret") == .wrongCredential)
        #expect(try stage.logIn("alice", password: "s3cret") == .ok)
        #expect(stage.state == .online)
    }

    @Test("design 2: neither a password nor its mark is taken for a token, nor a token for a password")
    func kinds() throws {
        for text in ["", "a", "password:a", "simulated/nim/1/a"] {
            #expect(Secret(wireText: Secret.password(text).wireText) == .password(text))
        }
        let stage = try Stage(passwords: true)
        let token = try stage.core.desk.mint(
            user: "alice", lifetime: nil, wallMilliseconds: stage.core.wallMilliseconds)
        try stage.core.desk.setPassword("s3cret", of: "alice")
        #expect(try stage.logIn("alice", password: token) == .wrongCredential)
        #expect(try stage.logIn("alice", token: "s3cret") == .wrongCredential)
        #expect(try stage.logIn("alice", token: token) == .ok)
    }

    @Test("CHAT-10: a change ends the logins, and the password before it is wrong from then on")
    func changed() throws {
        let stage = try Stage(passwords: true)
        try stage.core.desk.setPassword("old", of: "alice")
        #expect(try stage.logIn("alice", password: "old") == .ok)
        try stage.core.desk.setPassword("new", of: "alice")
        try stage.core.command(.passwordChanged(user: "alice"))
        stage.pass(.seconds(1))
        #expect(stage.state == .kicked)
        #expect(try stage.logIn("alice", password: "old") == .wrongCredential)
        #expect(try stage.logIn("alice", password: "new") == .ok)
    }

    @Test("CHAT-10: a password that was changed while it was looked at is a wrong one")
    func changedMeanwhile() throws {
        let desk = try Stage(passwords: true).core.desk
        try desk.setPassword("old", of: "alice")
        let found = Found()
        desk.judge(.secret(Secret.password("old").wireText), from: Self.alice, wallMilliseconds: 0) {
            found.judgement = $0
        }
        let judgement = try #require(found.judgement)
        #expect(desk.verdict(of: judgement) == CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 1))
        try desk.setPassword("changed", of: "bob")
        #expect(desk.verdict(of: judgement).finding == .valid)
        try desk.setPassword("old", of: "alice")
        #expect(desk.verdict(of: judgement) == CredentialVerdict(.wrong))
    }

    @Test("design 2: a peer borrows no secret by its name, and says itself what nothing is worth")
    func borrowed() throws {
        let desk = try Stage(passwords: true).core.desk
        let name = desk.keep(try desk.mint(user: "alice", lifetime: nil, wallMilliseconds: 0))
        for credential: Credential in [.reference(name), .verdict(CredentialVerdict(.valid, user: "alice"))] {
            let found = Found()
            desk.judge(credential, from: Self.alice, wallMilliseconds: 0) { found.judgement = $0 }
            #expect(found.judgement.map(desk.verdict) == CredentialVerdict(.wrong))
        }
    }

    @Test("D: nobody comes in without a credential where there is a password, although the server lets others in so")
    func missing() throws {
        let stage = try Stage(passwords: true)
        try stage.core.command(.setPolicy(key: "admits-without-credential", value: "true"))
        try stage.core.desk.setPassword("s3cret", of: "alice")
        #expect(try stage.logIn("alice", token: "") == .wrongCredential)
        #expect(try stage.logIn("alice", password: "s3cret") == .ok)
        try stage.ask(.logout(keepsPush: true))
        stage.pass(.seconds(1))
        #expect(try stage.logIn("bob", token: "") == .ok)
    }

    @Test("D: after ten wrong ones the next is not looked at, right or wrong; elsewhere the user comes in")
    func guesses() throws {
        let desk = try Stage(passwords: true).core.desk
        try desk.setPassword("s3cret", of: "alice")
        func judge(_ password: String, at address: String) -> CredentialVerdict.Finding? {
            let found = Found()
            let bearer = GuessLimit.Guesser(address: address, user: "alice", device: "phone")
            desk.judge(.secret(Secret.password(password).wireText), from: bearer, wallMilliseconds: 0) {
                found.judgement = $0
            }
            return found.judgement.map { desk.verdict(of: $0).finding }
        }
        #expect(judge("s3cret", at: "home") == .valid)
        for index in 0..<10 { #expect(judge("guess \(index)", at: "elsewhere") == .wrong) }
        #expect(judge("s3cret", at: "elsewhere") == .tooOften)
        #expect(judge("s3cret", at: "home") == .valid)
    }

    private static let alice = GuessLimit.Guesser(address: "a", user: "alice", device: "d")

    private final class Found: @unchecked Sendable {
        /// Written and read within one call.
        var judgement: Judgement?
    }

    @Test("CHAT-10: the password of an account that was deleted is not that of the next one of the name")
    func deleted() throws {
        let stage = try Stage(passwords: true)
        try stage.core.desk.setPassword("s3cret", of: "alice")
        #expect(try stage.logIn("alice", password: "s3cret") == .ok)
        try stage.core.command(.deleteAccount("alice"))
        stage.pass(.seconds(1))
        #expect(stage.state == .kicked)
        try stage.core.command(.addAccount("alice"))
        #expect(try stage.logIn("alice", password: "s3cret") == .wrongCredential)
    }

    @Test("design 2: over real sockets too, and the session has nothing of it")
    func live() async throws {
        try await onThread {
            let sink = MemorySink()
            let configuration = try Stage.configuration(passwords: true)
            let recording = Recording(
                sink: sink, path: nil,
                header: SessionHeader(
                    title: "passwords", profile: "nim", application: "tests", os: "any", parameters: []),
                epochNanoseconds: configuration.epochNanoseconds)
            let world = try LiveWorld(
                configuration, server: .embedded, timeScale: 1, standsStill: true, trust: .none,
                key: JWTAuthority.makeKey(), recording: recording, store: try ClientStore(), narrate: { _ in "" })
            let secret = "s3cret-do-not-keep"
            try world.perform { core in
                try core.desk.setPassword(secret, of: "alice")
                try core.addClient("phone", platform: .ios)
            }
            func logIn(_ password: String) throws -> Status? {
                try world.perform { core in
                    guard let phone = core.node(named: "phone") else { return }
                    try core.command(
                        .login(user: "alice", credential: try core.desk.keep(password: password), mode: .manual),
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

extension Stage {
    /// A stage on which users may log in with passwords, or not.
    convenience init(passwords: Bool) throws { try self.init(configuration: Stage.configuration(passwords: passwords)) }

    static func configuration(passwords: Bool) throws -> WorldConfiguration {
        let dialect = try #require(Dialects.named("nim"))
        var policy = dialect.clientPolicy
        if passwords { policy.features.insert(.passwords) } else { policy.features.remove(.passwords) }
        var serverPolicy = dialect.serverPolicy
        serverPolicy.passwordChangeEndsLogins = passwords
        return WorldConfiguration(
            profile: "nim", clientPolicy: policy, serverPolicy: serverPolicy, seed: 1,
            epochNanoseconds: 1_767_225_600_000_000_000)
    }

    func logIn(_ user: String, password: String) throws -> Status? {
        try logIn(user, credential: try core.desk.keep(password: password))
    }

    func logIn(_ user: String, token: String) throws -> Status? {
        try logIn(user, credential: core.desk.keep(token))
    }

    private func logIn(_ user: String, credential: String) throws -> Status? {
        try ask(.login(user: user, credential: credential, mode: .manual))
        pass(.seconds(1))
        return core.lastStatus(of: "phone")
    }
}
