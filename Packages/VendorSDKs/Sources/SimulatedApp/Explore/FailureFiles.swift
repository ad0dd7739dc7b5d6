import Foundation

/// The files of a search's failure: a test that fails as long as the bug exists, and its session.
public struct FailureFiles: Hashable, Sendable, CustomStringConvertible {
    /// The test, in Swift.
    public let test: String
    /// The session of its scenario.
    public let session: String
    /// The command that leads from the failure's mark to the SDK call before it.
    public let hint: String

    /// The paths of the files, and the next command.
    public var description: String {
        "test: \(test)\nsession: \(session)\n\(hint)\nif it is no mistake of the app, delete both files"
    }

    init(
        of violation: AppViolation, scenario: AppScenario, seed: UInt64, session bytes: [UInt8], explorer: String,
        in folder: String, number: Int
    ) throws {
        let folderURL = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: folderURL, withIntermediateDirectories: true)
        let words = "\(violation.rule) \(violation.text)".split { !$0.isLetter && !$0.isNumber }
        // Two kinds may begin with the same words.
        let base = "Failure\(number)" + words.prefix(8).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        var name = base
        var text = Self.test(named: name, violation, scenario, seed, explorer)
        var path = folderURL.appendingPathComponent(name + "Tests.swift")
        var copy = 1
        // A file with the same text is of an earlier search.
        while let known = try? Data(contentsOf: path), known != Data(text.utf8) {
            copy += 1
            name = "\(base)\(copy)"
            text = Self.test(named: name, violation, scenario, seed, explorer)
            path = folderURL.appendingPathComponent(name + "Tests.swift")
        }
        test = path.path
        session = folderURL.appendingPathComponent(name + ".pcapng").path
        hint = "imrepl replay '\(session)' -c '\(violation.mark.map { "why \($0)" } ?? "marks")'"
        try Data(text.utf8).write(to: URL(fileURLWithPath: test))
        try Data(bytes).write(to: URL(fileURLWithPath: session))
    }

    private static func test(
        named name: String, _ violation: AppViolation, _ scenario: AppScenario, _ seed: UInt64, _ explorer: String
    ) -> String {
        let lines = "\(scenario)".split(separator: "\n").joined(separator: "\n        ")
        return """
            import SimulatedApp
            import Testing

            /// \("\(violation)".replacing("\n", with: " "))
            @MainActor
            @Suite struct \(name)Tests {
                @Test func doesNotHappen() async throws {
                    let scenario = \(lines)
                    let outcome = try await \(explorer).play(scenario, seed: \(seed))
                    #expect(outcome.violations == [])
                }
            }

            """
    }
}
