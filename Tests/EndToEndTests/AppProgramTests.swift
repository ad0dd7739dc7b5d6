import Foundation
import TestSupport
import Testing

/// Tests of `imrepl app` as a user runs it. The search runs a script in place of Swift, because a build of the modules
/// takes minutes.
@Suite(.onOwnThreads) struct AppProgramTests {
    private static let manager = """
        import UIKit
        import NIMSDK

        @objcMembers final class LoginService: NSObject, NIMLoginManagerDelegate {
            static let shared = LoginService()
            private(set) var isLoggedIn = false
            func signIn(account: String, password: String, completion: @escaping () -> Void) {}
            func login(account: String, token: String) {}
            func logout(reason: String = "") {}
        }
        """

    private func begun() throws -> Sandbox {
        let sandbox = try Sandbox()
        try sandbox.write(Self.manager, "Sources/LoginService.swift")
        try sandbox.write("struct Colours {}\n", "Sources/Colours.swift")
        try sandbox.write("// swift-tools-version: 6.2\n", "VendorSDKs/Package.swift")
        return sandbox
    }

    @Test func `the package contains what the app's text shows`() throws {
        let sandbox = try begun()
        let result = try sandbox.imrepl("app", "init", "Sources", "--modules", "VendorSDKs")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("for NIMSDK (nim)"), "\(result.output)")
        #expect(!result.output.contains("Colours.swift"))
        let explorer = String(decoding: try sandbox.data("LoginTests/Tests/LoginTests/Explorer.swift"), as: UTF8.self)
        #expect(explorer.contains("let app = LoginService.shared"), "\(explorer)")
        let login = "\"log in\": { app in if !app.isLoggedIn { app.login(account: \"alice\", token: token) } },"
        #expect(explorer.contains(login), "\(explorer)")
        #expect(explorer.contains("\"log out\": { app in if app.isLoggedIn { app.logout() } },"), "\(explorer)")
        #expect(explorer.contains("shown: { $0.isLoggedIn }"), "\(explorer)")
        let linked = try sandbox.data("LoginTests/Tests/LoginTests/App/LoginService.swift")
        #expect(String(decoding: linked, as: UTF8.self) == Self.manager)
        let package = String(decoding: try sandbox.data("LoginTests/Package.swift"), as: UTF8.self)
        #expect(package.contains("path: \"../VendorSDKs\""), "\(package)")
        for (arguments, status, words) in [
            (["Sources", "--modules", "VendorSDKs"], 3, "'LoginTests' already exists"),
            (["VendorSDKs", "-o", "Other"], 2, "no file in 'VendorSDKs' imports one of NIMSDK"),
            (["Sources", "-o", "Other", "--modules", "Sources"], 2, "'Sources' is not a package"),
        ] {
            let result = try sandbox.imrepl(["app", "init"] + arguments)
            #expect(result.status == status && result.errors.contains(words), "\(arguments): \(result.errors)")
        }
    }

    @Test func `a module of Firebase is found under the product's name`() throws {
        let sandbox = try begun()
        try sandbox.write("import FirebaseDatabase\nfinal class Presence { func logIn() {} }\n", "Chat/Presence.swift")
        try sandbox.write("import FirebaseAuth\nimport FirebaseDatabase\n", "Chat/Accounts.swift")
        let result = try sandbox.imrepl("app", "init", "Chat", "--modules", "VendorSDKs")
        #expect(result.output.contains("for Firebase (wilddog)"), "\(result.output)\(result.errors)")
        let package = String(decoding: try sandbox.data("LoginTests/Package.swift"), as: UTF8.self)
        #expect(package.contains(".product(name: \"Firebase\", package: \"VendorSDKs\")"), "\(package)")
    }

    @Test func `the second generation of an SDK is known by its class`() throws {
        let sandbox = try begun()
        try sandbox.write("import AgoraRtmKit\nvar kit: AgoraRtmClientKit?\n", "Chat/Signaling.swift")
        let result = try sandbox.imrepl("app", "init", "Chat", "--modules", "VendorSDKs")
        #expect(result.output.contains("for AgoraRtmKit (agora-rtm@2)"), "\(result.output)\(result.errors)")
    }

    @Test func `a missing name is reported with the nearest existing one`() throws {
        let sandbox = try begun()
        try sandbox.write(
            """
            public protocol NIMLoginManagerDelegate: AnyObject {}
            public final class NIMLoginManager {
                public func isLogined() -> Bool { false }
            }
            """, "VendorSDKs/Sources/NIMSDK/NIMSDK.swift")
        try sandbox.write("import NIMSDK\nvar manager: NIMLoginManger?\n", "Sources/Other.swift")
        let result = try sandbox.imrepl("app", "init", "Sources", "--modules", "VendorSDKs")
        #expect(
            result.output.contains("'NIMLoginManger': the nearest name is 'NIMLoginManager'\n"), "\(result.output)")
        #expect(!result.output.contains("'NIMLoginManagerDelegate'"))
        let error = "Other.swift:3:1: error: value of type 'NIMLoginManager' has no member 'isLoggedIn'"
        try sandbox.write("#!/bin/sh\necho \"/app/\(error)\"\nexit 1\n", "broken.sh")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.file("broken.sh"))
        let failed = try sandbox.imrepl(
            ["app", "search", "LoginTests"], environment: ["SWIFT": sandbox.file("broken.sh")])
        #expect(
            failed.errors.contains(
                "'isLoggedIn' of 'NIMLoginManager' (Other.swift:3): the nearest name is 'isLogined'"),
            "\(failed.errors)")
    }

    @Test func `each kind of mistake is reported once, even if several seeds find it`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("", "app/Package.swift")
        // Each process finds the same kind of mistake with another seed. The output has the lowest seed.
        try sandbox.write(
            """
            #!/bin/sh
            [ "$1" = build ] && exit 0
            set -- $IMREPL_APP_SEARCH
            echo
            echo "imrepl-app {\\"kind\\":\\"C-1 busy\\",\\"scenario\\":\\"[]\\",\\"seed\\":\\"$4\\",\\"text\\":\\"C-1 at $4 s\\"}"
            echo "imrepl-app {\\"end\\":\\"5\\"}"
            exit 1
            """, "swift.sh")
        try sandbox.write("#!/bin/sh\necho 'x.swift:1:1: error: no such module'\nexit 1\n", "broken.sh")
        for name in ["swift.sh", "broken.sh"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.file(name))
        }
        let swift = ["SWIFT": sandbox.file("swift.sh")]
        let found = try sandbox.imrepl(["app", "search", "app", "--seeds", "0..9", "--jobs", "2"], environment: swift)
        #expect(found.status == 1, "\(found.errors)")
        let phases = "building the test package (the first time takes some minutes)…\nplaying seeds 0..9…\n"
        #expect(found.errors.contains(phases), "\(found.errors)")
        #expect(found.output == "C-1 at 0 s\nseed 0\n[]\n10 scenarios; kinds of mistakes: 1\n", "\(found.output)")
        var merges: [String] = []
        for part in 1...2 {
            let arguments = ["app", "search", "app", "--seeds", "0..9", "--shard", "\(part)/2", "--json"]
            try sandbox.write(try sandbox.imrepl(arguments, environment: swift).output, "\(part).ndjson")
            merges += ["--merge", "\(part).ndjson"]
        }
        #expect(try sandbox.imrepl(["app", "search"] + merges).output == found.output)
        _ = try sandbox.imrepl(["app", "search"] + merges + ["--report", "search.html"])
        let page = String(decoding: try sandbox.data("search.html"), as: UTF8.self)
        #expect(page.contains("<p>10 scenarios; kinds of mistakes: 1</p>"), "\(page)")
        #expect(page.contains("<h2>C-1 at 0 s</h2>") && page.contains("seed 0, rule C-1"), "\(page)")
        try sandbox.write("{\"kind\":\"cut\"}\n", "cut.ndjson")
        let cut = try sandbox.imrepl("app", "search", "--merge", "cut.ndjson")
        #expect(cut.status == 2 && cut.errors.contains("not a complete output"), "\(cut.errors)")
        let broken = try sandbox.imrepl(["app", "search", "app"], environment: ["SWIFT": sandbox.file("broken.sh")])
        #expect(broken.status == 3 && broken.errors.contains("error: no such module"), "\(broken.errors)")
    }

    @Test func `the test run gets the corpus as an absolute path`() throws {
        let sandbox = try Sandbox()
        try sandbox.write("", "app/Package.swift")
        try sandbox.write(
            """
            #!/bin/sh
            [ "$1" = build ] && exit 0
            echo "$IMREPL_APP_CORPUS" > ../corpus
            echo "imrepl-app {\\"end\\":\\"0\\"}"
            """, "swift.sh")
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: sandbox.file("swift.sh"))
        let result = try sandbox.imrepl(
            ["app", "search", "app", "--corpus", "scenarios"], environment: ["SWIFT": sandbox.file("swift.sh")])
        #expect(result.status == 0, "\(result.errors)")
        let corpus = String(decoding: try sandbox.data("corpus"), as: UTF8.self)
        #expect(corpus.hasPrefix("/") && corpus.hasSuffix("/scenarios\n"), "\(corpus)")
    }
}
