import Foundation
import IMShell
import LineEditing
import TextDisplay

/// Where an export goes: a file that did not exist before, or the standard output.
///
/// Used by one thread.
final class ExportTarget {
    /// The file; nil for the standard output.
    let path: String?
    private let descriptor: Int32
    private let isTerminal: Bool
    private var buffer: [UInt8] = []

    private static let bufferSize = 1 << 16

    /// - Parameter overwrites: whether a file of that name may be replaced.
    /// - Throws: ``ShellError`` that says what to do.
    init(path: String?, overwrites: Bool) throws {
        self.path = path
        guard let path else {
            descriptor = STDOUT_FILENO
            isTerminal = isatty(STDOUT_FILENO) != 0
            return
        }
        isTerminal = false
        descriptor = open(path, O_WRONLY | O_CREAT | (overwrites ? O_TRUNC : O_EXCL), 0o644)
        guard descriptor >= 0 else {
            throw errno == EEXIST ? ShellError.isThere(path) : ShellError.unwritable(path)
        }
    }

    func write(_ text: String) throws {
        // A terminal obeys nothing of a recording; what goes to a file or a program stays as it is.
        let text = isTerminal ? TerminalText.quoted(text) : text
        buffer.append(contentsOf: text.utf8)
        if buffer.count >= Self.bufferSize { try flush() }
    }

    func line(_ text: String) throws { try write(text + "\n") }

    /// Ends the export; the file is complete afterwards.
    func finish() throws {
        try flush()
        guard let path else { return }
        guard close(descriptor) == 0 else { throw ShellError.unwritable(path) }
    }

    /// Gives up: a file that has been begun goes.
    func abandon() {
        guard let path else { return }
        _ = close(descriptor)
        _ = unlink(path)
    }

    private func flush() throws {
        var written = 0
        while written < buffer.count {
            let count = buffer.withUnsafeBytes { bytes in
                Foundation.write(descriptor, bytes.baseAddress?.advanced(by: written), bytes.count - written)
            }
            if count > 0 {
                written += count
            } else if errno == EPIPE {
                // The reader has seen enough.
                exit(141)
            } else if errno != EINTR && errno != EAGAIN {
                throw ShellError.unwritable(path ?? "the standard output")
            }
        }
        buffer.removeAll(keepingCapacity: true)
    }
}

/// What keeps a command from writing its result.
extension ShellError {
    /// The name is taken, and nobody said that it may be replaced.
    static func isThere(_ path: String) -> ShellError {
        ShellError(
            message: "'\(path)' is there already; --force replaces it, -o writes somewhere else",
            reason: .environment)
    }

    /// For the reason that `errno` gives at this moment.
    static func unwritable(_ path: String) -> ShellError {
        ShellError(message: "cannot write '\(path)': \(String(cString: strerror(errno)))", reason: .environment)
    }
}
