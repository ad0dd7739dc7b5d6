import Foundation
import IMClient
import IMProfiles
import IMProtocol
import SansIO
import TestSupport
import Testing

@testable import IMLive
@testable import IMSimulation

/// The live world's tokens, and that no other text is accepted.
@Suite struct TokenAuthorityTests {
    private static let key = [UInt8](repeating: 7, count: JWTAuthority.keyBytes)
    private static let wall: Int64 = 1_767_225_600_000
    private let authority = JWTAuthority(application: "nim", key: key)

    private func checkCredential(
        _ token: String, by authority: JWTAuthority? = nil, at wall: Int64 = TokenAuthorityTests.wall
    ) async -> CredentialVerdict {
        let authority = authority ?? self.authority
        return await withCheckedContinuation { continuation in
            authority.checkCredential(token, wallMilliseconds: wall) { continuation.resume(returning: $0) }
        }
    }

    private func mint(_ user: String, lifetime: Interval = .seconds(60)) async throws -> String {
        let authority = authority
        return try await onThread { try authority.mint(user: user, lifetime: lifetime, wallMilliseconds: Self.wall) }
    }

    /// A token with any content, signed or not.
    private func token(
        _ payload: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#, key: [UInt8] = TokenAuthorityTests.key
    ) -> String {
        let signed = "\(base64(Data(header.utf8))).\(base64(Data(payload.utf8)))"
        return "\(signed).\(base64(Data(KeyedHash.hmac(Array(signed.utf8), key: key))))"
    }

    private func base64(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    private func claims(
        sub: String = #""alice""#, aud: String = #""nim""#, exp: String = "1767225660", iat: String = "1767225600"
    ) -> String {
        #"{"sub":\#(sub),"aud":\#(aud),"iat":\#(iat),"exp":\#(exp)}"#
    }

    @Test("D: a token has one encoding, is UTF-8, and is not from the future")
    func spelling() async throws {
        let right = token(claims())
        #expect(await checkCredential(right).finding == .valid)
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        for letter in letters where letter != right.last {
            #expect(await checkCredential(right.dropLast() + String(letter)).finding == .wrong, "\(letter)")
        }
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf32LittleEndian] {
            let payload = base64(try #require(claims().data(using: encoding)))
            let signed = "\(base64(Data(#"{"alg":"HS256"}"#.utf8))).\(payload)"
            let code = base64(Data(KeyedHash.hmac(Array(signed.utf8), key: Self.key)))
            #expect(await checkCredential("\(signed).\(code)").finding == .wrong)
        }
        #expect(await checkCredential(token(claims(iat: "1767225601"))).finding == .valid)
        #expect(await checkCredential(token(claims(iat: "1767225602"))).finding == .wrong)
    }

    @Test("D: passwords are checked in turn by address, and a flood from one address does not delay others")
    func passwordQueue() {
        let queue = PasswordCheckQueue()
        var begun: [String] = []
        for _ in 0..<PasswordCheckQueue.waitingPerAddressMax { #expect(queue.add("a") { begun.append("a") }) }
        #expect(!queue.add("a") {})
        #expect(queue.add("b") { begun.append("b") })
        queue.start()
        #expect(begun == ["a", "b", "a", "a"])
        queue.end()
        #expect(begun.count == 5)
    }

    @Test("C-11: a token names its user and its expiry, and is invalid from that instant on")
    func expiry() async throws {
        let token = try await mint("alice")
        let expiry = Self.wall + 60_000
        #expect(
            await checkCredential(token)
                == CredentialVerdict(
                    .valid, user: "alice", expiresAtMilliseconds: expiry, issuedAtMilliseconds: Self.wall))
        #expect(authority.claimedExpiry(token) == expiry)
        #expect(await checkCredential(token, at: expiry - 1).finding == .valid)
        #expect(await checkCredential(token, at: expiry).finding == .expired)
        #expect(await checkCredential(token, at: .max).finding == .expired)
    }

    @Test("design 2: a token of one application or server is invalid in another")
    func otherApplication() async throws {
        let token = try await mint("alice")
        #expect(
            await checkCredential(token, by: JWTAuthority(application: "zim", key: Self.key))
                == CredentialVerdict(.wrong))
        let otherKey = JWTAuthority(application: "nim", key: JWTAuthority.makeKey())
        #expect(await checkCredential(token, by: otherKey) == CredentialVerdict(.wrong))
        #expect(await checkCredential(self.token(claims(aud: #"["nim","zim"]"#))) == CredentialVerdict(.wrong))
        #expect(await checkCredential(self.token(claims(aud: "[]"))) == CredentialVerdict(.wrong))
        // The signer of this test makes tokens that the authority accepts, so that its refusals are significant.
        #expect(await checkCredential(self.token(claims())).finding == .valid)
    }

