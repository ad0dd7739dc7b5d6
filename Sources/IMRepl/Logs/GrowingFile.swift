import Foundation
import IMShell

/// A file that another program writes, or the standard input.
package struct GrowingFile {
    /// If no bytes come for this time, the last line counts as complete.
    private static let pauseMilliseconds: Int32 = 200
    private let descriptor: Int32
    private let isInput: Bool

    /// Opens the file.
    ///
    /// - Throws: ``ShellError`` if the file cannot be read.
    package init(_ path: String) throws {
        isInput = path == "-"
        descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY)
        guard descriptor >= 0 else {
            throw ShellError(message: "there is no file '\(path)', or it cannot be read", reason: .environment)
        }
    }

    /// The next bytes; empty if none came for `pauseMilliseconds`, nil at the end.
    package func next() -> [UInt8]? {
        if isInput {
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&wanted, 1, Self.pauseMilliseconds) != 0 else { return [] }
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(descriptor, &bytes, bytes.count)
        if count > 0 { return Array(bytes[..<count]) }
        guard !isInput, count == 0 else { return nil }
        usleep(UInt32(Self.pauseMilliseconds) * 1000)
        return []
    }
}
