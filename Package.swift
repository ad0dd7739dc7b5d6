// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, `any` spelled out and no warning let
/// through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

// What is tested is optimized; the tests themselves are not worth the time.
let tested = strict + [.unsafeFlags(["-Onone"], .when(configuration: .release))]

let package = Package(
    name: "imrepl",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .executable(name: "imrepl", targets: ["IMReplMain"]),
        // For other teams' programs and tests; none of them links sockets or a database. `Examples` uses them.
        .library(name: "SansIO", targets: ["SansIO"]),
        .library(name: "Recorder", targets: ["Recorder"]),
        .library(name: "IMSession", targets: ["IMSession", "IMClient", "IMServer", "IMProtocol", "IMTree"]),
        .library(name: "IMSimulation", targets: ["IMSimulation", "IMDialects"]),
        .library(name: "IMData", targets: ["IMData"]),
        .library(name: "IMTree", targets: ["IMTree"]),
        .library(name: "IMScript", targets: ["IMScript"]),
        .library(name: "IMDebugger", targets: ["IMDebugger"]),
        .library(name: "IMExport", targets: ["IMExport"]),
        .library(name: "IMShell", targets: ["IMShell"]),
        // For the fuzzers, which are a package of their own.
        .library(name: "IMCores", targets: ["IMDialects", "IMClient", "IMServer", "IMProtocol", "IMTree"]),
        // For the benchmarks, which are a package of their own.
        .library(
            name: "IMWorlds",
            targets: [
                "IMLive", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMStore", "IMClient", "IMServer",
                "IMProtocol", "IMTransport",
            ]),
        // The self-tests: the search, and what the benchmarks need of it.
        .executable(name: "imrepl-explore", targets: ["ExploreProgram"]),
        .library(name: "IMExplorer", targets: ["IMExplorer", "IMDebugger"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Pure: values in, values out. None of these touches a clock, a socket, a file or a random source.
        .target(name: "SansIO", swiftSettings: strict),
        .target(name: "TextDisplay", swiftSettings: strict),
        .target(name: "TextPatterns", swiftSettings: strict),
        .target(name: "IMNetwork", dependencies: ["SansIO"], swiftSettings: strict),
        .target(name: "IMTree", dependencies: ["SansIO"], swiftSettings: strict),
        .target(
            name: "IMProtocol",
            dependencies: ["IMTree", "SansIO", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
            exclude: ["Protos"],
            swiftSettings: strict
        ),
        .target(
            name: "IMData",
            dependencies: [
                "IMProtocol", "SansIO", .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(name: "IMClient", dependencies: ["IMData", "IMProtocol", "IMTree", "SansIO"], swiftSettings: strict),
        .target(
            name: "IMServer",
            dependencies: [
                "IMData", "IMProtocol", "IMTree", "SansIO",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMDialects", dependencies: ["IMClient", "IMServer", "IMProtocol", "IMTree", "SansIO"],
            swiftSettings: strict),
        .target(
            name: "Recorder",
            dependencies: ["SansIO", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict
        ),

        // Lines in, lines and calls of tools out.
        .target(name: "IMAgent", swiftSettings: strict),

        // Bytes only: the time, the secret and the logins are inputs.
        .target(name: "IMTokens", dependencies: ["COpenSSL", "CZlib"], swiftSettings: strict),

        .target(
            name: "IMSession",
            dependencies: [
                "IMDialects", "IMClient", "IMServer", "IMData", "IMProtocol", "IMNetwork", "Recorder", "IMTree",
                "SansIO",
                "TextDisplay",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            exclude: ["Protos"],
            swiftSettings: strict
        ),

        .target(
            name: "IMLogs",
            dependencies: ["IMSession", "IMClient", "IMProtocol", "Recorder", "SansIO", "TextPatterns"],
            swiftSettings: strict
        ),

        .target(
            name: "IMLogTool", dependencies: ["IMLogs", "IMShell", "IMCommands", "IMDebugger", "Recorder"],
            swiftSettings: strict
        ),

        .target(
            name: "IMSimulation",
            dependencies: [
                "IMSession", "IMDialects", "IMNetwork", "IMClient", "IMServer", "IMData", "IMProtocol", "Recorder",
                "IMTree", "SansIO",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMScript",
            dependencies: [
                "IMSession", "IMDialects", "IMClient", "IMServer", "IMProtocol", "Recorder", "SansIO", "TextDisplay",
                "TextPatterns",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMDebugger",
            dependencies: [
                "IMScript", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMServer", "IMData",
                "IMProtocol", "Recorder", "SansIO", "TextDisplay",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMReproduce",
            dependencies: [
                "IMDebugger", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient",
                "IMServer", "IMProtocol", "Recorder", "IMTree", "SansIO",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMExport",
            dependencies: [
                "IMDebugger", "IMScript", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient",
                "IMServer", "IMData", "IMProtocol", "Recorder", "IMTree", "SansIO", "TextDisplay",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMCommands",
            dependencies: [
                "IMExport", "IMDebugger", "IMScript", "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMServer",
                "IMData", "IMProtocol", "IMTree", "SansIO", "TextDisplay",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMShell",
            dependencies: [
                "IMCommands", "IMExport", "IMDebugger", "IMScript", "IMSimulation", "IMSession", "IMNetwork",
                "IMDialects", "IMClient", "IMServer", "IMData", "IMProtocol", "Recorder", "IMTree",
                "SansIO",
                "IMTokens", "TextDisplay",
            ],
            swiftSettings: strict
        ),

        // These touch the world.
        .target(
            name: "IMStore",
            dependencies: [
                "IMSimulation", "IMClient", "IMData", "IMProtocol", "IMTree", "SansIO",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMTransport",
            dependencies: [
                "IMNetwork", "SansIO", "COpenSSL",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMLive",
            dependencies: [
                "IMSimulation", "IMSession", "IMNetwork", "IMClient", "IMServer", "IMProtocol", "IMStore",
                "IMTransport", "Recorder", "SansIO",
                "COpenSSL",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        // TLS, and the two functions that tokens and passwords need.
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
        // Tokens are compressed.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // The shell.
        .systemLibrary(
            name: "Clibedit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]
        ),
        .target(name: "CEditLine", dependencies: ["Clibedit"]),
        .target(name: "LineEditing", dependencies: ["CEditLine", "TextDisplay"], swiftSettings: strict),
        .target(
            name: "IMRepl",
            dependencies: [
                "LineEditing", "IMShell", "IMCommands", "IMLogs", "IMLogTool", "IMReproduce", "IMDialects", "IMLive",
                "IMAgent",
                "IMExport",
                "IMDebugger",
                "IMScript", "IMSimulation", "IMSession", "IMNetwork", "IMClient", "IMServer", "IMStore", "IMProtocol",
                "IMTokens", "IMTransport", "Recorder", "SansIO", "TextDisplay",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        .executableTarget(name: "IMReplMain", dependencies: ["IMRepl"], swiftSettings: strict),

        // The self-tests: checkers, the search over our own machines, its program. Nothing above depends on them.
        .target(
            name: "IMTraces",
            dependencies: ["IMSession", "IMClient", "IMServer", "IMProtocol", "SansIO"],
            path: "SelfTests/IMTraces",
            swiftSettings: strict
        ),

        .target(
            name: "IMTreeOracles",
            dependencies: ["IMTraces", "IMSession", "IMClient", "IMServer", "IMProtocol", "IMTree", "SansIO"],
            path: "SelfTests/IMTreeOracles",
            swiftSettings: strict
        ),

        .target(
            name: "IMVendorOracles",
            dependencies: ["IMTraces", "IMSession", "IMDialects", "IMClient", "IMServer", "IMProtocol", "SansIO"],
            path: "SelfTests/IMVendorOracles",
            swiftSettings: strict
        ),

        .target(
            name: "IMOracles",
            dependencies: [
                "IMTraces", "IMTreeOracles", "IMVendorOracles",
                "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMServer", "IMData", "IMProtocol",
                "IMTree", "SansIO",
            ],
            path: "SelfTests/IMOracles",
            swiftSettings: strict
        ),

        .target(
            name: "IMExplorer",
            dependencies: [
                "IMOracles", "IMTraces", "IMTreeOracles", "IMDebugger", "IMScript", "IMSimulation", "IMSession",
                "IMNetwork", "IMDialects", "IMClient", "IMServer", "IMData", "IMProtocol", "Recorder", "IMTree",
                "SansIO",
            ],
            path: "SelfTests/IMExplorer",
            swiftSettings: strict
        ),

        .executableTarget(
            name: "ExploreProgram",
            dependencies: [
                "IMExplorer", "IMOracles", "IMTraces", "IMRepl", "IMShell", "IMCommands", "IMExport", "IMDebugger",
                "IMScript", "IMSimulation", "IMSession", "IMDialects", "IMClient", "IMProtocol", "Recorder", "SansIO",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "SelfTests/ExploreProgram",
            swiftSettings: strict
        ),

        .target(name: "TestSupport", dependencies: ["IMTree"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "SansIOTests", dependencies: ["SansIO"], swiftSettings: tested),
        .testTarget(
            name: "IMProtocolTests", dependencies: ["IMProtocol", "IMTree", "SansIO", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMDataTests", dependencies: ["IMData", "IMProtocol", "SansIO"],
            swiftSettings: tested),
        .testTarget(name: "IMTreeTests", dependencies: ["IMTree", "SansIO"], swiftSettings: tested),
        .testTarget(
            name: "IMClientTests",
            dependencies: ["IMClient", "IMData", "IMDialects", "IMProtocol", "IMTree", "SansIO", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMServerTests",
            dependencies: ["IMServer", "IMData", "IMDialects", "IMProtocol", "IMTree", "SansIO", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMDialectsTests", dependencies: ["IMTree", "IMDialects", "IMClient", "IMProtocol"],
            swiftSettings: tested),
        .testTarget(
            name: "IMStoreTests",
            dependencies: [
                "IMStore", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMServer", "IMClient", "IMData",
                "IMProtocol", "IMTree", "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMTransportTests",
            dependencies: [
                "IMTransport", "IMNetwork", "SansIO", "TestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "IMSessionTests",
            dependencies: [
                "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMServer", "IMData", "IMProtocol", "Recorder",
                "IMTree", "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMSimulationTests",
            dependencies: [
                "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMData", "IMProtocol", "IMServer",
                "IMTree", "Recorder", "SansIO", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "IMLiveTests",
            dependencies: [
                "IMLive", "IMSimulation", "IMSession", "IMNetwork", "IMDialects", "IMClient", "IMServer", "IMStore",
                "IMTransport", "IMProtocol", "Recorder", "SansIO", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(name: "IMAgentTests", dependencies: ["IMAgent"], swiftSettings: tested),
        .testTarget(name: "IMTokensTests", dependencies: ["IMTokens", "TestSupport"], swiftSettings: tested),
        .testTarget(name: "RecorderTests", dependencies: ["Recorder", "SansIO", "TestSupport"], swiftSettings: tested),
        .testTarget(
            name: "LineEditingTests", dependencies: ["LineEditing", "CEditLine", "TextDisplay", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMDebuggerTests",
            dependencies: [
                "IMDebugger", "IMSimulation", "IMScript", "IMSession", "IMDialects", "IMClient", "IMProtocol",
                "IMNetwork", "Recorder", "SansIO",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMReproduceTests", dependencies: ["IMReproduce", "IMSession", "IMProtocol"], swiftSettings: tested),
        .testTarget(
            name: "IMExplorerTests",
            dependencies: [
                "ExploreProgram", "IMExplorer", "IMOracles", "IMTraces", "IMTreeOracles", "IMVendorOracles",
                "IMDebugger", "IMShell", "IMExport", "IMSimulation", "IMScript", "IMSession", "IMDialects", "IMClient",
                "IMServer", "IMData", "IMProtocol", "IMNetwork", "Recorder", "SansIO", "TestSupport",
            ],
            path: "SelfTests/Tests/IMExplorerTests",
            swiftSettings: tested),
        .testTarget(
            name: "IMReplTests",
            dependencies: [
                "IMTree",
                "IMRepl", "IMShell", "IMCommands", "IMLogs", "IMExport", "IMDebugger", "IMScript",
                "IMSession", "IMNetwork", "IMData", "IMProtocol", "IMTokens", "LineEditing", "TextDisplay",
                "TextPatterns", "TestSupport",
            ],
            exclude: ["Replay/Causes", "Fields/FormatKeys.txt"],
            swiftSettings: tested),
        // A small shell around the line editor, which EndToEndTests drive at a terminal; built with the tests.
        .executableTarget(
            name: "edit-fixture", dependencies: ["LineEditing"], path: "Tests/EditFixture", swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "IMReplMain", "ExploreProgram", "IMRepl", "IMExport", "IMProtocol", "edit-fixture", "Recorder",
                "IMTree",
                "SansIO", "TestSupport",
            ],
            swiftSettings: tested
        ),
    ]
)

// Fuzzers of what only the program has; the others are a package of their own. `./SelfTests/Fuzzing/run` asks for them and
// builds them with the sanitizer, apart from everything else. The sanitizer brings the `main` of its own.
if Context.environment["IMREPL_FUZZING"] == "1" {
    package.products.removeAll { ["imrepl", "imrepl-explore"].contains($0.name) }
    package.targets.removeAll { ["IMReplMain", "ExploreProgram"].contains($0.name) || $0.type == .test }
    package.targets += ["FuzzScripts", "FuzzFilters"].map { name in
        .executableTarget(
            name: name,
            dependencies: ["IMRepl", "IMShell", "IMCommands", "IMScript", "IMDialects", "IMSession", "Recorder"],
            path: "SelfTests/Fuzzing/Sources/\(name)",
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    }
}
