import Synchronization

/// A line editor for tests: returns prepared results and stores all output.
package final class ScriptedEditor: LineEditor {
    private struct State {
        var results: [LineResult]
        var secrets: [String?]
        var postedLines: [String] = []
        var prompts: [String] = []
        var historyLines: [String] = []
        var isClosed = false
    }

    private let state: Mutex<State>

    /// - Parameter results: the results of `readLine`, in order. After the last one `readLine` returns `endOfFile`.
    package init(_ results: [LineResult], secrets: [String?] = []) {
        state = Mutex(State(results: results, secrets: secrets))
    }

    package convenience init(lines: [String], secrets: [String?] = []) {
        self.init(lines.map(LineResult.line), secrets: secrets)
    }

    /// All posted lines.
    package var shown: [String] { state.withLock { $0.postedLines } }
    /// The prompts of all reads, without colours.
    package var prompts: [String] { state.withLock { $0.prompts } }
    package var historyLines: [String] { state.withLock { $0.historyLines } }
    package var isClosed: Bool { state.withLock { $0.isClosed } }

    package func readLine(prompt: Prompt) throws -> LineResult {
        state.withLock { state in
            state.prompts.append(prompt.text)
            return state.isClosed || state.results.isEmpty ? .endOfFile : state.results.removeFirst()
        }
    }

    package func post(_ lines: [String]) {
        state.withLock { $0.postedLines += lines }
    }

    package func readSecret(prompt: String) throws -> String? {
        state.withLock { state in
            state.prompts.append(prompt)
            return state.secrets.isEmpty ? nil : state.secrets.removeFirst()
        }
    }

    package func addToHistory(_ command: String) {
        state.withLock { $0.historyLines.append(command) }
    }

    package func discardPendingLines() {
        state.withLock { state in
            // The prepared results are not dropped. The call is recorded among the prompts so that a test can check for
            // it.
            state.prompts.append("(discarded)")
        }
    }

    package func close() {
        state.withLock { $0.isClosed = true }
    }
}
