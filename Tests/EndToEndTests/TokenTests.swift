import Foundation
import TestSupport
import Testing

/// Tests of `imrepl token`: it reads a token from a pipe, prints its content and returns an exit code. It stores
/// nothing.
@Suite(.onOwnThreads) struct TokenTests {
    private func token(_ sandbox: Sandbox, _ token: String, _ arguments: [String] = []) throws -> Program.Result {
        try sandbox.imrepl(["token"] + arguments, input: Data((token + "\n").utf8))
    }

    @Test func `a token from a pipe is explained, and neither printed nor stored`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(TokenVectors.agoraCertificate + "\n", "secret.txt")
        let before = try sandbox.files()
        let plain = try token(sandbox, TokenVectors.agora007Chat)
        #expect(plain.status == 1, "it has expired: \(plain.errors)")
        #expect(plain.lines.contains("app       \(TokenVectors.agoraApp)"))
        #expect(plain.lines.contains("service   Chat, user 2882341273"))
        #expect(plain.lines.contains("signature not checked (--secret FILE checks it)"))
        #expect(
            plain.lines.contains { $0.hasPrefix("expires   1970-01-13T20:48:31Z (5") && $0.hasSuffix(" years ago)") })
        #expect(plain.lines.last?.hasPrefix("mistake   the token has expired: 1970-01-13T20:48:31Z") == true)
        let checked = try token(sandbox, TokenVectors.agora007Chat, ["--secret", "secret.txt", "--app-id", "other"])
        #expect(checked.lines.contains("signature valid"))
        #expect(checked.lines.contains("mistake   the token is for another app than --app-id"))
        for result in [plain, checked] {
            #expect(!(result.output + result.errors).contains(TokenVectors.agora007Chat))
            #expect(!(result.output + result.errors).contains(TokenVectors.agoraCertificate))
        }
        #expect(try sandbox.files() == before)
    }

    @Test func `a token without a mistake ends with 0, also from a file`() throws {
        let sandbox = try Sandbox()
        try sandbox.write(TokenVectors.jwtEndless, "token.txt")
        try sandbox.write("jwt-secret", "secret.txt")
        try sandbox.write("another", "wrong.txt")
        let good = try sandbox.imrepl("token", "token.txt", "--secret", "secret.txt", "--user", "alice")
        #expect(good.status == 0, "\(good.output) \(good.errors)")
        #expect(good.lines.first == "kind      JSON Web Token")
        let wrong = try sandbox.imrepl("token", "token.txt", "--secret", "wrong.txt")
        #expect(wrong.status == 1)
        #expect(wrong.lines.contains("signature wrong"))
    }

    @Test func `with --json there is one object, and then the end`() throws {
        let sandbox = try Sandbox()
        let result = try token(sandbox, TokenVectors.nimDynamicSeconds, ["--json"])
        #expect(result.status == 1)
        #expect(result.lines.count == 2)
        let data = Data((result.lines.first ?? "").utf8)
        let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object["type"] as? String == "token")
        #expect(object["kind"] as? String == "nim-dynamic")
        #expect(object["signature"] as? String == "not-checked")
        #expect((object["mistakes"] as? [[String: String]])?.map { $0["code"] } == ["unit"])
        #expect(result.lines.last?.contains("\"type\":\"end\",\"status\":1") == true)
    }

    @Test func `a token is compared with the logins of a session`() throws {
        let sandbox = try Sandbox()
        try sandbox.recordKick("kick.pcapng", ["--epoch", "2023-11-14T23:13:00Z"])
        let early = try token(sandbox, TokenVectors.zego04, ["--session", "kick.pcapng"])
        #expect(early.status == 0, "\(early.output) \(early.errors)")
        #expect(early.lines.contains("session   2 logins compared"))
        try sandbox.recordKick("late.pcapng", ["--epoch", "2023-11-15T00:00:00Z"])
        let late = try token(sandbox, TokenVectors.zego04, ["--session", "late.pcapng"])
        #expect(late.status == 1)
        #expect(late.lines.last?.contains("the token expired 46m 40s before the login #") == true, "\(late.output)")
        #expect(try token(sandbox, TokenVectors.zego04, ["--session", "none.pcapng"]).status == 5)
    }

    @Test(arguments: [
        ["token", TokenVectors.jwtEndless], ["token", "token.txt", TokenVectors.agora007Chat],
        ["token", "--token=\(TokenVectors.jwtEndless)"], ["token", "--secret", TokenVectors.jwtEndless],
    ])
    func `a token as an argument is refused, and not repeated`(_ arguments: [String]) throws {
        let sandbox = try Sandbox()
        try sandbox.write(TokenVectors.jwtEndless, "token.txt")
        let result = try sandbox.imrepl(arguments, input: Data("\(TokenVectors.jwtEndless)\n".utf8))
        #expect(result.status == (arguments.contains("--secret") ? 3 : 2))
        #expect(result.output == "")
        for token in [TokenVectors.jwtEndless, TokenVectors.agora007Chat] { #expect(!result.errors.contains(token)) }
        guard arguments[1].hasPrefix("-") == false else { return }
        #expect(result.errorLines.count == 1)
        #expect(result.errors.hasPrefix("imrepl: other users can see arguments"))
    }

    @Test func `a text that is not a token ends with 1 and one line`() throws {
        let sandbox = try Sandbox()
        for text in ["", "hunter2-hunter2-hunter2", "007eJx", "\u{FF}\u{0}"] {
            let result = try token(sandbox, text)
            #expect(result.status == 1)
            #expect(result.errorLines.count == 1, "\(result.errors)")
            #expect(!result.errors.contains("hunter2"))
        }
        #expect(try sandbox.imrepl("token", "nowhere.txt").status == 3)
        #expect(try sandbox.imrepl("token", ".").status == 3)
    }
}
