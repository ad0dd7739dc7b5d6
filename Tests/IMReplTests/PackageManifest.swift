import Foundation

/// The targets of `Package.swift`, which is read as text. A call of the package manager would wait for the build that
/// runs the test.
struct PackageManifest {
    struct Target {
        var name: String
        /// The path of the target's folder.
        var path: String
        var isTest: Bool
        /// The targets of this package that the target depends on.
        var dependencies: Set<String>
    }

    let targets: [Target]

    /// The manifest of the package to which these tests belong.
    static let ours = PackageManifest(
        (try? String(contentsOfFile: SourceTree.root + "/Package.swift", encoding: .utf8)) ?? "")

    init(_ manifest: String) {
        // The text of each declaration ends where the next one begins.
        let declarations = manifest.matches(of: /\.(target|executableTarget|testTarget)\(\s*name: "([^"]+)"/)
        let ends = declarations.dropFirst().map(\.range.lowerBound) + [manifest.endIndex]
        let names = Set(declarations.map { String($0.output.2) })
        targets = zip(declarations, ends).map { head, end in
            let text = String(manifest[head.range.upperBound..<end])
            let name = String(head.output.2)
            let isTest = head.output.1 == "testTarget"
            let given = text.firstMatch(of: /path: "([^"]+)"/).map { String($0.output.1) }
            let path = given ?? (isTest ? "Tests/" : "Sources/") + name
            // A target in the folder Tests that is not a test target contains helpers of tests.
            return Target(
                name: name, path: path, isTest: isTest || path.hasPrefix("Tests/"),
                dependencies: names.intersection(text.matches(of: /"(\w+)"/).map { String($0.output.1) }))
        }
    }
}
