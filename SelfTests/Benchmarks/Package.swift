// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the product never depends on the benchmark library.
let package = Package(
    name: "imrepl-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "imrepl", path: "../.."), .package(name: "VendorSDKs", path: "../../Packages/VendorSDKs"),
        // Without its traits, the benchmark library needs no other memory allocator.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
    ],
    targets: [
        .executableTarget(
            name: "Sessions",
            dependencies: [
                .product(name: "Benchmark", package: "benchmark"),
                .product(name: "IMWorlds", package: "imrepl"),
                .product(name: "Recorder", package: "imrepl"),
            ],
            path: "Benchmarks/Sessions",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // Queries about a million messages, compared with the `sqlite3` program. The target needs no benchmark library.
        .executableTarget(
            name: "LocalData",
            dependencies: [
                .product(name: "IMWorlds", package: "imrepl"),
                .product(name: "IMLocalData", package: "imrepl"),
            ],
            path: "Benchmarks/LocalData"
        ),
        // How the tree scales with the number of children.
        .executableTarget(
            name: "Tree",
            dependencies: [
                .product(name: "IMTree", package: "imrepl"), .product(name: "IMWorlds", package: "imrepl"),
            ],
            path: "Benchmarks/Tree"),
        // The speed of a search, on one thread.
        .executableTarget(
            name: "Explore",
            dependencies: [
                .product(name: "IMExplorer", package: "imrepl"), .product(name: "SansIO", package: "imrepl"),
            ],
            path: "Benchmarks/Explore"),
        // The speed of an app's tests.
        .executableTarget(
            name: "Apps",
            dependencies: [
                .product(name: "NIMSDK", package: "VendorSDKs"), .product(name: "SimulatedApp", package: "VendorSDKs"),
            ],
            path: "Benchmarks/Apps"),
    ]
)
