import IMDebugger
import IMText

/// A scenario inside a unit test: a script, played in the simulated world as `imrepl test` does. It opens no socket and
/// no file, and takes no real time.
public struct ScriptTest {
    private let script: Script
    private let commands: CheckedCommands

    /// Reads and checks a script; nothing of it has run when this throws.
    ///
    /// - Parameters:
    ///   - text: the lines, including the head, as in a `.imr` file.
    ///   - name: the script's name in messages.
    /// - Throws: ``ShellError`` with the script's errors, line by line.
    public init(_ text: String, named name: String) throws {
        var commands = CheckedCommands()
        script = try ScriptFile.parse(Array(text.utf8), named: name, origin: .file, variables: []) {
            commands.check($0)
        }
        self.commands = commands
    }

    /// The line and the reason of a failed scenario.
    public struct Failure: Equatable, Sendable, CustomStringConvertible {
        /// The line of the script, counted from 1.
        public var line: Int
        /// The statement, without secrets.
        public var statement: String
        /// The expectation, and the nearest observation.
        public var reason: String

        /// The statement, and the reason below it.
        public var description: String { "\(statement)\n\(reason)" }
    }

    /// Plays it to its end, or to the first failed line.
    ///
    /// Each call plays it again, in a new world.
    ///
    /// - Returns: nil if all expectations were met.
    /// - Throws: ``ShellError`` if the script requires the live world.
    public func failure() throws -> Failure? {
        let plan = try WorldPlan(
            WorldRequest(), head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? script.name)
        let shell = try Shell(plan, recording: .off, output: LineOutput.silent, isInteractive: false)
        shell.refusesOlderMatches = true
        defer { try? shell.close() }
        for statement in script.statements {
            if let reason = try ScriptRunner.failure(of: statement, as: commands[statement], in: script, shell) {
                return Failure(statement, reason)
            }
            if shell.exitRequest.requested { break }
        }
        return nil
    }
}

extension ScriptTest.Failure: Error {}

extension ScriptTest.Failure {
    init(_ statement: Statement, _ reason: String) {
        self.init(
            line: statement.position.line, statement: Secrets.redacted(statement.source), reason: reason)
    }
}
