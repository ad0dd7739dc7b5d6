import IMDebugger
import IMText

/// Runs the statements of a script, and stops at the first that fails.
package struct ScriptRunner {
    package let shell: Shell
    package let script: Script

    package init(shell: Shell, script: Script) {
        self.shell = shell
        self.script = script
    }

    /// - Throws: ``ScriptFailure`` with the failed line and the reason.
    package func run() throws {
        for statement in script.statements {
            try run(statement)
            if shell.exitRequest.requested { return }
        }
    }

    private func run(_ statement: Statement) throws {
        do {
            try Self.execute(statement, in: shell)
        } catch let failure as ScriptFailure {
            throw failure  // of a script sourced by this one
        } catch let failure as CommandFailure {
            throw ScriptFailure(
                text: "\(script.name):\(statement.position): \(Secrets.redacted(statement.source))\n\(failure.message)",
                phase: statement.phase)
        } catch let error as Diagnostic {
            throw ScriptFailure(text: error.rendered(in: script.source), phase: statement.phase)
        }
    }

    /// Runs one statement of a script.
    ///
    /// - Returns: the reason of its failure; nil if it succeeded.
    static func failure(
        of statement: Statement, as command: ParsedCommand? = nil, in script: Script, _ shell: Shell
    ) throws -> String? {
        do {
            try execute(statement, as: command, in: shell)
            return nil
        } catch let failure as CommandFailure {
            return failure.message
        } catch let error as Diagnostic {
            return error.rendered(in: script.source)
        }
    }

    /// Runs one statement. `!` turns a failure into success and success into a failure.
    ///
    /// - Parameter command: its command, if it was parsed already.
    package static func execute(
        _ statement: Statement, as command: ParsedCommand? = nil, in shell: Shell
    ) throws {
        var parsed = try command ?? CommandParser.parse(statement, variables: shell.variables)
        if parsed.nature.needsTime { shell.noteCommand(statement, isForClient: parsed.isForClient) }
        guard statement.mustFail else { return try parsed.execute(in: shell) }
        do {
            try parsed.execute(in: shell)
        } catch is CommandFailure {
            return
        }
        throw CommandFailure("expected failure ('!'), but the command succeeded")
    }
}

/// A line of a script failed.
package struct ScriptFailure: Error, CustomStringConvertible {
    var text: String
    /// The comment above its phase.
    var phase: String?

    package var description: String { phase.map { "\(text)\nin the phase: \($0)" } ?? text }
}
