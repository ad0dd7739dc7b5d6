import TestSupport
import Testing

@testable import IMTokens

/// Tests of the content of a token and of the check of its signature, with published tokens and with tokens that were
/// built with the published algorithms.
@Suite struct TokenTests {
    private typealias Vectors = TokenVectors
    private static let now: Int64 = 1_700_000_060

    private func read(
        _ token: String, secret: String? = nil, _ change: (inout TokenContext) -> Void = { _ in }
    ) throws -> TokenFacts {
        var context = TokenContext(now: Self.now)
        context.secret = secret.map { Array($0.utf8) }
        change(&context)
        return try TokenFacts(reading: token, context)
    }

    @Test func `Agora 007 shows app, user, service, privilege and times`() throws {
        let facts = try read(Vectors.agora007Chat + "\n", secret: Vectors.agoraCertificate)
        #expect(facts.kind == .agora007)
        #expect(facts.app == Vectors.agoraApp)
        #expect(
            facts.services == [
                .init(name: "Chat", user: "2882341273", privileges: [.init(name: "user", expires: 1_111_711)])
            ])
        #expect(facts.issued == 1_111_111)
        #expect(facts.expires == 1_111_711)
        #expect(facts.isAppToken == false)
        #expect(facts.signature == .valid)
        #expect(facts.mistakes == [.expired(at: 1_111_711)])
        #expect(try read(Vectors.agora007Chat).signature == .notChecked(nil))
        #expect(try read(Vectors.agora007Chat, secret: "another").mistakes.first == .wrongSignature)
    }

    @Test func `Agora 007 shows every service, and stops at an unknown one`() throws {
        let facts = try read(Vectors.agora007All, secret: Vectors.agoraCertificate)
        #expect(facts.services.map(\.name) == ["RTC", "RTM", "Streaming", "FPA", "Chat", "FCDN", "APaaS", "RTM2"])
        #expect(facts.services[0].channel == "room")
        #expect(facts.services[0].privileges.map(\.name) == ["join", "audio"])
        #expect(facts.services.compactMap(\.user) == [String](repeating: "alice", count: 7))
        #expect(
            facts.details.map(\.value) == ["-1", "a, b", "99; the services after it are not shown"])
        #expect(facts.details.map(\.name) == ["role", "read stream", "unknown service"])
        #expect(facts.signature == .valid)
    }

    @Test func `Agora 006 contains only checksums of channel and user`() throws {
        let channel = "7d72365eb983485397e3e3f9d460bdda"
        let facts = try read(Vectors.agora006, secret: Vectors.agoraCertificate) {
            ($0.channel, $0.user, $0.app) = (channel, "2882341273", Vectors.agoraApp)
        }
        #expect(facts.signature == .valid)
        #expect(facts.services == [.init(name: "RTC", privileges: [.init(name: "join", expires: 1_446_455_471)])])
        #expect(facts.mistakes == [.expired(at: 1_111_111)])
        let other = try read(Vectors.agora006, secret: Vectors.agoraCertificate) { ($0.channel, $0.user) = ("x", "y") }
        #expect(other.mistakes.prefix(3) == [.otherChannel, .otherUser, .wrongSignature])
        #expect(try read(Vectors.agora006, secret: "x").signature != .wrong, "the names are missing")
        let rtm = try read(Vectors.agora006RTM, secret: Vectors.agoraCertificate) { $0.user = "test_user" }
        #expect(rtm.services.map(\.name) == ["RTM"])
        #expect(rtm.signature == .valid)
    }

    @Test func `Agora's Signaling token shows app and expiry`() throws {
        let facts = try read(Vectors.agoraSignaling, secret: Vectors.agoraCertificate.lowercased()) {
            $0.user = "TestAccount"
        }
        #expect(facts.kind == .agoraSignaling)
        #expect(facts.app == Vectors.agoraApp.lowercased())
        #expect(facts.expires == 1_446_455_471)
        #expect(facts.signature == .valid)
        #expect(try read(Vectors.agoraSignaling, secret: "x") { $0.user = "bob" }.signature == .wrong)
    }

    @Test(arguments: [Vectors.zego04, Vectors.zego04GCM, Vectors.zego04Room, Vectors.zego03])
    func `ZEGO shows only the expiry without the secret`(_ token: String) throws {
        let closed = try read(token)
        #expect(closed.expires == 1_700_003_600)
        #expect(closed.user == nil)
        #expect(closed.app == nil)
        #expect(closed.mistakes == [])
        let open = try read(token, secret: Vectors.zegoSecret)
        #expect(open.user == "alice")
        #expect(open.app == "1234567890")
        #expect(open.issued == 1_700_000_000)
        #expect(open.signature == .valid)
        for secret in ["0123456789abcdef0123456789abcdeX", "short"] {
            #expect(try read(token, secret: secret).signature == .wrong)
        }
        guard token != Vectors.zego04, token != Vectors.zego04GCM else { return }
        #expect(open.services.first?.channel == "room")
        #expect(open.services.first?.privileges.first == .init(name: "login"))
    }

    @Test func `ZEGO's expiry outside the encrypted part is compared with the one in it`() throws {
        #expect(try read(Vectors.zego04Changed, secret: Vectors.zegoSecret).signature == .wrong)
    }

    @Test func `Easemob's tokens of both lengths show their times`() throws {
        let old = try read(Vectors.easemobOld)
        // The lifetime is 60 days, which equals `expires_in` in the documentation.
        #expect(old.issued == 1_410_257_353)
        #expect(old.expires == 1_415_441_353)
        let app = try read(Vectors.easemobApp)
        #expect(app.issued == 1_542_595_231)
        #expect(app.expires == 1_547_779_231)
        #expect(app.app == "8be024f0-e978-11e8-b697-5d598d5f8402")
        #expect(app.isAppToken == true)
        let user = try read(Vectors.easemobUser) { $0.user = "alice" }
        #expect(user.isAppToken == false)
        #expect(user.expires == 1_700_003_600)
        #expect(user.mistakes == [])
        #expect(try read(Vectors.easemobEndless).expires == nil)
    }

    @Test func `dynamic tokens of Easemob and NIM are checked with the names that the signature needs`() throws {
        let easemob = try read(Vectors.easemobDynamic, secret: "client-secret") { $0.clientID = "client-id" }
        #expect(easemob.app == "org#app")
        #expect(easemob.user == "alice")
        #expect(easemob.expires == 1_700_000_600)
        #expect(easemob.signature == .valid)
        #expect(easemob.mistakes == [])
        #expect(try read(Vectors.easemobDynamic, secret: "x").signature == .notChecked("it also needs the client id"))
        let nim = try read(Vectors.nimDynamic, secret: "app-secret") { ($0.app, $0.user) = ("app-key", "alice") }
        #expect(nim.issued == 1_700_000_000)
        #expect(nim.expires == 1_700_000_600)
        #expect(nim.signature == .valid)
        #expect(
            try read(Vectors.nimDynamic, secret: "app-secret") { ($0.app, $0.user) = ("x", "bob") }.signature == .wrong)
    }

    @Test func `a JSON Web Token shows its claims`() throws {
        let key: [UInt8] = try TokenBytes.base64(
            "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow")
        let facts = try read(Vectors.jwtRFC7515) { $0.secret = key }
        #expect(facts.expires == 1_300_819_380)
        #expect(facts.signature == .valid)
        let firebase = try read(Vectors.jwtFirebase, secret: "jwt-secret")
        #expect(firebase.user == "alice")
        #expect(firebase.app == "a, b")
        #expect(firebase.signature == .valid)
        #expect(try read(Vectors.jwtWilddog).user == "alice")
    }

    @Test(arguments: [Vectors.userSig, Vectors.userSigBuffer]) func `UserSig shows its fields`(_ token: String) throws {
        let facts = try read(token, secret: Vectors.userSigKey)
        #expect(facts.app == "1400000000")
        #expect(facts.user == "xiaojun")
        #expect(facts.issued == 1_700_000_000)
        #expect(facts.expires == 1_715_552_000)
        #expect(facts.signature == .valid)
        #expect(facts.mistakes == [])
        #expect(try read(token, secret: "x").signature == .wrong)
    }

    // MARK: Mistakes

    @Test(arguments: [
        Vectors.agora007Absolute, Vectors.agora006Relative, Vectors.zego04Milliseconds,
        Vectors.easemobDynamicMilliseconds, Vectors.nimDynamicSeconds, Vectors.jwtMilliseconds, Vectors.userSigAbsolute,
    ])
    func `a number with another unit is reported, and no other mistake`(_ token: String) throws {
        #expect(try read(token).mistakes.map(\.code) == ["unit"])
    }

    @Test(arguments: [Vectors.agora007ChatApp, Vectors.easemobApp])
    func `an app token is a mistake where a user logs in`(_ token: String) throws {
        #expect(try read(token).mistakes.map(\.code) == ["expired"])
        #expect(try read(token) { $0.user = "alice" }.mistakes.map(\.code) == ["app-token", "expired"])
    }

    @Test func `another app, user and channel are reported`() throws {
        let facts = try read(Vectors.agora007All) { ($0.app, $0.user, $0.channel) = ("x", "bob", "y") }
        #expect(facts.mistakes.prefix(3) == [.otherApp, .otherUser, .otherChannel])
        #expect(try read(Vectors.jwtNone).mistakes == [.unsigned])
    }

    @Test func `times are compared with now, or with the logins of a session`() throws {
        let token = Vectors.zego04
        let open = try read(token, secret: Vectors.zegoSecret) { $0.now = 1_699_999_000 }
        #expect(open.mistakes == [.issuedLater(at: 1_700_000_000)])
        #expect(try read(token) { $0.now = 1_700_003_600 }.mistakes == [.expired(at: 1_700_003_600)])
        #expect(try read(Vectors.agora007All) { $0.now = 1_700_000_300 }.mistakes.first?.code == "privilege-expired")
        let logins = try read(token, secret: Vectors.zegoSecret) {
            $0.now = .max
            $0.logins = [
                .init(event: 7, time: 1_700_003_599, user: "alice"),
                .init(event: 9, time: 1_700_003_600, user: "alice"),
                .init(event: 11, time: 0, user: "bob"),
            ]
        }
        #expect(logins.mistakes == [.expiredBeforeLogin(event: 9, login: 1_700_003_600, at: 1_700_003_600)])
    }

    // MARK: No token

    @Test(arguments: [
        "", " \n", "alice", "a b", "00", "007", "006", "04", "YWMt", "ZHQt", "a.b", "a.b.c", "eJ", "1:", "名前",
    ])
    func `an invalid token is an error that does not contain the text`(_ text: String) {
        let error = #expect(throws: TokenError.self) { try read(text) }
        #expect(error?.description.contains("alice") == false)
    }

    @Test func `a text that decompresses to more than a token's maximum is refused`() throws {
        #expect(throws: TokenError.self) { try read(String(repeating: "A", count: TokenFacts.bytesMax + 1)) }
        #expect(TokenVectors.all.allSatisfy(TokenFacts.looksLikeToken))
        #expect(
            !TokenFacts.looksLikeToken("token.txt") && !TokenFacts.looksLikeToken("/home/alice/a-long-name/token.txt"))
    }
}
