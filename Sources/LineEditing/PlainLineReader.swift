import CEditLine
import Foundation
import Synchronization

/// A line of a script that is no valid text.
package struct LineError: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case invalidUTF8(byte: UInt8)
        case nulByte
        case tooLong(bytesMax: Int)
        case unreadable(SystemFailure)
    }

    package var source: String
    /// From 1.
    package var line: Int
    /// From 1, in Unicode scalars.
    package var column: Int
    package var problem: Problem

    package var description: String {
        let reason =
            switch problem {
            case .invalidUTF8(let byte): "not UTF-8 (byte 0x\(String(byte, radix: 16)))"
            case .nulByte: "NUL byte"
            case .tooLong(let bytesMax): "line is longer than \(bytesMax) bytes"
            case .unreadable(let failure): "cannot read: \(failure)"
            }
        return "\(source):\(line):\(column): \(reason)"
    }
}

/// Reads lines from a pipe, a file, or a terminal without line editing. Never writes an escape sequence.
///
/// Lines end with \n or \r\n; the last one may end with neither. A byte order mark at the start is skipped. After a
/// ``LineError`` the next call reads the next line.
/// `@unchecked Sendable`: `input` is used by one thread at a time, the one that set `state.reading` under the lock.
package final class PlainLineReader: LineEditor, @unchecked Sendable {
    /// The longest line in bytes, without its line end.
    package static let lineBytesMax = 1 << 20

    private struct State {
        var reading = false
        var closed = false
        /// The prompt of the read in progress, which is last on the screen; nil if there is none.
        var shownPrompt: String?
    }

    private let state = Mutex(State())
    private let showsPrompt: Bool
    private let output: @Sendable (String) -> Void
    private let isTerminal: Bool
    private var input: LineInput

    /// - Parameters:
    ///   - descriptor: remains the caller's to close.
    ///   - source: the name in error messages, a path or `stdin`.
    ///   - showsPrompt: true for a user at a dumb terminal, false for a script.
    ///   - output: receives prompts and posted lines; nil for stdout.
    package init(
        descriptor: Int32 = 0,
        source: String = "stdin",
        showsPrompt: Bool = false,
        lineBytesMax: Int = PlainLineReader.lineBytesMax,
        output: (@Sendable (String) -> Void)? = nil
    ) {
        self.showsPrompt = showsPrompt
        self.output = output ?? { cel_write($0) }
        self.isTerminal = isatty(descriptor) == 1 && descriptor == 0
        self.input = LineInput(descriptor: descriptor, source: source, lineBytesMax: lineBytesMax)
    }

    /// The number of the last line that was read, from 1; 0 before the first.
    package var lineNumber: Int { state.withLock { _ in input.lineNumber } }

    package func readLine(prompt: Prompt) throws -> LineResult {
        let closed = try state.withLock { state in
            if state.reading { throw LineEditorError.busy }
            state.reading = !state.closed
            return state.closed
        }
        if closed { return .endOfFile }
        defer {
            state.withLock { state in
                state.reading = false
                state.shownPrompt = nil
            }
        }
        if showsPrompt {
            state.withLock { state in
                output(prompt.text)
                state.shownPrompt = prompt.text
            }
        }
        return try input.next().map(LineResult.line) ?? .endOfFile
    }

    package func post(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        state.withLock { state in
            // Not after a prompt and its typed text: on new lines, followed by the prompt again.
            if let prompt = state.shownPrompt {
                output("\n\(lines.terminated)\(prompt)")
            } else {
                output(lines.terminated)
            }
        }
    }

    package func readSecret(prompt: String) throws -> String? {
        guard isTerminal else { throw LineEditorError.noTerminal }
        return Secret.read(nil, prompt: prompt)
    }

    /// Takes effect with the next read. A read that waits for a pipe cannot be interrupted.
    package func close() {
        state.withLock { $0.closed = true }
    }
}
