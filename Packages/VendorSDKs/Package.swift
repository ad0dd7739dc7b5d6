// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, `any` spelled out and no warning let through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

// Named as Apple's, so that an app's `import os` compiles; where the system has them, nothing depends on these.
let systemModules = ["Combine", "Network", "Security", "os"]

let package = Package(
    name: "VendorSDKs",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "VirtualTime", targets: ["VirtualTime"]),
        .library(name: "AppStandIns", targets: ["AppStandIns"]),
        .library(name: "AppleModules", targets: systemModules),
        .plugin(name: "ShadowsPlugin", targets: ["ShadowsPlugin"]),
    ],
    targets: [
        // Runs before `main` and stands in front of the C library's clocks.
        .target(name: "CVirtualTime"),
        .target(name: "VirtualTime", dependencies: ["CVirtualTime"], swiftSettings: strict),
        // What an app's DispatchQueue, Timer, UserDefaults … are here.
        .target(name: "AppStandIns", dependencies: ["VirtualTime"], swiftSettings: strict),
        // Gives a test target the app's names for them.
        .target(name: "Shadows", swiftSettings: strict),
        .executableTarget(name: "ShadowsTool", dependencies: ["Shadows"], swiftSettings: strict),
        .plugin(name: "ShadowsPlugin", capability: .buildTool(), dependencies: ["ShadowsTool"]),
        .testTarget(name: "VirtualTimeTests", dependencies: ["VirtualTime"], swiftSettings: strict),
        .testTarget(
            name: "AppStandInsTests", dependencies: ["AppStandIns", "VirtualTime"], swiftSettings: strict),
        .testTarget(name: "ShadowsTests", dependencies: ["Shadows"], swiftSettings: strict),
        // An app's files as they are, in Swift 5 mode as most apps.
        .testTarget(
            name: "SampleAppTests",
            dependencies: ["AppStandIns", "VirtualTime"]
                + systemModules.map { .target(name: $0, condition: .when(platforms: [.linux])) },
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: ["ShadowsPlugin"]),
    ]
        + systemModules.map { .target(name: $0, dependencies: ["AppStandIns"], swiftSettings: strict) }
)
