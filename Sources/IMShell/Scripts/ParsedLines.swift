import IMDebugger
import Synchronization

/// The lines of a script with the commands from its check.
///
/// `@unchecked Sendable`: both are values, made of nothing but the lines; a command is copied before it runs.
struct ParsedLines: @unchecked Sendable {
    let script: Script
    let commands: CheckedCommands

    private struct Key: Hashable {
        var lines: String
        var variables: Set<String>
    }

    /// A search plays the same lines with thousands of seeds, and parsing them takes longer than running them.
    private static let known = Mutex<[Key: ParsedLines]>([:])
    private static let knownMax = 1_000

    /// - Parameters:
    ///   - lines: the script.
    ///   - variables: the names that have a value before it runs.
    /// - Throws: ``ShellError`` with all errors of the lines.
    static func parse(_ lines: String, variables: Set<String>) throws -> ParsedLines {
        let key = Key(lines: lines, variables: variables)
        if let parsed = known.withLock({ $0[key] }) { return parsed }
        var commands = CheckedCommands()
        let script = try ScriptFile.parse(Array(lines.utf8), named: "script", origin: .pipe, variables: variables) {
            commands.check($0)
        }
        let parsed = ParsedLines(script: script, commands: commands)
        known.withLock { known in
            if known.count >= knownMax { known.removeAll() }
            known[key] = parsed
        }
        return parsed
    }
}
