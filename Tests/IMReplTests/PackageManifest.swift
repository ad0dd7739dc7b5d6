import Foundation

/// The targets of `Package.swift`, read as text: asking the package manager would wait for the build that runs the test.
struct PackageManifest {
    struct Target {
        var name: String
        /// Its folder.
        var path: String
        var isTest: Bool
        /// The targets of ours that it depends on.
        var dependencies: Set<String>
    }

    let targets: [Target]

    /// The package of these tests.
    static let ours = PackageManifest(
        (try? String(contentsOfFile: SourceTree.root + "/Package.swift", encoding: .utf8)) ?? "")

    init(_ manifest: String) {
        // Each declaration goes to the next one.
        let heads = manifest.matches(of: /\.(target|executableTarget|testTarget)\(\s*name: "([^"]+)"/)
        let ends = heads.dropFirst().map(\.range.lowerBound) + [manifest.endIndex]
        let names = Set(heads.map { String($0.output.2) })
        targets = zip(heads, ends).map { head, end in
            let text = String(manifest[head.range.upperBound..<end])
            let name = String(head.output.2)
            let isTest = head.output.1 == "testTarget"
            let given = text.firstMatch(of: /path: "([^"]+)"/).map { String($0.output.1) }
            let path = given ?? (isTest ? "Tests/" : "Sources/") + name
            // What stands in Tests and is no test target helps tests.
            return Target(
                name: name, path: path, isTest: isTest || path.hasPrefix("Tests/"),
                dependencies: names.intersection(text.matches(of: /"(\w+)"/).map { String($0.output.1) }))
        }
    }
}
