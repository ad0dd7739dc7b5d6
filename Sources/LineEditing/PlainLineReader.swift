import CEditLine
import Foundation
import Synchronization

/// The error for an input line that cannot be read or is not valid text.
package struct LineError: Error, Equatable, CustomStringConvertible {
    package enum Problem: Equatable, Sendable {
        case invalidUTF8(byte: UInt8)
        case nulByte
        case tooLong(bytesMax: Int)
        case unreadable(SystemFailure)
    }

    package var source: String
    /// The number of the line, from 1.
    package var line: Int
    /// The position in the line, from 1, in Unicode scalars.
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
/// Lines end with \n or \r\n; the last line may have no line end. A byte order mark at the start is skipped. After a
/// ``LineError`` the next call reads the next line.
///
/// `@unchecked Sendable`: only the thread that set `state.isReading` under the lock uses `input`.
package final class PlainLineReader: LineEditor, @unchecked Sendable {
    /// The maximum length of a line in bytes, without its line end.
    package static let lineBytesMax = 1 << 20

    private struct State {
        var isReading = false
        var isClosed = false
        /// The prompt of the read in progress, which is in the last row of the screen; nil if there is none.
        var shownPrompt: String?
    }

    private let state = Mutex(State())
    private let showsPrompt: Bool
    private let output: @Sendable (String) -> Void
    private let isTerminal: Bool
    private var input: LineInput

    /// - Parameters:
    ///   - descriptor: the input. The reader does not close it.
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

    /// The number of the last line that was read, from 1; 0 before the first read.
    package var lineNumber: Int { state.withLock { _ in input.lineNumber } }

    package func readLine(prompt: Prompt) throws -> LineResult {
        let isClosed = try state.withLock { state in
            if state.isReading { throw LineEditorError.busy }
            state.isReading = !state.isClosed
            return state.isClosed
        }
        if isClosed { return .endOfFile }
        defer {
            state.withLock { state in
                state.isReading = false
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
            // The cursor is after the prompt and the typed text. So the lines begin on a new line, and the prompt is
            // printed again after them.
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

    /// Takes effect at the next read, because a read that waits for input of a pipe cannot be interrupted.
    package func close() {
        state.withLock { $0.isClosed = true }
    }
}
