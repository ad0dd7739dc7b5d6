import IMDebugger
import IMShell
import IMText
import LineEditing

/// Evaluates lines, one after the other: a prompt, or a conversation with a program.
protocol LineReceiver {
    /// True if no further line is read.
    var isOver: Bool { get }

    /// The text before the next line.
    func prompt() throws -> Prompt

    /// - Throws: errors that end the loop. The receiver reports all other errors itself.
    func evaluate(_ line: String) throws

    /// Reports a line that is no valid text.
    func reject(_ error: LineError)

    /// - Returns: true if the end of the input ends the loop.
    func endInput() throws -> Bool
}

extension LineReceiver {
    /// Reads and evaluates lines until the receiver is over or the input ends.
    func readLines(from editor: any LineEditor) throws {
        while !isOver {
            let result: LineResult
            do {
                result = try editor.readLine(prompt: try prompt())
            } catch let error as LineError {
                reject(error)
                continue
            }
            switch result {
            case .endOfFile: if try endInput() { return }
            case .interrupted: continue
            case .line(let line): try evaluate(line)
            }
        }
    }
}

/// A prompt for a user. An error is printed, and the next line is read.
protocol PromptReceiver: LineReceiver {
    var editor: any LineEditor { get }
    var promptOutput: any ShellOutput { get }

    func run(_ line: String) throws

    /// True if an error of a line ends the prompt.
    func isEnd(_ error: any Error) -> Bool
}

extension PromptReceiver {
    func evaluate(_ line: String) throws {
        editor.addToHistory(line)
        do {
            try run(line)
        } catch {
            if isEnd(error) { throw error }
            let diagnostic = error as? Diagnostic
            promptOutput.error(diagnostic?.rendered(in: SourceText(name: "", text: line)) ?? "\(error)")
            editor.discardPendingLines()
        }
    }

    func reject(_ error: LineError) { promptOutput.error("\(error)") }

    func endInput() throws -> Bool { true }

    func isEnd(_ error: any Error) -> Bool { false }
}
