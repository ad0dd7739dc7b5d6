// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, `any` spelled out and no warning let through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

// Named as Apple's, so that an app's `import os` compiles; where the system has them, nothing depends on these. They are
// C, and empty: C modules are found by whoever depends on them, Swift's by every package of a build.
let systemModules = ["Combine", "Network", "Security", "SwiftUI", "UIKit", "UserNotifications", "os"]
/// What is in them.
let systemStandIns = ["CombineStandIns", "NetworkStandIns", "OSStandIns", "SecurityStandIns", "UIKitStandIns"]

// The world that they run against.
let machines: [Target.Dependency] = ["IMSimulation", "IMSession", "IMShell", "Recorder", "SansIO"].map {
    .product(name: $0, package: "imrepl")
}

let package = Package(
    name: "VendorSDKs",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "AgoraChat", targets: ["AgoraChat"]),
        .library(name: "AgoraRtmKit", targets: ["AgoraRtmKit"]),
        .library(name: "Firebase", targets: ["Firebase", "FirebaseAuth", "FirebaseCore", "FirebaseDatabase"]),
        .library(name: "HyphenateChat", targets: ["HyphenateChat"]),
        .library(name: "NIMSDK", targets: ["NIMSDK"]),
        .library(name: "Wilddog", targets: ["Wilddog"]),
        .library(name: "WilddogAuth", targets: ["WilddogAuth"]),
        .library(name: "WilddogCore", targets: ["WilddogCore"]),
        .library(name: "WilddogSync", targets: ["WilddogSync"]),
        .library(name: "SimulatedApp", targets: ["SimulatedApp"]),
        .library(name: "VirtualTime", targets: ["VirtualTime"]),
        // For DYLD_INSERT_LIBRARIES on Apple's systems; Documentation/AppleSystems.md.
        .library(name: "VirtualClocks", type: .dynamic, targets: ["CVirtualTime"]),
        .library(name: "ZIM", targets: ["ZIM"]),
        .library(name: "AppStandIns", targets: ["AppStandIns"]),
        .library(name: "AppleModules", targets: systemModules + systemStandIns),
        .plugin(name: "ShadowsPlugin", targets: ["ShadowsPlugin"]),
    ],
    dependencies: [.package(name: "imrepl", path: "../..")],
    targets: [
        // The vendors' modules, under their own names.
        .target(name: "AgoraChat", dependencies: ["AgoraChatCore"], swiftSettings: strict),
        .target(name: "HyphenateChat", dependencies: ["AgoraChatCore"], swiftSettings: strict),
        .target(
            name: "AgoraChatCore", dependencies: ["SimulatedApp", "AppStandIns"] + machines, swiftSettings: strict),
        .target(name: "AgoraRtmKit", dependencies: ["SimulatedApp"] + machines, swiftSettings: strict),
        .target(
            name: "NIMSDK", dependencies: ["AppStandIns", "SimulatedApp", "VirtualTime"] + machines,
            swiftSettings: strict),
        .target(
            name: "ZIM", dependencies: ["AppStandIns", "SimulatedApp", "VirtualTime"] + machines, swiftSettings: strict),
        .target(name: "Wilddog", dependencies: ["WilddogCore", "WilddogSync"], swiftSettings: strict),
        .target(name: "WilddogAuth", dependencies: ["WilddogCore"], swiftSettings: strict),
        .target(
            name: "WilddogCore", dependencies: ["AppStandIns", "SimulatedApp", "VirtualTime"], swiftSettings: strict),
        .target(
            name: "WilddogSync", dependencies: ["WilddogCore", "SimulatedApp", "AppStandIns"] + machines,
            swiftSettings: strict),
        // Firebase's names of Wilddog's modules, which are its twins.
        .target(
            name: "Firebase", dependencies: ["FirebaseAuth", "FirebaseCore", "FirebaseDatabase"],
            swiftSettings: strict),
        .target(
            name: "FirebaseAuth", dependencies: ["FirebaseCore", "SimulatedApp", "WilddogCore"],
            swiftSettings: strict),
        .target(name: "FirebaseCore", dependencies: ["WilddogCore"], swiftSettings: strict),
        .target(
            name: "FirebaseDatabase", dependencies: ["FirebaseCore", "WilddogSync"], swiftSettings: strict),
        // An app's processes, its devices and the world around them.
        .target(
            name: "SimulatedApp", dependencies: ["AppStandIns", "VirtualTime"] + machines, swiftSettings: strict),
        // Runs before `main` and stands in front of the C library's clocks.
        .target(name: "CVirtualTime"),
        .target(
            name: "VirtualTime", dependencies: ["CVirtualTime", .product(name: "SansIO", package: "imrepl")],
            swiftSettings: strict),
        // What an app's DispatchQueue, Timer, UserDefaults … are here.
        .target(name: "AppStandIns", dependencies: ["VirtualTime"], swiftSettings: strict),
        // Gives a test target the app's names for them.
        .target(name: "Shadows", swiftSettings: strict),
        .executableTarget(name: "ShadowsTool", dependencies: ["Shadows"], swiftSettings: strict),
        .plugin(name: "ShadowsPlugin", capability: .buildTool(), dependencies: ["ShadowsTool"]),
        // Plays the session library's scripts with one client of each driven through a vendor's module.
        .target(
            name: "LibraryScripts", dependencies: ["SimulatedApp"] + machines, path: "Tests/LibraryScripts",
            swiftSettings: strict),
        .testTarget(
            name: "AgoraRtmKitTests", dependencies: ["AgoraRtmKit", "AppStandIns", "LibraryScripts"] + machines,
            swiftSettings: strict),
        .testTarget(
            name: "AgoraChatTests", dependencies: ["AgoraChat", "AppStandIns", "LibraryScripts"] + machines,
            swiftSettings: strict),
        // An app's files as they are, which know the SDK by a UI kit's names.
        .testTarget(
            name: "HyphenateChatTests", dependencies: ["HyphenateChat", "SimulatedApp", "AppStandIns"],
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["ShadowsPlugin"]),
        .testTarget(
            name: "FirebaseTests",
            dependencies: ["Firebase", "SimulatedApp"]
                + (systemModules + systemStandIns).map { .target(name: $0, condition: .when(platforms: [.linux])) },
            swiftSettings: [.swiftLanguageMode(.v5)], plugins: ["ShadowsPlugin"]),
        .testTarget(
            name: "NIMSDKTests", dependencies: ["NIMSDK", "AppStandIns", "LibraryScripts"] + machines,
            swiftSettings: strict),
        // The files of Packages/Tap, compiled beside the vendors' modules as an app compiles them.
        .testTarget(
            name: "TapTests",
            dependencies: ["AgoraChat", "AgoraRtmKit", "NIMSDK", "SimulatedApp", "WilddogSync", "ZIM"],
            swiftSettings: strict),
        .testTarget(
            name: "ZIMTests", dependencies: ["ZIM", "AppStandIns", "LibraryScripts"] + machines, swiftSettings: strict),
        .testTarget(
            name: "WilddogSyncTests",
            dependencies: ["Wilddog", "WilddogCore", "WilddogSync", "AppStandIns", "LibraryScripts"] + machines,
            swiftSettings: strict),
        .testTarget(
            name: "SimulatedAppTests",
            dependencies: ["AppStandIns", "SimulatedApp", "NIMSDK", "LibraryScripts"] + machines,
            swiftSettings: strict),
        .testTarget(
            name: "VirtualTimeTests", dependencies: ["CVirtualTime", "VirtualTime"], swiftSettings: strict),
        .testTarget(
            name: "AppStandInsTests", dependencies: ["AppStandIns", "VirtualTime"], swiftSettings: strict),
        .testTarget(name: "ShadowsTests", dependencies: ["Shadows"], swiftSettings: strict),
        // An app's files as they are, in Swift 5 mode as most apps.
        .testTarget(
            name: "SampleAppTests",
            dependencies: ["AppStandIns", "NIMSDK", "SimulatedApp", "VirtualTime", "ZIM"]
                + (systemModules + systemStandIns).map { .target(name: $0, condition: .when(platforms: [.linux])) },
            exclude: ["App"],
            swiftSettings: [.swiftLanguageMode(.v5)],
            plugins: ["ShadowsPlugin"]),
    ]
        + systemModules.map { .target(name: $0) }
        + systemStandIns.map { .target(name: $0, dependencies: ["AppStandIns"], swiftSettings: strict) }
)
