/// The package that tests an app's login code: the texts of its files.
package struct AppPackage {
    private let sources: AppSources
    private let modules: String

    /// - Parameter modules: the path of the package with the vendors' modules.
    package init(_ sources: AppSources, modules: String) {
        self.sources = sources
        self.modules = modules
    }

    /// The folder of the app's own files, or of links to them.
    package static let appFolder = "Tests/LoginTests/App"

    /// Each file with its path in the package.
    package var files: [(path: String, text: String)] {
        [
            ("Package.swift", manifest), ("Tests/LoginTests/Explorer.swift", explorer),
            ("Tests/LoginTests/FirstTests.swift", firstTest), ("Tests/LoginTests/SearchTests.swift", search),
        ]
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
        let type = login?.type ?? "LoginManager"
        let logIn = "\"log in\": { $0.\(login?.login ?? "login()") }"
        let out = login?.logout.map { call in ",\n        \"log out\": { $0.\(call) }," } ?? ","
        let shown = login?.shown.map { name in "{ $0.\(name) }" } ?? "{ _ in \(sources.vendor.isLoggedIn) }"
        return """
            import \(sources.vendor.module)
            import SimulatedApp

            // How the tests and the search use the app. These lines are guesses from its source: correct what is wrong.

            /// The token that the app's own server would issue.
            @MainActor private var token = ""

            @MainActor let explorer = AppExplorer(
                "\(sources.vendor.profile)",
                // The app's objects, as its main makes them.
                launch: { (given: String) -> \(type) in
                    token = given
                    return \(login?.make ?? "LoginManager()")
                },
                // What its user can do.
                taps: [
                    \(logIn)\(out)
                ],
                // Whether the app shows a user as logged in.
                shown: \(shown),
                loginTap: "log in")

            """
    }

    private var firstTest: String {
        """
        import SimulatedApp
        import Testing

        @MainActor @Suite struct FirstTests {
            /// It logs in, loses the network for ten seconds, and is logged in again.
            @Test func comesBackAfterAnOutage() async throws {
                try await withSimulation("\(sources.vendor.profile)", recordedTo: "first.pcapng") { simulation in
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
            /// 'imrepl app search' sets the seeds; the default is 200 seeds.
            @Test func nothingIsFound() async throws {
                let failures = try await explorer.search(failuresIn: "Tests/LoginTests/Failures")
                #expect(failures.isEmpty)
            }
        }

        """
    }
}
