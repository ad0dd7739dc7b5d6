import Foundation

/// Where a script is written, with its recording beside it.
package struct ScriptFiles {
    private let script: String
    /// The recording's path.
    package let recording: String
    private let overwrites: Bool

    /// - Throws: ``ShellError`` for what is no file: a recording has to lie beside it.
    package init(_ script: String, overwrites: Bool) throws {
        guard !OutputFile.isStream(script) else {
            throw ShellError(
                message: "'\(script)' is no file, and a recording is written beside the script; -o names a file",
                reason: .usage)
        }
        self.script = script
        self.overwrites = overwrites
        recording = (script as NSString).deletingPathExtension + ".pcapng"
    }

    /// - Throws: ``ShellError`` where one of them is there already, before anything is written.
    package func write(_ text: String, _ bytes: [UInt8]) throws {
        for path in [script, recording] where FileManager.default.fileExists(atPath: path) && !overwrites {
            throw ShellError(message: "'\(path)' is there already; --force replaces it", reason: .environment)
        }
        try OutputFile.write(text.utf8, to: script, overwrites: overwrites)
        try OutputFile.write(bytes, to: recording, overwrites: overwrites)
    }
}
