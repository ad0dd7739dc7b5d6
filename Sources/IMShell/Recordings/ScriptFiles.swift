import Foundation

/// The paths of a script and of the recording next to it.
package struct ScriptFiles {
    private let script: String
    /// The path of the recording: the script's path with the extension `pcapng`.
    package let recording: String
    private let overwrites: Bool

    /// - Throws: ``ShellError`` if the script's path is a stream or a device, because the recording cannot be written
    ///   next to it.
    package init(_ script: String, overwrites: Bool) throws {
        guard !OutputFile.isStream(script) else {
            throw ShellError(
                message:
                    "'\(script)' is not a file, and the recording is written beside the script; give a file with -o",
                reason: .usage)
        }
        self.script = script
        self.overwrites = overwrites
        recording = (script as NSString).deletingPathExtension + ".pcapng"
    }

    /// Writes the script and its recording.
    ///
    /// - Throws: ``ShellError`` if one of the files already exists. Nothing is written then.
    package func write(_ text: String, _ bytes: [UInt8]) throws {
        for path in [script, recording] where FileManager.default.fileExists(atPath: path) && !overwrites {
            throw ShellError(message: "'\(path)' already exists; --force replaces it", reason: .environment)
        }
        try OutputFile.write(text.utf8, to: script, overwrites: overwrites)
        try OutputFile.write(bytes, to: recording, overwrites: overwrites)
    }
}
