// swift-tools-version: 6.2
import PackageDescription

/// Every target is compiled alike: Swift 6 mode, `any` spelled out and no warning let through.
let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "VendorSDKs",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "VirtualTime", targets: ["VirtualTime"])
    ],
    targets: [
        // Runs before `main` and stands in front of the C library's clocks.
        .target(name: "CVirtualTime"),
        .target(name: "VirtualTime", dependencies: ["CVirtualTime"], swiftSettings: strict),
        .testTarget(name: "VirtualTimeTests", dependencies: ["VirtualTime"], swiftSettings: strict),
    ]
)
