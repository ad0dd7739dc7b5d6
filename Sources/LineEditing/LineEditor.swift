/// The result of reading a line.
package enum LineResult: Equatable, Sendable {
    /// A line without its newline.
    case line(String)
    /// ^C: the typed text is dropped.
    case interrupted
    /// ^D on an empty line, the end of a file, or the editor was closed.
    case endOfFile
}

/// A source of lines for a shell: a terminal, a pipe, or a test.
package protocol LineEditor: AnyObject, Sendable {
    /// Reads one line. Blocks the calling thread, which must be a dedicated one (``LineThread``) and never one of
    /// Swift's concurrency pool. Only one read at a time: a second one throws ``LineEditorError/busy``.
    func readLine(prompt: Prompt) throws -> LineResult

    /// Shows lines above the line that is being edited, or prints them if no read is in progress. Any thread; the lines
    /// keep their order. They may contain colours but no newlines.
    func post(_ lines: [String])

    /// Requests a secret without echo and without history; nil if the user cancelled (^C, ^D).
    func readSecret(prompt: String) throws -> String?

    /// Adds a command to the history. The caller decides on its extent, so that joined lines are one command.
    func addToHistory(_ command: String)

    /// Drops pasted lines that have not been read, after one of them failed.
    func discardPendingLines()

    /// Closes the editor and restores the terminal. A read in progress and all later ones return `endOfFile`.
    func close()
}

extension LineEditor {
    package func addToHistory(_ command: String) {}
    package func discardPendingLines() {}
}

/// The reason why no line could be read.
package enum LineEditorError: Error, Equatable, CustomStringConvertible {
    /// Another thread is reading.
    case busy
    /// A secret was requested without a terminal to type it on.
    case noTerminal
    /// stdin or stdout is no terminal, or TERM names one that cannot move its cursor.
    case notEditable
    /// The user's .editrc contains `edit off`.
    case editingOff
    /// libedit could not be initialized.
    case unavailable

    package var description: String {
        switch self {
        case .busy: "another thread is already reading from the terminal"
        case .noTerminal: "a secret can be typed only on a terminal; give it in a file instead"
        case .notEditable: "this terminal has no line editing"
        case .editingOff: ".editrc contains `edit off`"
        case .unavailable: "the line editor could not be set up"
        }
    }
}
