import CEditLine
import Foundation
import IMText
import Synchronization

/// The line editor for a terminal, based on libedit.
///
/// Any thread can post lines. They appear above the line that is being edited. That line and its cursor do not change.
///
/// `@unchecked Sendable`: only the thread that set `state.isReading` under the lock uses `handle`. Other threads call
/// `cel_wake` and `cel_stop` under the lock, so that the handle is not closed during the call.
package final class TerminalEditor: LineEditor, @unchecked Sendable {
    package struct Options: Sendable {
        /// The name of this program in the lines of .editrc, such as `imrepl:bind …`.
        package var program = "imrepl"
        /// False disables colours and also hints, because a hint differs from typed text only by its grey colour.
        package var colour = true
        /// Returns the completions at the cursor. `cursor` is an offset in UTF-8 bytes.
        package var complete: (@Sendable (_ line: String, _ cursor: Int) -> LineCompletion)?
        /// Returns the grey text after the line. The user accepts it with → at the end of the line.
        package var hint: (@Sendable (_ line: String) -> String?)?
        /// Returns the current prompt; nil if it has not changed. Called on the reading thread after posted lines were
        /// shown, because the events may have changed the prompt.
        package var prompt: (@Sendable () -> Prompt?)?
        /// The file that stores the history; nil to store none.
        package var history: HistoryFile?

        package init() {}
    }

    private struct State {
        var isReading = false
        var isClosed = false
        var postedLines: [String] = []
        var pastedLines: [String] = []
    }

    private let options: Options
    private let state = Mutex(State())
    private let historyLines: Mutex<[String]>
    private var handle: OpaquePointer?

    /// Opens the editor on stdin and stdout; a process can have only one.
    ///
    /// - Throws: ``LineEditorError`` if line editing is not possible. The caller then uses ``PlainLineReader``.
    package init(_ options: Options) throws {
        self.options = options
        let commands = options.history?.load() ?? []
        historyLines = Mutex(commands)
        let callbacks = cel_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            take_events: { context in TerminalEditor.of(context)?.takePosted().map(CText.copy) ?? nil },
            events_shown: { context in TerminalEditor.of(context)?.updatePrompt() },
            hint: { context, line in TerminalEditor.of(context)?.hint(for: CText.string(line)).map(CText.copy) ?? nil },
            complete: { context, line, cursor in
                TerminalEditor.of(context)?.complete(CText.string(line), at: Int(cursor)) ?? cel_completion()
            },
            search: { context, query, position, step in
                TerminalEditor.of(context)?.search(CText.string(query), position, Int(step)).map(CText.copy) ?? nil
            },
            paste: { context, before, text, after in
                TerminalEditor.of(context)?
                    .paste(CText.string(text), before: CText.string(before), after: CText.string(after)) ?? cel_paste()
            }
        )
        var openResult = cel_open_result.failed
        guard let opened = cel_open(options.program, callbacks, options.colour, &openResult) else {
            throw LineEditorError(openResult)
        }
        handle = opened
        for command in commands {
            cel_add_history(opened, command)
        }
    }

    deinit {
        // No read is in progress, because a thread that reads holds a reference to the editor.
        if let handle {
            cel_close(handle)
        }
    }

    // MARK: Reading

    package func readLine(prompt: Prompt) throws -> LineResult {
        guard let handle = try begin() else { return .endOfFile }
        defer { end() }
        if let line = nextPasted() {
            // The pasted line is printed after the prompt, as if the user had typed it.
            cel_write("\(prompt.text)\(line)\n")
            return .line(line)
        }
        // Lines that were posted before this read were printed at once. The events that they show may have changed the
        // prompt.
        show(options.prompt?() ?? prompt, on: handle)
        var text: UnsafeMutablePointer<CChar>?
        let result = cel_read_line(handle, &text)
        defer { free(text) }
        switch result {
        case .line:
            return .line(text.map { String(cString: $0) } ?? "")
        case .interrupted:
            discardPendingLines()
            return .interrupted
        case .end_of_file:
            return .endOfFile
        case .pasted:
            guard let line = nextPasted() else { return .line("") }
            cel_write("\(prompt.text)\(line)\n")
            return .line(line)
        }
    }

    package func readSecret(prompt: String) throws -> String? {
        guard let handle = try begin() else { return nil }
        defer { end() }
        return Secret.read(handle, prompt: prompt)
    }

    package func addToHistory(_ command: String) {
        // libedit edits only one row, so a command of several lines is stored as one line.
        let oneLine = command.replacing("\n", with: " ")
        guard let stored = options.history.map({ $0.append(oneLine) }) ?? oneLine.historyText else { return }
        historyLines.withLock { commands in
            if commands.last != stored {
                commands.append(stored)
            }
        }
        guard let handle = try? begin() else { return }
        cel_add_history(handle, stored)
        end()
    }

    package func discardPendingLines() {
        state.withLock { $0.pastedLines = [] }
    }

    package func close() {
        let isIdle = state.withLock { state in
            state.isClosed = true
            if state.isReading, let handle {
                // The thread that reads closes the handle when its read ends.
                cel_stop(handle)
            }
            return !state.isReading
        }
        if isIdle {
            closeHandle()
        }
    }

    /// Reserves `handle` for the calling thread; nil if the editor is closed. The thread must then call `end()`.
    private func begin() throws -> OpaquePointer? {
        try state.withLock { state in
            if state.isClosed { return nil }
            if state.isReading { throw LineEditorError.busy }
            state.isReading = true
            return handle
        }
    }

    /// Ends the use of `handle`, and prints the lines that were posted too late to be shown above the edited line.
    private func end() {
        let isClosed = state.withLock { state in
            if !state.postedLines.isEmpty {
                cel_write(state.postedLines.terminated)
                state.postedLines = []
            }
            state.isReading = false
            return state.isClosed
        }
        if isClosed {
            closeHandle()
        }
    }

    /// Closes the handle once: `handle` is set to nil under the lock, so only one caller gets it.
    private func closeHandle() {
        let closing = state.withLock { _ in
            defer { handle = nil }
            return handle
        }
        if let closing {
            cel_close(closing)
        }
    }

    // MARK: Posting

    package func post(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        state.withLock { state in
            if state.isReading, let handle {
                state.postedLines += lines
                cel_wake(handle)
            } else {
                cel_write(lines.terminated)
            }
        }
    }

    private func takePosted() -> String? {
        state.withLock { state in
            guard !state.postedLines.isEmpty else { return nil }
            defer { state.postedLines = [] }
            return state.postedLines.terminated
        }
    }

    // MARK: Callbacks during a read

    private static func of(_ context: UnsafeMutableRawPointer?) -> TerminalEditor? {
        context.map { Unmanaged<TerminalEditor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Updates the prompt. The thread that reads calls this method, so `handle` remains open.
    private func updatePrompt() {
        guard let handle, let prompt = options.prompt?() else { return }
        show(prompt, on: handle)
    }

    private func show(_ prompt: Prompt, on handle: OpaquePointer) {
        var prompt = prompt
        prompt.isColoured = prompt.isColoured && options.colour
        cel_set_prompt(handle, prompt.rendered, prompt.renderedRight)
    }

    private func hint(for line: String) -> String? {
        guard let hint = options.hint?(line), !hint.isEmpty else { return nil }
        return hint
    }

    private func complete(_ line: String, at cursor: Int) -> cel_completion {
        guard let complete = options.complete else { return cel_completion() }
        let edit = CompletionEdit(complete(line, cursor), line: line, cursor: cursor)
        var columns: Int32 = 80
        var rows: Int32 = 24
        cel_screen_size(&columns, &rows)
        let listing = CompletionListing(columns: Int(columns), rows: Int(rows) - 3, width: { Int(cel_text_width($0)) })
        return cel_completion(
            delete_count: edit.deleteCount,
            insert: edit.insert.isEmpty ? nil : CText.copy(TerminalText.quoted(edit.insert, keeping: .oneLine)),
            listing: edit.listed.isEmpty ? nil : CText.copy(listing.lines(edit.listed).terminated)
        )
    }

    private func search(_ query: String, _ position: UnsafeMutablePointer<Int>?, _ step: Int) -> String? {
        guard let position else { return nil }
        return historyLines.withLock { commands in
            guard let found = HistorySearch.find(query, in: commands, from: position.pointee, step: step) else {
                return nil
            }
            position.pointee = found
            return commands[commands.count - 1 - found]
        }
    }

    private func paste(_ text: String, before: String, after: String) -> cel_paste {
        switch PastedText(text, before: before, after: after) {
        case .insert(let line):
            return cel_paste(insert: CText.copy(line), preview: nil, question: nil)
        case .lines(let lines):
            state.withLock { $0.pastedLines = lines }
            return cel_paste(
                insert: nil,
                preview: CText.copy(PastedText.preview(of: lines).terminated),
                question: CText.copy(PastedText.question(of: lines))
            )
        }
    }

    private func nextPasted() -> String? {
        state.withLock { $0.pastedLines.isEmpty ? nil : $0.pastedLines.removeFirst() }
    }
}
