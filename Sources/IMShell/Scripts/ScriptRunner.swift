import IMDebugger
import IMText
import Recorder

/// Runs the statements of a script in order.
package struct ScriptRunner {
    package let shell: Shell
    package let script: CheckedScript

    package init(shell: Shell, script: CheckedScript) {
        self.shell = shell
        self.script = script
    }

    /// A statement that failed.
    package struct Failure {
        /// The index of the statement.
        package var index: Int
        package var statement: Statement
        /// A ``CommandFailure``, a `Diagnostic`, or the ``ScriptFailure`` of a script that the statement sourced.
        package var error: any Error
        fileprivate var source: SourceText

        /// The reason. It does not contain the statement if a command failed.
        package var reason: String {
            (error as? Diagnostic)?.rendered(in: source) ?? "\(error)"
        }

        /// The position of the statement, the statement and the reason.
        package var text: String {
            guard error is CommandFailure else { return reason }
            return "\(source.name):\(statement.position): \(Secrets.redacted(statement.source))\n\(reason)"
        }
    }

    /// Runs until the first failure, or until `quit`.
    ///
    /// - Throws: ``ScriptFailure`` with the failed line and the reason.
    package func run() throws {
        guard let failure = try firstFailure() else { return }
        if let inner = failure.error as? ScriptFailure { throw inner }
        throw ScriptFailure(text: failure.text, phase: failure.statement.phase)
    }

    /// Runs until the first failure, or until `quit`.
    ///
    /// - Returns: the failure; nil if there is none.
    package func firstFailure() throws -> Failure? {
        var first: Failure?
        try run { failure in
            first = failure
            return false
        }
        return first
    }

    /// Runs until `quit`, or until `onFailure` returns false.
    ///
    /// - Parameters:
    ///   - isIncluded: called before each statement. The statement is skipped if it returns false.
    ///   - onFailure: receives each failure. The script continues if it returns true.
    package func run(
        where isIncluded: (Int, Statement) throws -> Bool = { _, _ in true }, onFailure: (Failure) throws -> Bool
    ) throws {
        for (index, checked) in script.checked.enumerated() {
            let statement = checked.statement
            guard try isIncluded(index, statement) else { continue }
            do {
                try Self.execute(statement, as: checked.command, in: shell)
            } catch let error where error is CommandFailure || error is Diagnostic || error is ScriptFailure {
                let failure = Failure(
                    index: index, statement: statement, error: error, source: script.script.source)
                guard try onFailure(failure) else { return }
            }
            if shell.exitRequest.requested { return }
        }
    }

    /// Runs one statement. If the statement begins with `!`, it succeeds if the command fails, and fails if the command
    /// succeeds.
    ///
    /// - Parameter command: the parsed command; nil if the statement was not parsed yet.
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

/// The error for a failed line of a script.
package struct ScriptFailure: Error, CustomStringConvertible {
    var text: String
    /// The comment that begins the part of the script to which the line belongs; nil if there is none.
    var phase: String?

    package var description: String { phase.map { "\(text)\nin the phase: \($0)" } ?? text }
}

extension Shell {
    /// A shell that plays a script in virtual time and prints nothing.
    ///
    /// - Parameter sink: receives the recording; nil for none.
    /// - Throws: ``ShellError``
    package convenience init(
        playing script: CheckedScript, _ settings: WorldSettings = WorldSettings(), recording sink: MemorySink? = nil
    ) throws {
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: .simulated, isScripted: true, title: script.title)
        try self.init(
            plan, recording: sink.map { .memory($0) } ?? .off, output: LineOutput.silent, isInteractive: false)
    }
}
