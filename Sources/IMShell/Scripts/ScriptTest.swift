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
    ///   - text: the lines, head and all, as a `.imr` file has them.
    ///   - name: what the script is called in messages.
    /// - Throws: ``ShellError`` that says what is wrong with the script, line by line.
    public init(_ text: String, named name: String) throws {
        var commands = CheckedCommands()
        script = try ScriptFile.parse(Array(text.utf8), named: name, origin: .file, variables: []) {
            commands.check($0)
        }
        self.commands = commands
    }

    /// Where and why a scenario fails.
    public struct Failure: Equatable, Sendable, CustomStringConvertible {
        /// The line of the script, counted from 1.
        public var line: Int
        /// What stands there, without secrets.
        public var statement: String
        /// What was expected, and what came nearest to it.
        public var reason: String

        /// The statement, and below it the reason.
        public var description: String { "\(statement)\n\(reason)" }
    }

    /// Plays it to its end, or to the first line that fails.
    ///
    /// Each call plays it anew, in a world of its own.
    ///
    /// - Returns: nil when everything was as expected.
    /// - Throws: ``ShellError`` where the script asks for the live world.
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
