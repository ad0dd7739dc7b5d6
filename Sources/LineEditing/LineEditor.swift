/// What came of reading a line.
package enum LineResult: Equatable, Sendable {
    /// A line without its newline.
    case line(String)
    /// ^C: what was typed is dropped.
    case interrupted
    /// ^D on an empty line, the end of a file, or the editor was closed.
    case endOfFile
}

/// Where the lines of a shell come from: a terminal, a pipe, or a test.
package protocol LineEditor: AnyObject, Sendable {
    /// Reads one line. Blocks the calling thread, which must be one of its own (``LineThread``) and never one of
    /// Swift's concurrency pool. Reads one at a time: a second reader gets ``LineEditorError/busy``.
    func readLine(prompt: Prompt) throws -> LineResult

    /// Shows lines above the line that is being edited, or prints them when nothing is being read. Any thread; lines
    /// keep their order. They may hold colours but no newlines.
    func post(_ lines: [String])

    /// Asks for a secret without echo and keeps it out of the history. `nil` when the person gave up (^C, ^D).
    func readSecret(prompt: String) throws -> String?

    /// Adds a command to the history. The caller decides what one command is, so that joined lines are one.
    func remember(_ command: String)

    /// Forgets pasted lines that have not been read yet; for when one of them failed.
    func discardPendingLines()

    /// Gives the terminal back. A read that is going on ends with `endOfFile`, and so does every later one.
    func close()
}

extension LineEditor {
    package func remember(_ command: String) {}
    package func discardPendingLines() {}
}

/// Why no line could be read.
package enum LineEditorError: Error, Equatable, CustomStringConvertible {
    /// Another thread is reading already.
    case busy
    /// A secret was asked for and there is no terminal to type it on.
    case noTerminal
    /// stdin or stdout is no terminal, or TERM names one that cannot move its cursor.
    case notEditable
    /// The person's .editrc says `edit off`.
    case editingOff
    /// libedit could not be set up.
    case unavailable

    package var description: String {
        switch self {
        case .busy: "another thread is already reading from the terminal"
        case .noTerminal: "a secret can only be asked for on a terminal; give it in a file instead"
        case .notEditable: "this terminal cannot be edited on"
        case .editingOff: ".editrc says `edit off`"
        case .unavailable: "the line editor could not be set up"
        }
    }
}
