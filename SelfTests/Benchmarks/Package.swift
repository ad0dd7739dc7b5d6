// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product never depends on the benchmark library.
let package = Package(
    name: "imrepl-benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "imrepl", path: "../.."), .package(name: "VendorSDKs", path: "../../Packages/VendorSDKs"),
        // Without traits it needs no allocator of its own.
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
        // Questions about a million messages, beside the program of SQLite; it needs no library.
        .executableTarget(
            name: "LocalData",
            dependencies: [
                .product(name: "IMWorlds", package: "imrepl"),
                .product(name: "IMLocalData", package: "imrepl"),
            ],
            path: "Benchmarks/LocalData"
        ),
        // How the tree grows.
        .executableTarget(
            name: "Tree",
            dependencies: [
                .product(name: "IMTree", package: "imrepl"), .product(name: "IMWorlds", package: "imrepl"),
            ],
            path: "Benchmarks/Tree"),
        // Scenarios of a search, one after the other.
        .executableTarget(
            name: "Explore",
            dependencies: [
                .product(name: "IMExplorer", package: "imrepl"), .product(name: "SansIO", package: "imrepl"),
            ],
            path: "Benchmarks/Explore"),
        // Tests of an app, run after run.
        .executableTarget(
            name: "Apps",
            dependencies: [
                .product(name: "NIMSDK", package: "VendorSDKs"), .product(name: "SimulatedApp", package: "VendorSDKs"),
            ],
            path: "Benchmarks/Apps"),
    ]
)
