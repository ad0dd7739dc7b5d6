// swift-tools-version: 6.2
import PackageDescription

// No dependencies: a vendor's file is empty where the vendor's module cannot be imported.
let package = Package(
    name: "Tap",
    platforms: [.macOS(.v13), .iOS(.v15)],
    products: [.library(name: "Tap", targets: ["Tap"])],
    targets: [
        .target(name: "Tap", swiftSettings: [.swiftLanguageMode(.v6), .enableUpcomingFeature("ExistentialAny")])
    ]
)
