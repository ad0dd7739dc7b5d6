import Foundation
import IMDialects
import IMScript
import SansIO

/// A script file as the shell wants it.
enum ScriptFile {
    static let bytesMax = 4 << 20
    /// How every pcapng file begins.
    private static let recordingMark: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    /// Reads and checks a whole script; nothing of it has run when this throws.
    ///
    /// - Parameter path: `-` for the standard input.
    /// - Throws: ``EntryError`` with everything that is wrong with it.
    static func read(_ path: String, variables: Set<String>) throws -> Script {
        if path == "-" {
            let data = FileHandle.standardInput.readDataToEndOfFile()
            return try parse(Array(data), named: "stdin", origin: .pipe, variables: variables)
        }
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw EntryError(message: "there is no script '\(path)'", outcome: .usage)
        }
        guard !isFolder.boolValue else {
            throw EntryError(
                message: "'\(path)' is a folder; 'imrepl test \(path)' runs the scripts in it", outcome: .usage)
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw EntryError(message: "the script '\(path)' cannot be read", outcome: .environment)
        }
        guard !data.starts(with: recordingMark) else {
            throw EntryError(
                message: "'\(path)' is a recording, no script; 'imrepl replay \(path)' walks through it",
                outcome: .usage)
        }
        return try parse(Array(data), named: path, origin: .file, variables: variables)
    }

    static func parse(
        _ bytes: [UInt8], named name: String, origin: Script.Origin, variables: Set<String>
    ) throws -> Script {
        guard bytes.count <= bytesMax else {
            throw EntryError(message: "'\(name)' is larger than \(bytesMax >> 20) MiB: no script", outcome: .usage)
        }
        do {
            return try Script.parse(
                utf8: bytes, named: name, origin: origin, variables: variables, check: CommandParser.check)
        } catch {
            throw EntryError(message: error.rendered, outcome: .usage)
        }
    }

    /// - Throws: ``EntryError`` with everything in the script that its systems do not have; nothing has run then.
    static func require(_ script: Script, for dialect: any Dialect) throws {
        do {
            try ProfileCheck.require(script, for: dialect)
        } catch {
            throw EntryError(message: error.rendered, outcome: .usage)
        }
    }
}

/// Runs the statements of a script, and stops at the first that fails.
struct ScriptRunner {
    let shell: Shell
    let script: Script

    /// - Throws: ``ScriptFailure`` with the line that failed and why.
    func run() throws {
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

    /// Runs one statement. `!` turns a failure into success and success into a failure.
    static func execute(_ statement: Statement, in shell: Shell) throws {
        var parsed = try CommandParser.parse(statement, variables: shell.variables)
        shell.noteCommand(statement)
        guard statement.mustFail else { return try parsed.execute(in: shell) }
        do {
            try parsed.execute(in: shell)
        } catch is CommandFailure {
            return
        }
        throw CommandFailure("this was to fail (!), and did not")
    }
}

/// A line of a script failed.
struct ScriptFailure: Error, CustomStringConvertible {
    var text: String
    /// The comment of the phase it is in.
    var phase: String?

    var description: String { phase.map { "\(text)\nin the phase: \($0)" } ?? text }
}
