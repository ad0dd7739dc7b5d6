import IMSession
import IMShell
import Synchronization

/// Writes results in blocks, for commands that print many lines without waiting in between. A diagnostic is written
/// after the results that precede it. ``flush()`` writes the remaining results.
final class BlockOutput: ShellOutput {
    private static let blockBytes = 64 << 10

    private let output: any ShellOutput
    /// Lines that are not written yet, each with its line end.
    private let block = Mutex("")
    let form: OutputForm
    let colour: Bool
    let columns: Int?

    init(_ output: any ShellOutput) {
        self.output = output
        form = output.form
        colour = output.colour
        columns = output.columns
    }

    var clock: EventClock {
        get { output.clock }
        set { output.clock = newValue }
    }

    func write(_ text: String, to stream: ShellStream) {
        guard stream == .results else {
            flush()
            return output.write(text, to: stream)
        }
        let isFull = block.withLock { block in
            block += text
            block += "\n"
            return block.utf8.count >= Self.blockBytes
        }
        if isFull { flush() }
    }

    func flush() {
        let lines = block.withLock { block in
            defer { block = "" }
            return block
        }
        // Removes a scalar, not a character: a carriage return before the line end forms one character with it.
        if !lines.isEmpty { output.write(String(lines.unicodeScalars.dropLast()), to: .results) }
    }
}
