import Foundation
import IMClient
import IMProfiles
import IMProtocol
import Recorder
import SansIO
import Testing

@testable import IMSimulation

/// Tests of logins with a password: which passwords are valid, and the results of checks.
@Suite struct PasswordTests {
    @Test("design 2: an invalid password is refused in words")
    func objections() throws {
        let vault = try Harness(passwords: true).core.vault
        #expect(throws: WorldError.self) { try vault.setPassword("", of: "alice") }
        let long = String(repeating: "x", count: Password.bytesMax)
        try vault.setPassword(long, of: "alice")
        #expect(throws: WorldError.self) { try vault.setPassword(long + "x", of: "alice") }
        // This password has the maximum number of characters, but more bytes.
        #expect(throws: WorldError.self) { try vault.setPassword(String(long.dropLast()) + "é", of: "alice") }
    }

    @Test("design 1: a system without passwords refuses the command")
    func none() throws {
        let vault = try Harness(passwords: false).core.vault
        #expect(throws: WorldError.self) { try vault.setPassword("s3cret", of: "alice") }
        #expect(throws: WorldError.self) { try vault.keep(password: "s3cret") }
    }

    // MARK: Verdicts

    @Test("CHAT-10: the right password logs in; a wrong one and an unknown user get the same code")
    func logsIn() throws {
        let harness = try Harness(passwords: true)
        try harness.core.vault.setPassword("s3cret", of: "alice")
        #expect(try harness.logIn("alice", password: "wrong") == .wrongCredential)
        #expect(try harness.logIn("nobody", password: "wrong") == .wrongCredential)
        #expect(try harness.logIn("alice", password: "") == .wrongCredential)
        // The password of one user is not valid for another user.
        #expect(try harness.logIn("bob", password: "s3cret") == .wrongCredential)
        #expect(try harness.logIn("alice", password: "s3cret") == .ok)
        #expect(harness.state == .online)
    }

    @Test("design 2: neither a password nor its mark is taken for a token, nor the reverse")
    func kinds() throws {
        for text in ["", "a", "password:a", "simulated/nim/1/a"] {
            #expect(Secret(wireText: Secret.password(text).wireText) == .password(text))
        }
        let harness = try Harness(passwords: true)
        let token = try harness.core.vault.mint(
            user: "alice", lifetime: nil, wallMilliseconds: harness.core.wallMilliseconds)
        try harness.core.vault.setPassword("s3cret", of: "alice")
        #expect(try harness.logIn("alice", password: token) == .wrongCredential)
        #expect(try harness.logIn("alice", token: "s3cret") == .wrongCredential)
        #expect(try harness.logIn("alice", token: token) == .ok)
    }

    @Test("CHAT-10: a change ends the logins, and the old password is wrong from then on")
    func changed() throws {
        let harness = try Harness(passwords: true)
        try harness.core.vault.setPassword("old", of: "alice")
        #expect(try harness.logIn("alice", password: "old") == .ok)
        try harness.core.vault.setPassword("new", of: "alice")
        try harness.core.command(.passwordChanged(user: "alice"))
        harness.pass(.seconds(1))
        #expect(harness.state == .kicked)
        #expect(try harness.logIn("alice", password: "old") == .wrongCredential)
        #expect(try harness.logIn("alice", password: "new") == .ok)
    }

    @Test("CHAT-10: a password that changes during its check is wrong")
    func changedMeanwhile() throws {
        let vault = try Harness(passwords: true).core.vault
        try vault.setPassword("old", of: "alice")
        let found = Found()
        vault.checkCredential(.secret(Secret.password("old").wireText), from: Self.alice, wallMilliseconds: 0) {
            found.credentialCheck = $0
        }
        let credentialCheck = try #require(found.credentialCheck)
        #expect(vault.verdict(of: credentialCheck) == CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: 1))
        try vault.setPassword("changed", of: "bob")
        #expect(vault.verdict(of: credentialCheck).finding == .valid)
        try vault.setPassword("old", of: "alice")
        #expect(vault.verdict(of: credentialCheck) == CredentialVerdict(.wrong))
    }

