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
        .library(name: "IMSimulation", targets: ["IMSimulation", "IMProfiles"]),
        .library(name: "IMLocalData", targets: ["IMLocalData"]),
        .library(name: "IMTree", targets: ["IMTree"]),
        .library(name: "IMDebugger", targets: ["IMDebugger", "IMText"]),
        .library(name: "IMExport", targets: ["IMExport"]),
        .library(name: "IMShell", targets: ["IMShell"]),
        // For the fuzzers, which are a package of their own.
        .library(name: "IMCores", targets: ["IMProfiles", "IMClient", "IMServer", "IMProtocol", "IMTree"]),
        // For the benchmarks, which are a package of their own.
        .library(
            name: "IMWorlds",
            targets: [
                "IMLive", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMProtocol",
            ]),
        // The self-tests: the search, and what the benchmarks need of it.
        .executable(name: "imrepl-explore", targets: ["ExploreProgram"]),
        .library(name: "IMExplorer", targets: ["IMExplorer", "IMDebugger"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        // Pure: values in, values out. None of these touches a clock, a socket, a file or a random source.
        .target(name: "SansIO", swiftSettings: strict),
        .target(name: "IMText", dependencies: ["SansIO"], swiftSettings: strict),
        .target(name: "IMTree", dependencies: ["SansIO"], swiftSettings: strict),
        .target(
            name: "IMProtocol",
            dependencies: ["IMTree", "SansIO", .product(name: "SwiftProtobuf", package: "swift-protobuf")],
            // Wireshark's dissector contains the schema.
            resources: [.embedInCode("Protos")],
            swiftSettings: strict
        ),
        .target(
            name: "IMLocalData",
            dependencies: [
                "IMProtocol", "SansIO", .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMClient", dependencies: ["IMLocalData", "IMProtocol", "IMTree", "SansIO"], swiftSettings: strict),
        .target(
            name: "IMServer",
            dependencies: [
                "IMLocalData", "IMProtocol", "IMTree", "SansIO",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "IMProfiles", dependencies: ["IMClient", "IMServer", "IMProtocol", "IMTree", "SansIO"],
            swiftSettings: strict),
        .target(
            name: "Recorder",
            dependencies: ["SansIO", .product(name: "SystemPackage", package: "swift-system")],
            swiftSettings: strict
        ),

        // Lines in, lines and calls of tools out.
        .target(name: "IMAgent", swiftSettings: strict),

        // Bytes only: the time, the secret and the logins are inputs.
        .target(
            name: "IMTokens",
            dependencies: [
                "CZlib", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ],
            swiftSettings: strict),

        .target(
            name: "IMSession",
            dependencies: [
                "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol", "Recorder", "IMTree", "IMText",
                "SansIO",
                .product(name: "SwiftProtobuf", package: "swift-protobuf"),
            ],
            resources: [.embedInCode("Protos")],
            swiftSettings: strict
        ),

        .target(
            name: "IMLogs",
            dependencies: ["IMSession", "IMClient", "IMProtocol", "Recorder", "IMText", "SansIO"],
            swiftSettings: strict
        ),

        .target(
            name: "IMSimulation",
            dependencies: [
                "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol", "Recorder", "IMTree",
                "SansIO",
                .product(name: "OrderedCollections", package: "swift-collections"),
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMDebugger",
            dependencies: [
                "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol",
                "Recorder", "IMText", "SansIO",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMReproduce",
            dependencies: [
                "IMDebugger", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMProtocol",
                "Recorder", "IMTree", "IMText", "SansIO",
            ],
            swiftSettings: strict
        ),

        .target(
            name: "IMExport",
            dependencies: [
                "IMDebugger", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData",
                "IMProtocol", "Recorder", "IMTree", "IMText", "SansIO",
            ],
            resources: [.embedInCode("Page/Web"), .embedInCode("Wireshark/dissector.lua")],
            swiftSettings: strict
        ),

        .target(
            name: "IMShell",
            dependencies: [
                "IMExport", "IMDebugger", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer",
                "IMLocalData", "IMProtocol", "Recorder", "IMTree", "IMTokens", "IMText", "SansIO",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: strict
        ),

        // It touches the world: sockets, databases, keys.
        .target(
            name: "IMLive",
            dependencies: [
                "IMSimulation", "IMSession", "IMClient", "IMServer", "IMLocalData", "IMProtocol", "IMTree", "Recorder",
                "SansIO",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "OrderedCollections", package: "swift-collections"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        // Tokens are compressed.
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),

        // The shell.
        .systemLibrary(
            name: "Clibedit", pkgConfig: "libedit", providers: [.apt(["libedit-dev"]), .brew(["libedit"])]
        ),
        .target(name: "CEditLine", dependencies: ["Clibedit"]),
        .target(name: "LineEditing", dependencies: ["CEditLine", "IMText"], swiftSettings: strict),
        .target(
            name: "IMRepl",
            dependencies: [
                "LineEditing", "IMShell", "IMLogs", "IMReproduce", "IMLive", "IMAgent", "IMExport", "IMDebugger",
                "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMProtocol", "IMTokens",
                "Recorder", "IMText", "SansIO",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),

        .executableTarget(name: "IMReplMain", dependencies: ["IMRepl"], swiftSettings: strict),

        // The self-tests: checkers, the search over our own machines, its program. Nothing above depends on them.
        .target(
            name: "IMCheckers",
            dependencies: [
                "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol",
                "IMTree", "SansIO",
            ],
            path: "SelfTests/IMCheckers",
            swiftSettings: strict
        ),

        .target(
            name: "IMExplorer",
            dependencies: [
                "IMCheckers", "IMDebugger", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer",
                "IMLocalData", "IMProtocol", "Recorder", "IMTree", "SansIO",
            ],
            path: "SelfTests/IMExplorer",
            swiftSettings: strict
        ),

        .executableTarget(
            name: "ExploreProgram",
            dependencies: [
                "IMExplorer", "IMCheckers", "IMRepl", "IMShell", "IMExport", "IMDebugger", "IMSimulation",
                "IMSession", "IMProfiles", "IMClient", "IMProtocol", "Recorder", "IMText", "SansIO",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "SelfTests/ExploreProgram",
            swiftSettings: strict
        ),

        .target(
            name: "TestSupport", dependencies: ["IMTree", "SansIO"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "SansIOTests", dependencies: ["SansIO"], swiftSettings: tested),
        .testTarget(
            name: "IMProtocolTests", dependencies: ["IMProtocol", "IMTree", "SansIO", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMLocalDataTests", dependencies: ["IMLocalData", "IMProtocol", "SansIO"], swiftSettings: tested),
        .testTarget(name: "IMTreeTests", dependencies: ["IMTree", "SansIO"], swiftSettings: tested),
        .testTarget(
            name: "IMClientTests",
            dependencies: ["IMClient", "IMLocalData", "IMProfiles", "IMProtocol", "IMTree", "SansIO", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMServerTests",
            dependencies: [
                "IMServer", "IMClient", "IMLocalData", "IMProfiles", "IMProtocol", "IMTree", "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMProfilesTests", dependencies: ["IMTree", "IMProfiles", "IMClient", "IMProtocol"],
            swiftSettings: tested),
        .testTarget(
            name: "IMStoreTests",
            dependencies: [
                "IMLive", "IMSimulation", "IMSession", "IMProfiles", "IMServer", "IMClient", "IMLocalData",
                "IMProtocol", "IMTree", "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMTransportTests",
            dependencies: [
                "IMLive", "IMSession", "SansIO", "TestSupport",
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "IMSessionTests",
            dependencies: [
                "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol", "Recorder", "IMTree",
                "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMSimulationTests",
            dependencies: [
                "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMLocalData", "IMProtocol", "IMServer",
                "IMTree", "Recorder", "SansIO", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(
            name: "IMLiveTests",
            dependencies: [
                "IMLive", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMServer", "IMProtocol", "IMTree",
                "Recorder", "SansIO", "TestSupport",
            ],
            swiftSettings: tested
        ),
        .testTarget(name: "IMAgentTests", dependencies: ["IMAgent"], swiftSettings: tested),
        .testTarget(name: "IMTokensTests", dependencies: ["IMTokens", "TestSupport"], swiftSettings: tested),
        .testTarget(name: "RecorderTests", dependencies: ["Recorder", "SansIO", "TestSupport"], swiftSettings: tested),
        .testTarget(
            name: "LineEditingTests", dependencies: ["LineEditing", "CEditLine", "IMText", "TestSupport"],
            swiftSettings: tested),
        .testTarget(
            name: "IMDebuggerTests",
            dependencies: [
                "IMDebugger", "IMSimulation", "IMSession", "IMProfiles", "IMClient", "IMProtocol", "IMText", "Recorder",
                "SansIO",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMReproduceTests", dependencies: ["IMReproduce", "IMSession", "IMProtocol"], swiftSettings: tested),
        .testTarget(
            name: "IMExplorerTests",
            dependencies: [
                "ExploreProgram", "IMExplorer", "IMCheckers", "IMDebugger", "IMShell", "IMExport", "IMSimulation",
                "IMSession", "IMProfiles", "IMClient", "IMServer", "IMLocalData", "IMProtocol", "IMTree", "Recorder",
                "SansIO", "TestSupport",
            ],
            path: "SelfTests/Tests/IMExplorerTests",
            swiftSettings: tested),
        .testTarget(
            name: "IMTextTests", dependencies: ["IMText", "SansIO", "TestSupport"], swiftSettings: tested),
        .testTarget(
            name: "IMLogsTests",
            dependencies: ["IMLogs", "IMDebugger", "IMSession", "IMProfiles", "IMClient", "IMProtocol", "IMText"],
            swiftSettings: tested),
        .testTarget(
            name: "IMExportTests",
            dependencies: [
                "IMExport", "IMDebugger", "IMSimulation", "IMSession", "IMProtocol", "IMTree", "Recorder", "SansIO",
                "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMShellTests",
            dependencies: [
                "IMShell", "IMDebugger", "IMSession", "IMProfiles", "IMServer", "IMClient", "IMProtocol", "IMTree",
                "LineEditing", "IMText", "SansIO", "TestSupport",
            ],
            swiftSettings: tested),
        .testTarget(
            name: "IMReplTests",
            dependencies: [
                "IMRepl", "IMShell", "IMLogs", "IMExport", "IMDebugger", "IMSimulation", "IMSession", "IMProfiles",
                "IMServer", "IMClient", "IMLocalData", "IMProtocol", "IMTree", "Recorder", "IMTokens", "LineEditing",
                "IMText", "SansIO", "TestSupport",
            ],
            exclude: ["Replay/Causes", "Fields/FormatKeys.txt"],
            swiftSettings: tested),
        // A small shell around the line editor, which EndToEndTests drive at a terminal; built with the tests.
        .executableTarget(
            name: "edit-fixture", dependencies: ["LineEditing"], path: "Tests/EditFixture", swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "IMReplMain", "ExploreProgram", "IMRepl", "IMShell", "IMExport", "IMProtocol", "edit-fixture",
                "Recorder", "IMTree", "SansIO", "TestSupport",
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
            dependencies: ["IMRepl", "IMShell", "IMDebugger", "IMText", "IMProfiles", "IMSession", "Recorder"],
            path: "SelfTests/Fuzzing/Sources/\(name)",
            swiftSettings: [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])],
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])])
    }
}