    @Test("C-11: a token of one user is invalid for another, over real sockets")
    func otherUser() async throws {
        let token = try await mint("alice")
        try await onThread {
            let dialect = try #require(Dialects.named("nim"))
            let world = try LiveWorld(
                WorldConfiguration(
                    profile: "nim", clientPolicy: dialect.clientPolicy, serverPolicy: dialect.serverPolicy, seed: 1,
                    epochNanoseconds: Self.wall * 1_000_000),
                server: .embedded, timeScale: 1, stopsBetweenCommands: true, trust: .none, key: Self.key,
                recording: nil,
                store: MemoryClientStore(), summarize: { _ in "" })
            defer { try? world.shutDown() }
            func logIn(_ user: String) throws -> Status? {
                try world.perform { core in
                    let client = try core.node(named: "phone") ?? core.addClient("phone", platform: .ios)
                    try core.command(
                        .login(user: user, credential: core.vault.keep(token), mode: .manual), client: client)
                }
                var status: Status?
                _ = try world.advance(by: .seconds(9)) { $0.lastStatus(of: "phone") != nil }
                status = try world.perform { $0.lastStatus(of: "phone") }
                return status
            }
            #expect(try logIn("bob") == .wrongCredential)
        }
    }

    @Test(
        "design 2: a token without a valid signature is refused, whatever its header contains",
        arguments: [
            #"{"alg":"none","typ":"JWT"}"#, #"{"alg":"None"}"#, #"{"alg":""}"#, #"{"typ":"JWT"}"#, "{}", "",
            #"{"alg":"RS256"}"#, #"{"alg":"HS256","kid":"other"}"#,
        ])
    func unsigned(header: String) async throws {
        let parts = try await mint("alice").split(separator: ".").map(String.init)
        let head = base64(Data(header.utf8))
        for signature in ["", parts[2], "AAAA"] {
            #expect(await checkCredential("\(head).\(parts[1]).\(signature)") == CredentialVerdict(.wrong))
        }
        #expect(await checkCredential("\(head).\(parts[1])") == CredentialVerdict(.wrong))
        #expect(await checkCredential(token(claims(), header: header, key: [])) == CredentialVerdict(.wrong))
    }

