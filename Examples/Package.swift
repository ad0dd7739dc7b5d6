// swift-tools-version: 6.2
import PackageDescription

// Another team's packages that use the libraries from outside: each folder of Tests is a separate program.
/// The modules for a test of an app's own login code.
let app: [Target.Dependency] = ["NIMSDK", "SimulatedApp", "AppStandIns", "VirtualTime"].map {
    .product(name: $0, package: "VendorSDKs")
}

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "imrepl", path: ".."), .package(name: "VendorSDKs", path: "../Packages/VendorSDKs"),
    ],
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
        // A login manager with the usual bugs of apps, and the same without them.
        .testTarget(
            name: "FirstVersionTests", dependencies: app, path: "ChatApp/FirstVersion",
            plugins: [.plugin(name: "ShadowsPlugin", package: "VendorSDKs")]),
        .testTarget(
            name: "SecondVersionTests", dependencies: app, path: "ChatApp/SecondVersion",
            plugins: [.plugin(name: "ShadowsPlugin", package: "VendorSDKs")]),
    ]
)
