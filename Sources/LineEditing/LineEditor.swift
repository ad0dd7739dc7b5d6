/// The result of reading a line.
package enum LineResult: Equatable, Sendable {
    /// A line without its newline.
    case line(String)
    /// The user pressed ^C. The typed text is dropped.
    case interrupted
    /// The user pressed ^D on an empty line, the input ended, or the editor was closed.
    case endOfFile
}

/// A source of lines for a shell: a terminal, a pipe, or a test.
package protocol LineEditor: AnyObject, Sendable {
    /// Reads one line and blocks the calling thread meanwhile. Call this method on a dedicated thread (``LineThread``)
    /// and never on a thread of Swift's concurrency pool. A second read at the same time throws
    /// ``LineEditorError/busy``.
    func readLine(prompt: Prompt) throws -> LineResult

    /// Shows lines above the line that is being edited, or prints them if no read is in progress. The lines are shown
    /// in the order of the calls, and may contain colours but no newlines. Any thread may call this method.
    func post(_ lines: [String])

    /// Reads a secret, which is neither shown on the screen nor stored in the history; nil if the user cancelled with
    /// ^C or ^D.
    func readSecret(prompt: String) throws -> String?

    /// Adds a command to the history. The editor does not add lines itself, because a command may consist of several
    /// joined lines.
    func addToHistory(_ command: String)

    /// Drops the pasted lines that were not read yet. The caller does this when one of them fails.
    func discardPendingLines()

    /// Closes the editor and restores the terminal. A read in progress and all later ones return `endOfFile`.
    func close()
}

extension LineEditor {
    package func addToHistory(_ command: String) {}
    package func discardPendingLines() {}
}

/// The reason why a line or a secret cannot be read.
package enum LineEditorError: Error, Equatable, CustomStringConvertible {
    /// Another thread is already reading from this editor.
    case busy
    /// A secret cannot be read, because there is no terminal.
    case noTerminal
    /// stdin or stdout is not a terminal, or the terminal type in TERM cannot move the cursor.
    case notEditable
    /// The user's .editrc contains `edit off`, so line editing is disabled.
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