    @Test("design 2: a token with one changed character is refused")
    func tampered() async throws {
        let token = Array(try await mint("alice"))
        // Some bits of the last character are unused, so a token with another last character may be equal.
        for index in token.indices.dropLast() {
            var changed = token
            changed[index] = changed[index] == "A" ? "B" : "A"
            #expect(await checkCredential(String(changed)) == CredentialVerdict(.wrong), "changed at \(index)")
        }
        let parts = String(token).split(separator: ".").map(String.init)
        let other = base64(Data(claims(sub: #""bob""#).utf8))
        #expect(await checkCredential("\(parts[0]).\(other).\(parts[2])") == CredentialVerdict(.wrong))
    }

    @Test(
        "design 2: a signed token with impossible claims is refused, and does not trap",
        arguments: [
            #"{"sub":"alice","aud":"nim","iat":1}"#, #"{"aud":"nim","iat":1,"exp":1767225660}"#,
            #"{"sub":"alice","iat":1,"exp":1767225660}"#, "[]", "null", "", "{",
            #"{"sub":"alice","aud":"nim","iat":1,"exp":1e300}"#, #"{"sub":"alice","aud":"nim","iat":1,"exp":"soon"}"#,
            #"{"sub":"alice","aud":"nim","iat":1,"exp":1e999}"#, #"{"sub":"alice","aud":"nim","iat":1,"exp":null}"#,
        ])
    func impossible(payload: String) async {
        #expect(await checkCredential(token(payload)) == CredentialVerdict(.wrong))
    }

    @Test("D: a token is invalid before its start, and contains its time of issue")
    func notBefore() async {
        func nbf(_ nbf: String) -> String {
            token(#"{"sub":"alice","aud":"nim","iat":1767225600,"exp":1767225660,"nbf":\#(nbf)}"#)
        }
        #expect(await checkCredential(nbf("1767225600")).finding == .valid)
        #expect(await checkCredential(nbf("1767225601")) == CredentialVerdict(.wrong))
        #expect(await checkCredential(nbf("1767225601"), at: Self.wall + 1000).finding == .valid)
        for text in ["1e300", #""soon""#, "[]"] {
            #expect(await checkCredential(nbf(text)) == CredentialVerdict(.wrong))
        }
        #expect(await checkCredential(token(claims())).issuedAtMilliseconds == Self.wall)
        let silent = token(#"{"sub":"alice","aud":"nim","exp":1767225660}"#)
        #expect(await checkCredential(silent).finding == .valid)
        #expect(await checkCredential(silent).issuedAtMilliseconds == 0)
    }

    @Test(
        "D: a token whose header demands an extension is refused, because none is supported",
        arguments: [
            #"["exp"]"#, #"["b64"]"#, "[]", "null", "1",
        ])
    func critical(_ crit: String) async {
        let header = #"{"alg":"HS256","typ":"JWT","crit":\#(crit),"exp":1,"b64":true}"#
        #expect(await checkCredential(token(claims(), header: header)) == CredentialVerdict(.wrong))
        #expect(await checkCredential(token(claims(), header: #"{"alg":"HS256","b64":true}"#)).finding == .valid)
    }

    @Test("NIM h30: static tokens need no expiry; elsewhere a token without an expiry is invalid")
    func endless() async throws {
        let endless = JWTAuthority(application: "nim", key: Self.key, lifetime: nil)
        let token = try await onThread {
            try endless.mint(user: "alice", lifetime: nil, wallMilliseconds: Self.wall)
        }
        let verdict = CredentialVerdict(.valid, user: "alice", issuedAtMilliseconds: Self.wall)
        #expect(await checkCredential(token, by: endless, at: .max) == verdict)
        #expect(await checkCredential(token) == CredentialVerdict(.wrong))
        #expect(endless.claimedExpiry(token) == 0)
        let minute = try await mint("alice")
        #expect(await checkCredential(minute, by: endless, at: Self.wall + 60_000).finding == .expired)
    }

    @Test("ZIM-1: the claimed expiry is read without a key and without a trap")
    func claimed() {
        func claimed(_ exp: String) -> Int64 { authority.claimedExpiry(token(#"{"exp":\#(exp)}"#)) }
        #expect(claimed("1767225660") == 1_767_225_660_000)
        #expect(claimed("1.5") == 1500)
        #expect(claimed("-1") == -1000)
        for text in ["1e300", "-1e300", "1e999", "null", #""1""#, "[]", "{}", "true"] { #expect(claimed(text) == 0) }
        let deep = String(repeating: "[", count: 20_000)
        let garbage = [
            "", ".", "..", "...", "a.b.c", "a.!!!.c", "a.\u{0}.c", "é.é.é", "eyJ", ".e30.", deep, "a.\(deep).c",
            token(deep), token(#"{"exp":\#(deep)"#), String(repeating: ".", count: 60_000),
        ]
        for text in garbage { #expect(authority.claimedExpiry(text) == 0) }
    }

    @Test("design 3: the simulated world's tokens follow the same rules")
    func plain() {
        let authority = PlainTokenAuthority(application: "nim")
        let other = PlainTokenAuthority(application: "zim")
        func checkCredential(_ token: String, _ authority: PlainTokenAuthority, at wall: Int64) -> CredentialVerdict {
            let found = Found()
            authority.checkCredential(token, wallMilliseconds: wall) { found.verdict = $0 }
            return found.verdict
        }
        // A user's name may contain the separator.
        guard let token = try? authority.mint(user: "a/b", lifetime: .seconds(1), wallMilliseconds: 0) else {
            Issue.record("no token")
            return
        }
        #expect(
            checkCredential(token, authority, at: 999)
                == CredentialVerdict(.valid, user: "a/b", expiresAtMilliseconds: 1000))
        let endless = PlainTokenAuthority(application: "nim", lifetime: nil)
        let forever = try? endless.mint(user: "a", lifetime: nil, wallMilliseconds: 5)
        #expect(
            checkCredential(forever ?? "", endless, at: .max)
                == CredentialVerdict(.valid, user: "a", issuedAtMilliseconds: 5))
        #expect(checkCredential(token, authority, at: 1000).finding == .expired)
        #expect(checkCredential(token, other, at: 0) == CredentialVerdict(.wrong))
        for text in ["", "/", "simulated/nim/x/a", "simulated/nim/99999999999999999999/a", "simulated/nim/1"] {
            #expect(checkCredential(text, authority, at: 0) == CredentialVerdict(.wrong))
        }
    }

    /// Written and read within one call.
    private final class Found: @unchecked Sendable {
        var verdict = CredentialVerdict(.missing)
    }
}
