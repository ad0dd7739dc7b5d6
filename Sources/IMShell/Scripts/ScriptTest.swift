import IMDebugger
import IMText

/// A scenario inside a unit test: a script that is played in the simulated world, as `imrepl test` plays it. It opens
/// no socket and no file. Its waits take no real time.
public struct ScriptTest {
    private let script: CheckedScript

    /// Reads and checks a script. No line runs if the script has an error.
    ///
    /// - Parameters:
    ///   - text: the text of the script, including the head, as in a `.imr` file.
    ///   - name: the script's name in messages.
    /// - Throws: ``ShellError`` with the script's errors, line by line.
    public init(_ text: String, named name: String) throws {
        script = try ScriptFile.parse(Array(text.utf8), named: name, origin: .file, variables: [])
    }

    /// The failed line of a scenario, and the reason.
    public struct Failure: Equatable, Sendable, CustomStringConvertible {
        /// The line of the script, counted from 1.
        public var line: Int
        /// The statement, without secrets.
        public var statement: String
        /// The reason why the line failed. For an expectation, it contains the nearest observation.
        public var reason: String

        /// The statement and, on the next line, the reason.
        public var description: String { "\(statement)\n\(reason)" }
    }

    /// Plays the script to its end, or to the first failed line.
    ///
    /// Each call plays the script in a new world.
    ///
    /// - Returns: the failure; nil if no line failed.
    /// - Throws: ``ShellError`` if the script requires the live world.
    public func failure() throws -> Failure? {
        let shell = try Shell(playing: script)
        shell.refusesOlderMatches = true
        defer { try? shell.close() }
        return try ScriptRunner(shell: shell, script: script).firstFailure().map(Failure.init)
    }
}

extension ScriptTest.Failure: Error {}

extension ScriptTest.Failure {
    init(_ failure: ScriptRunner.Failure) {
        self.init(
            line: failure.statement.position.line, statement: Secrets.redacted(failure.statement.source),
            reason: failure.reason)
    }
}
