import Foundation
import IMShell
import IMText
import LineEditing
import Recorder

/// Collects the text of an export and writes it to its output.
///
/// Used by one thread.
final class ExportTarget {
    /// The file; nil for the standard output.
    let path: String?
    private let file: OutputFile
    private let isTerminal: Bool
    private var buffer: [UInt8] = []

    private static let bufferSize = 1 << 16

    /// - Parameter overwrites: true if a file of that name may be replaced.
    /// - Throws: ``ShellError`` with the remedy.
    init(path: String?, overwrites: Bool) throws {
        self.path = path
        isTerminal = path == nil && isatty(STDOUT_FILENO) != 0
        file = try OutputFile(path: path ?? "-", overwrites: overwrites)
    }

    func write(_ bytes: [UInt8], isText: Bool = true) throws {
        // A terminal gets quoted text, so that control characters in a recording have no effect. A file or a program
        // gets the text unchanged.
        if isTerminal, isText {
            buffer.append(contentsOf: TerminalText.quoted(String(decoding: bytes, as: UTF8.self)).utf8)
        } else {
            buffer.append(contentsOf: bytes)
        }
        if buffer.count >= Self.bufferSize { try flush() }
    }

    /// Ends the export; the file is complete afterwards.
    func finish() throws {
        try flush()
        try file.finish()
    }

    /// Abandons the export. An existing file is not replaced.
    func abandon() { file.abandon() }

    /// The absolute path without symbolic links, which is the same for all paths of one file.
    static func canonical(_ path: String) -> String {
        URL(fileURLWithPath: path).resolvingSymlinksInPath().standardizedFileURL.path
    }

    private func flush() throws {
        do {
            try buffer.withUnsafeBytes { try file.write($0) }
        } catch let error as SessionError {
            // The reader of the standard output has closed it.
            if path == nil, file.errorNumber == EPIPE { endProcess(.unread) }
            throw file.failure(error)
        }
        buffer.removeAll(keepingCapacity: true)
    }
}