    @Test("design 2: a peer cannot use a secret by its name")
    func borrowed() throws {
        let vault = try Harness(passwords: true).core.vault
        let name = vault.keep(try vault.mint(user: "alice", lifetime: nil, wallMilliseconds: 0))
        for credential: Credential in [.reference(name), .verdict(CredentialVerdict(.valid, user: "alice"))] {
            let found = Found()
            vault.checkCredential(credential, from: Self.alice, wallMilliseconds: 0) { found.credentialCheck = $0 }
            #expect(found.credentialCheck.map(vault.verdict) == CredentialVerdict(.wrong))
        }
    }

    @Test("D: nobody is admitted without a credential if there is a password, even if the server admits others")
    func missing() throws {
        let harness = try Harness(passwords: true)
        try harness.core.command(.setPolicy(key: "admits-without-credential", value: "true"))
        try harness.core.vault.setPassword("s3cret", of: "alice")
        #expect(try harness.logIn("alice", token: "") == .wrongCredential)
        #expect(try harness.logIn("alice", password: "s3cret") == .ok)
        try harness.ask(.logout(keepsPush: true))
        harness.pass(.seconds(1))
        #expect(try harness.logIn("bob", token: "") == .ok)
    }

    @Test("D: after ten wrong passwords the next is not checked; elsewhere the user is admitted")
    func guesses() throws {
        let vault = try Harness(passwords: true).core.vault
        try vault.setPassword("s3cret", of: "alice")
        func checkCredential(_ password: String, at address: String) -> CredentialVerdict.Finding? {
            let found = Found()
            let bearerKey = CredentialRateLimiter.BearerKey(address: address, user: "alice", device: "phone")
            vault.checkCredential(.secret(Secret.password(password).wireText), from: bearerKey, wallMilliseconds: 0) {
                found.credentialCheck = $0
            }
            return found.credentialCheck.map { vault.verdict(of: $0).finding }
        }
        #expect(checkCredential("s3cret", at: "home") == .valid)
        for index in 0..<10 { #expect(checkCredential("guess \(index)", at: "elsewhere") == .wrong) }
        #expect(checkCredential("s3cret", at: "elsewhere") == .tooOften)
        #expect(checkCredential("s3cret", at: "home") == .valid)
    }

    @Test("D: wrong tokens do not delay a right one")
    func tokens() throws {
        let vault = try Harness(passwords: true).core.vault
        let token = try vault.mint(user: "alice", lifetime: nil, wallMilliseconds: 0)
        func checkCredential(_ token: String) -> CredentialVerdict.Finding? {
            let found = Found()
            vault.checkCredential(.secret(token), from: Self.alice, wallMilliseconds: 0) { found.credentialCheck = $0 }
            return found.credentialCheck.map { vault.verdict(of: $0).finding }
        }
        for index in 0..<10 { #expect(checkCredential("guess \(index)") == .wrong) }
        #expect(checkCredential("guess") == .tooOften)
        #expect(checkCredential(token) == .valid)
    }

    private static let alice = CredentialRateLimiter.BearerKey(address: "a", user: "alice", device: "d")

    private final class Found: @unchecked Sendable {
        /// The check is written and read within one call, so no lock is needed.
        var credentialCheck: CredentialCheck?
    }

    @Test("CHAT-10: the password of a deleted account is not valid for a new account of the same name")
    func deleted() throws {
        let harness = try Harness(passwords: true)
        try harness.core.vault.setPassword("s3cret", of: "alice")
        #expect(try harness.logIn("alice", password: "s3cret") == .ok)
        try harness.core.command(.deleteAccount("alice"))
        harness.pass(.seconds(1))
        #expect(harness.state == .kicked)
        try harness.core.command(.addAccount("alice"))
        #expect(try harness.logIn("alice", password: "s3cret") == .wrongCredential)
    }
}

extension Harness {
    /// A harness for a system with or without passwords.
    convenience init(passwords: Bool) throws {
        try self.init(configuration: Harness.configuration(passwords: passwords))
    }

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
        try logIn(user, credential: try core.vault.keep(password: password))
    }

    func logIn(_ user: String, token: String) throws -> Status? {
        try logIn(user, credential: core.vault.keep(token))
    }

    private func logIn(_ user: String, credential: String) throws -> Status? {
        try ask(.login(user: user, credential: credential, mode: .manual))
        pass(.seconds(1))
        return core.lastStatus(of: "phone")
    }
}
