// swift-tools-version: 6.2
import PackageDescription

// Coverage-guided fuzzing of the code that reads files and frames of peers. This is a separate package, because only
// `./SelfTests/Fuzzing/run` builds with the fuzzing sanitizer.
let fuzzed: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]

let package = Package(
    name: "imrepl-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "imrepl", path: "../..")],
    targets: [
        // A session file: the scanner, the reader, the closing record, and the attached data.
        .executableTarget(
            name: "FuzzSessions",
            dependencies: [.product(name: "Recorder", package: "imrepl"), .product(name: "SansIO", package: "imrepl")],
            swiftSettings: fuzzed, linkerSettings: linked),
        // A frame: the codec, and then a client and a server that receive the frame.
        .executableTarget(
            name: "FuzzFrames",
            dependencies: [.product(name: "IMCores", package: "imrepl"), .product(name: "SansIO", package: "imrepl")],
            swiftSettings: fuzzed, linkerSettings: linked),
    ]
)
