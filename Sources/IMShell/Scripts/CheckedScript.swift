import IMDebugger
import IMText
import Synchronization

/// A checked statement with its parsed command, so that it is not parsed again when it runs.
package struct CheckedStatement {
    package var statement: Statement
    /// The parsed command. Nil if the statement contains variables, because they have no values yet, or if it is not a
    /// command of the shell.
    package var command: ParsedCommand?

    package init(_ statement: Statement, _ command: ParsedCommand? = nil) {
        self.statement = statement
        self.command = command
    }

    /// Checks a command of the shell.
    package static func check(_ statement: Statement) -> (checked: CheckedStatement, errors: [Diagnostic]) {
        var checked = CheckedStatement(statement)
        let errors = CommandParser.check(statement) { checked.command = $0 }
        return (checked, errors)
    }
}

/// A checked script with its parsed commands.
///
/// `@unchecked Sendable`: both properties are values that depend only on the lines. A command is copied before it runs.
package struct CheckedScript: @unchecked Sendable {
    package let script: Script
    package let checked: [CheckedStatement]

    package var name: String { script.name }
    package var metadata: ScriptMetadata { script.metadata }
    package var statements: [Statement] { script.statements }
    /// The title of a session that plays the script.
    package var title: String { metadata.title ?? name }

    /// Parses and checks a script.
    ///
    /// - Throws: ``ScriptErrors`` with all errors of the script.
    init(utf8 bytes: [UInt8], named name: String, origin: Script.Origin, variables: Set<String>) throws(ScriptErrors) {
        var checked: [CheckedStatement] = []
        script = try Script.parse(utf8: bytes, named: name, origin: origin, variables: variables) { statement in
            let (found, errors) = CheckedStatement.check(statement)
            checked.append(found)
            return errors
        }
        self.checked = checked
    }
}

/// A cache of parsed scripts. A search plays the same lines with thousands of seeds, and parsing the lines takes longer
/// than running them.
enum ScriptCache {
    private struct Key: Hashable {
        var lines: String
        var variables: Set<String>
    }

    private static let scripts = Mutex<[Key: CheckedScript]>([:])
    private static let scriptsMax = 1_000

    /// - Parameters:
    ///   - lines: the lines of the script.
    ///   - variables: the names of the variables that have a value before the script runs.
    /// - Throws: ``ShellError`` with all errors of the lines.
    static func parse(_ lines: String, variables: Set<String>) throws -> CheckedScript {
        let key = Key(lines: lines, variables: variables)
        if let parsed = scripts.withLock({ $0[key] }) { return parsed }
        let parsed = try ScriptFile.parse(
            Array(lines.utf8), named: "script", origin: .pipe, variables: variables)
        scripts.withLock { scripts in
            if scripts.count >= scriptsMax { scripts.removeAll() }
            scripts[key] = parsed
        }
        return parsed
    }
}
