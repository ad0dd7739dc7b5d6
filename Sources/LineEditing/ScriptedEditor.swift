import Synchronization

/// A line editor for tests: gives what it was made with, and keeps what it was shown.
package final class ScriptedEditor: LineEditor {
    private struct State {
        var results: [LineResult]
        var secrets: [String?]
        var shown: [String] = []
        var prompts: [String] = []
        var remembered: [String] = []
        var closed = false
    }

    private let state: Mutex<State>

    /// - Parameter results: what readLine returns, in order; `endOfFile` follows.
    package init(_ results: [LineResult], secrets: [String?] = []) {
        state = Mutex(State(results: results, secrets: secrets))
    }

    package convenience init(lines: [String], secrets: [String?] = []) {
        self.init(lines.map(LineResult.line), secrets: secrets)
    }

    /// Everything that was posted.
    package var shown: [String] { state.withLock { $0.shown } }
    /// The prompts of all reads, without colours.
    package var prompts: [String] { state.withLock { $0.prompts } }
    package var remembered: [String] { state.withLock { $0.remembered } }
    package var isClosed: Bool { state.withLock { $0.closed } }

    package func readLine(prompt: Prompt) throws -> LineResult {
        state.withLock { state in
            state.prompts.append(prompt.text)
            return state.closed || state.results.isEmpty ? .endOfFile : state.results.removeFirst()
        }
    }

    package func post(_ lines: [String]) {
        state.withLock { $0.shown += lines }
    }

    package func readSecret(prompt: String) throws -> String? {
        state.withLock { state in
            state.prompts.append(prompt)
            return state.secrets.isEmpty ? nil : state.secrets.removeFirst()
        }
    }

    package func remember(_ command: String) {
        state.withLock { $0.remembered.append(command) }
    }

    package func discardPendingLines() {
        state.withLock { state in
            // What was pasted is part of the script of a test: nothing to tell apart.
            state.prompts.append("(discarded)")
        }
    }

    package func close() {
        state.withLock { $0.closed = true }
    }
}
