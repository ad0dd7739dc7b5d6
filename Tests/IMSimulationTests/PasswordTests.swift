import Foundation
import IMClient
import IMDialects
import IMProtocol
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// Logging in with a password: what can be one, and what it proves.
@Suite struct PasswordTests {
    @Test("design 2: what cannot be a password is refused in words")
    func objections() throws {
        let desk = try Stage(passwords: true).core.desk
        #expect(throws: WorldError.self) { try desk.setPassword("", of: "alice") }
        let long = String(repeating: "x", count: Password.bytesMax)
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
