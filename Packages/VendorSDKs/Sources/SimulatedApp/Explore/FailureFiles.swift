import Foundation

/// The files of a search's failure: a test that fails as long as the bug exists, and its session.
public struct FailureFiles: Hashable, Sendable, CustomStringConvertible {
    /// The test, in Swift.
    public let test: String
    /// The session of its scenario.
    public let session: String

    /// The paths of the files, and the next command.
    public var description: String {
        "test: \(test)\nsession: \(session)\nimrepl replay '\(session)' -c marks"
    }

    init(
        of violation: AppViolation, scenario: AppScenario, seed: UInt64, session bytes: [UInt8], explorer: String,
        in folder: String, number: Int
    ) throws {
        let folderURL = URL(fileURLWithPath: folder, isDirectory: true)
        try FileManager.default.createDirectory(at: folderURL, withIntermediateDirectories: true)
        let words = "\(violation.rule) \(violation.text)".split { !$0.isLetter && !$0.isNumber }
        // Two kinds may begin with the same words.
        let name = "Failure\(number)" + words.prefix(8).map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        test = folderURL.appendingPathComponent(name + "Tests.swift").path
        session = folderURL.appendingPathComponent(name + ".pcapng").path
        let text = Self.test(named: name, violation, scenario, seed, explorer)
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
