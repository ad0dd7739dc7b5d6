import CEditLine
import Foundation
import IMText
import Synchronization

/// The line editor for a terminal, based on libedit.
///
/// Lines that are posted from any thread appear above the line being edited, which stays unchanged with its cursor.
/// `@unchecked Sendable`: `handle` is used by one thread at a time, the one that set `state.reading` under the lock.
/// Other threads only take the lock, and wake the reader through `cel_wake`, which the lock keeps open.
package final class TerminalEditor: LineEditor, @unchecked Sendable {
    package struct Options: Sendable {
        /// The program name in .editrc lines (`imrepl:bind …`).
        package var program = "imrepl"
        /// False disables colours, and also hints, which only their grey distinguishes from typed text.
        package var colour = true
        /// The candidates at the cursor, which is an offset in UTF-8 bytes.
        package var complete: (@Sendable (_ line: String, _ cursor: Int) -> LineCompletion)?
        /// The grey text after the line; → at the line's end accepts it.
        package var hint: (@Sendable (_ line: String) -> String?)?
        /// The present prompt, requested when events were shown above the line; nil for no change. Called on the
        /// reading thread.
        package var prompt: (@Sendable () -> Prompt?)?
        /// The history across runs; nil for none.
        package var history: HistoryFile?

        package init() {}
    }

    private struct State {
        var reading = false
        var closed = false
        var posted: [String] = []
        var pasted: [String] = []
    }

    private let options: Options
    private let state = Mutex(State())
    private let historyLines: Mutex<[String]>
    private var handle: OpaquePointer?

    /// Opens the editor on stdin and stdout; a process can have only one.
    ///
    /// - Throws: ``LineEditorError`` if there is no terminal for line editing; then use ``PlainLineReader``.
    package init(_ options: Options) throws {
        self.options = options
        let commands = options.history?.load() ?? []
        historyLines = Mutex(commands)
        let callbacks = cel_callbacks(
            context: Unmanaged.passUnretained(self).toOpaque(),
            take_events: { context in TerminalEditor.of(context)?.takePosted().map(CText.copy) ?? nil },
            events_shown: { context in TerminalEditor.of(context)?.renewPrompt() },
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
        var why = cel_open_result.failed
        guard let opened = cel_open(options.program, callbacks, options.colour, &why) else {
            throw LineEditorError(why)
        }
        handle = opened
        for command in commands {
            cel_add_history(opened, command)
        }
    }

    deinit {
        // No read is in progress, because a reader would hold a reference.
        if let handle {
            cel_close(handle)
        }
    }

    // MARK: Reading

    package func readLine(prompt: Prompt) throws -> LineResult {
        guard let handle = try begin() else { return .endOfFile }
        defer { end() }
        if let line = nextPasted() {
            // The transcript shows the line as if it had been typed.
            cel_write("\(prompt.text)\(line)\n")
            return .line(line)
        }
        // Events before this read were written at once, so the prompt may be older than they are.
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
        // libedit's line is one row, so a command of several lines is recalled as one.
        let single = command.replacing("\n", with: " ")
        guard let kept = options.history.map({ $0.append(single) }) ?? single.historyText else { return }
        historyLines.withLock { commands in
            if commands.last != kept {
                commands.append(kept)
            }
        }
        guard let handle = try? begin() else { return }
        cel_add_history(handle, kept)
        end()
    }

    package func discardPendingLines() {
        state.withLock { $0.pasted = [] }
    }

    package func close() {
        let idle = state.withLock { state in
            state.closed = true
            if state.reading, let handle {
                // The reader ends and then closes the handle.
                cel_stop(handle)
            }
            return !state.reading
        }
        if idle {
            closeHandle()
        }
    }

    /// Makes the calling thread the user of `handle`. Nil if the editor is closed.
    private func begin() throws -> OpaquePointer? {
        try state.withLock { state in
            if state.closed { return nil }
            if state.reading { throw LineEditorError.busy }
            state.reading = true
            return handle
        }
    }

    /// Ends the use of `handle`, and prints below the line what was posted at the end of the read.
    private func end() {
        let closed = state.withLock { state in
            if !state.posted.isEmpty {
                cel_write(state.posted.terminated)
                state.posted = []
            }
            state.reading = false
            return state.closed
        }
        if closed {
            closeHandle()
        }
    }

    /// At most one caller gets the handle, because it is removed under the lock.
    private func closeHandle() {
        let last = state.withLock { _ in
            defer { handle = nil }
            return handle
        }
        if let last {
            cel_close(last)
        }
    }

    // MARK: Posting

    package func post(_ lines: [String]) {
        guard !lines.isEmpty else { return }
        state.withLock { state in
            if state.reading, let handle {
                state.posted += lines
                cel_wake(handle)
            } else {
                cel_write(lines.terminated)
            }
        }
    }

    private func takePosted() -> String? {
        state.withLock { state in
            guard !state.posted.isEmpty else { return nil }
            defer { state.posted = [] }
            return state.posted.terminated
        }
    }

    // MARK: Callbacks during a read

    private static func of(_ context: UnsafeMutableRawPointer?) -> TerminalEditor? {
        context.map { Unmanaged<TerminalEditor>.fromOpaque($0).takeUnretainedValue() }
    }

    /// Uses the reader's own `handle`, which stays open during the read.
    private func renewPrompt() {
        guard let handle, let prompt = options.prompt?() else { return }
        show(prompt, on: handle)
    }

    private func show(_ prompt: Prompt, on handle: OpaquePointer) {
        var prompt = prompt
        prompt.coloured = prompt.coloured && options.colour
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
            state.withLock { $0.pasted = lines }
            return cel_paste(
                insert: nil,
                preview: CText.copy(PastedText.preview(of: lines).terminated),
                question: CText.copy(PastedText.question(of: lines))
            )
        }
    }

    private func nextPasted() -> String? {
        state.withLock { $0.pasted.isEmpty ? nil : $0.pasted.removeFirst() }
    }
}
