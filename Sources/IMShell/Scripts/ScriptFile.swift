import Foundation
import IMDebugger
import IMProfiles
import IMText
import SansIO

/// Reads and checks script files for the shell.
package enum ScriptFile {
    package static let bytesMax = 4 << 20
    /// The first bytes of every pcapng file.
    private static let recordingMark: [UInt8] = [0x0A, 0x0D, 0x0D, 0x0A]

    /// Reads and checks a whole script. No line runs if the script has an error.
    ///
    /// - Parameter path: the script's path; `-` for the standard input.
    /// - Throws: ``ShellError`` with all errors of the script.
    package static func read(_ path: String, variables: Set<String>) throws -> CheckedScript {
        if path == "-" {
            let data = FileHandle.standardInput.readDataToEndOfFile()
            return try parse(Array(data), named: "stdin", origin: .pipe, variables: variables)
        }
        guard FileManager.default.fileExists(atPath: path) else {
            throw ShellError(message: "there is no script '\(path)'", reason: .usage)
        }
        guard !Folder.exists(path) else {
            throw ShellError(
                message: "'\(path)' is a folder; 'imrepl test \(path)' runs the scripts in it", reason: .usage)
        }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ShellError(message: "the script '\(path)' cannot be read", reason: .environment)
        }
        guard !data.starts(with: recordingMark) else {
            throw ShellError(
                message: "'\(path)' is a recording, not a script; 'imrepl replay \(path)' opens it",
                reason: .usage)
        }
        guard path.hasSuffix(".imr") || data.starts(with: Array("#!".utf8)) || data.isEmpty else {
            throw ShellError(
                message:
                    "'\(path)' is not a script: its first line is not '#! imrepl script \(Script.version)'; if it is a "
                    + "log, 'imrepl import \(path) -o FILE.pcapng' converts it to a session",
                reason: .usage)
        }
        return try parse(Array(data), named: path, origin: .file, variables: variables)
    }

    /// - Throws: ``ShellError`` with all errors of the script.
    package static func parse(
        _ bytes: [UInt8], named name: String, origin: Script.Origin, variables: Set<String>
    ) throws -> CheckedScript {
        guard bytes.count <= bytesMax else {
            throw ShellError(
                message: "'\(name)' is larger than \(bytesMax >> 20) MiB, which is too large for a script",
                reason: .usage)
        }
        do {
            let checked = try CheckedScript(utf8: bytes, named: name, origin: origin, variables: variables)
            try requireRules(of: checked.script)
            return checked
        } catch let error as ScriptErrors {
            throw ShellError(message: error.rendered, reason: .usage)
        }
    }

    /// True for S-1 to S-28: ids of event sequences that every profile must reproduce. They are allowed in `rules:`,
    /// but are not in the catalogue.
    private static func isSequence(_ id: String) -> Bool {
        id.hasPrefix("S-") && Int(id.dropFirst(2)).map { (1...28).contains($0) } ?? false
    }

    /// - Throws: ``ShellError`` for an unknown rule in the script's head.
    private static func requireRules(of script: Script) throws {
        for (id, position) in script.metadata.ruleEntries
        where RuleCatalogue.rule(id) == nil && !isSequence(id) {
            let near = RuleCatalogue.ids(like: id).map { "available: \($0)" }
            let error = Diagnostic(
                "there is no rule '\(id)'", at: position, length: 1, hint: near ?? "'help rules' lists them")
            throw ShellError(message: error.rendered(in: script.source), reason: .usage)
        }
    }

    /// Checks that the system supports the whole script, before a line runs.
    ///
    /// - Throws: ``ShellError`` with all commands and expectations that the system does not support.
    package static func require(_ script: CheckedScript, for dialect: any Dialect) throws {
        do {
            try ProfileCheck.require(script.script, for: dialect)
        } catch {
            throw ShellError(message: error.rendered, reason: .usage)
        }
    }
}
