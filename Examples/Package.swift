// swift-tools-version: 6.2
import PackageDescription

// What another team writes that uses the libraries from outside: each folder of Tests is a program of its own.
let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "imrepl", path: "..")],
    targets: [
        .testTarget(
            name: "OwnMachineTests",
            dependencies: [.product(name: "SansIO", package: "imrepl"), .product(name: "Recorder", package: "imrepl")]),
        .testTarget(name: "FindTheKickTests", dependencies: [.product(name: "IMDebugger", package: "imrepl")]),
        .testTarget(name: "ExportedTests", dependencies: [.product(name: "IMShell", package: "imrepl")]),
        .testTarget(
            name: "ScenarioTests",
            dependencies: [
                .product(name: "IMSimulation", package: "imrepl"), .product(name: "IMDebugger", package: "imrepl"),
                .product(name: "IMExport", package: "imrepl"),
            ]),
    ]
)
