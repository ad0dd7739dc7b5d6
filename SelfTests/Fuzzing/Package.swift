// swift-tools-version: 6.2
import PackageDescription

// Coverage-guided fuzzing of what reads bytes of files and peers. A package of its own: `./SelfTests/Fuzzing/run` builds it with
// the sanitizer, and nothing else is ever built so.
let fuzzed: [SwiftSetting] = [.swiftLanguageMode(.v6), .unsafeFlags(["-parse-as-library", "-sanitize=fuzzer"])]
let linked: [LinkerSetting] = [.unsafeFlags(["-sanitize=fuzzer"])]

let package = Package(
    name: "imrepl-fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "imrepl", path: "../..")],
    targets: [
        // A session file: the scanner, the reader, the closing record, what is attached.
        .executableTarget(
            name: "FuzzSessions",
            dependencies: [.product(name: "Recorder", package: "imrepl"), .product(name: "SansIO", package: "imrepl")],
            swiftSettings: fuzzed, linkerSettings: linked),
        // A frame: the codec, then a client and a server that get it.
        .executableTarget(
            name: "FuzzFrames",
            dependencies: [.product(name: "IMCores", package: "imrepl"), .product(name: "SansIO", package: "imrepl")],
            swiftSettings: fuzzed, linkerSettings: linked),
    ]
)
