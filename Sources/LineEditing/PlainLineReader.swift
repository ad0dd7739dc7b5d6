import CEditLine
import Foundation
import Synchronization

/// A line of a script that cannot be read as text.
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

/// Reads lines from a pipe, a file, or a terminal that cannot be edited on. Never writes an escape sequence.
///
/// Lines end with \n or \r\n, the last one may end with neither. A byte order mark at the start is passed over. After a
/// ``LineError`` about a line the next call reads the line behind it.
/// `@unchecked Sendable`: `input` is used by one thread at a time, the one that set `state.reading` under the lock.
package final class PlainLineReader: LineEditor, @unchecked Sendable {
    /// The longest line, without its end.
    package static let lineBytesMax = 1 << 20

    private struct State {
        var reading = false
        var closed = false
        /// The prompt that waits for a line, the last thing on the screen.
        var shownPrompt: String?
    }

    private let state = Mutex(State())
    private let showsPrompt: Bool
    private let output: @Sendable (String) -> Void
    private let isTerminal: Bool
    private var input: LineInput

    /// - Parameters:
    ///   - descriptor: stays the caller's to close.
    ///   - source: what error messages call it, a path or `stdin`.
    ///   - showsPrompt: for a person at a dumb terminal; a script gets none.
    ///   - output: where prompts and posted lines go; stdout when nil.
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

    /// The number of the line that was read last, from 1; 0 before the first.
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
            // Not behind a waiting prompt, nor behind what has been typed there: on lines of their own, and the prompt
            // again.
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

    /// Takes effect with the next read: one that waits for a pipe cannot be called back.
    package func close() {
        state.withLock { $0.closed = true }
    }
}
