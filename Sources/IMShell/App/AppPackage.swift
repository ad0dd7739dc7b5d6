/// The texts of the files of a generated Swift package that tests an app's login code.
package struct AppPackage {
    private let sources: AppSources
    private let modules: String

    /// - Parameter modules: the path of Packages/VendorSDKs, which has the vendors' modules.
    package init(_ sources: AppSources, modules: String) {
        self.sources = sources
        self.modules = modules
    }

    /// The folder in the package with the app's own files, or with links to them.
    package static let appFolder = "Tests/LoginTests/App"

    /// The folder in the package with the sessions that the tests record.
    private static let sessionFolder = "Sessions"

    /// The text of each generated file, with its path in the package.
    package var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest), (".gitignore", gitignore), ("Tests/LoginTests/Explorer.swift", explorer),
            ("Tests/LoginTests/FirstTests.swift", firstTest), ("Tests/LoginTests/SearchTests.swift", search),
        ]
    }

    /// The content of `.gitignore`. The folder with the failures of a search is not ignored: each failure is a test.
    private var gitignore: String {
        """
        .build/
        /\(Self.sessionFolder)/

        """
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "LoginTests",
            platforms: [.macOS(.v15)],
            dependencies: [.package(name: "VendorSDKs", path: "\(modules)")],
            targets: [
                .testTarget(
                    name: "LoginTests",
                    dependencies: [
                        .product(name: "\(sources.vendor.module)", package: "VendorSDKs"),
                        .product(name: "SimulatedApp", package: "VendorSDKs"),
                        .product(name: "AppStandIns", package: "VendorSDKs"),
                        .product(name: "VirtualTime", package: "VendorSDKs"),
                        .product(
                            name: "AppleModules", package: "VendorSDKs", condition: .when(platforms: [.linux])),
                    ],
                    exclude: ["App"],
                    swiftSettings: [.swiftLanguageMode(.v5)],
                    plugins: [.plugin(name: "ShadowsPlugin", package: "VendorSDKs")])
            ])

        """
    }

    private var explorer: String {
        let login = sources.login
        let type = login?.type ?? "<#class#>"
        let setup = login?.setup.map { "\n        \($0)" } ?? ""
        let state = login?.stateProperty ?? "state"
        let shown =
            login?.loggedInProperty.map { name in "{ $0.\(name) }" }
            ?? "{ app in <#true if the app shows a user as logged in#> }"
        let isLoginShown = login?.loggedInProperty.map { "!app.\($0)" } ?? "<#the app shows the login button#>"
        let isLogoutShown = login?.loggedInProperty.map { "app.\($0)" } ?? "<#the app shows the logout button#>"
        let logoutTap = login?.logout.map { call in
            "\n        \"log out\": { app in if \(isLogoutShown) { \(call) } },"
        }
        return """
            import \(sources.vendor.module)
            import SimulatedApp

            // How the tests and the search use the app. These lines are guesses from its source: correct what is wrong,
            // and replace each placeholder. Until then the package does not compile.

            /// The token that the app's own server would issue.
            @MainActor private var token = ""

            @MainActor let explorer = AppExplorer<\(type)>(
                "\(sources.vendor.profile)",
                // Creates the app's objects, as the app's main does.
                launch: { (given: String) -> \(type) in
                    token = given
                    let app = \(login?.instance ?? "<#class#>()")\(setup)
                    return app
                },
                // The user's actions. A tap happens only if the app shows its button: without the condition, the search taps
                // buttons that no user sees, and reports mistakes that no user can cause.
                // With a state: if case .signedOut = app.\(state) { … }
                taps: [
                    "log in": { app in if \(isLoginShown) { \(login?.login ?? "<#log in#>") } },\(logoutTap ?? "")
                ],
                // True if the app shows a user as logged in. Read it from the app's own state: the search compares it with
                // the SDK. With a value of the SDK, the search would compare the SDK with itself.
                // With a state: { if case .ready = $0.\(state) { true } else { false } }
                shown: \(shown),
                // Optional arguments, in this order:
                // busy: (App) -> Bool: true if the app shows that it is busy. An app that is busy for ever is a mistake.
                // busy: { if case .connecting = $0.\(state) { true } else { false } },
                // check: (App, Simulation) -> String?: called when the app is idle. Describes a mistake; nil for none.
                // check: { app, _ in app.unreadCount < 0 ? "the number of unread messages is negative" : nil },
                // kicked: (App) -> Bool: true if the app shows that another device or the server ended the login. It must
                // be true from a kick to the user's next action.
                // kicked: { if case .kicked = $0.\(state) { true } else { false } },
                loginTap: "log in")

            """
    }

    private var firstTest: String {
        """
        import SimulatedApp
        import Testing

        @MainActor @Suite struct FirstTests {
            /// The app logs in, loses the network for ten seconds, and is then logged in again.
            @Test func comesBackAfterAnOutage() async throws {
                try await withSimulation("\(sources.vendor.profile)", recordedTo: "\(Self.sessionFolder)/first.pcapng") { simulation in
                    let phone = simulation.device("phone")
                    let token = simulation.token(for: explorer.user)
                    let app = try phone.launch { try explorer.launch(token) }
                    await simulation.run(for: .seconds(1))
                    try phone.perform { explorer.taps[0].value(app) }
                    await simulation.run(for: .seconds(5))
                    #expect(explorer.shown(app))
                    try simulation.script("@phone net down\\nwait 10s\\n@phone net up\\nwait 1m")
                    #expect(explorer.shown(app))
                }
            }
        }

        """
    }

    private var search: String {
        """
        import SimulatedApp
        import Testing

        @MainActor @Suite struct SearchTests {
            /// A search of 200 seeds; 'imrepl app search' requests other seeds. Each failure is an issue of this test.
            @Test func nothingIsFound() async throws {
                for failure in try await explorer.search(failuresIn: "Tests/LoginTests/Failures") {
                    Issue.record("\\(failure)")
                }
            }
        }

        """
    }
}
