import Synchronization

/// A line editor for tests: gives what it was made with, and keeps what it was shown.
final class ScriptedEditor: LineEditor {
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
    init(_ results: [LineResult], secrets: [String?] = []) {
        state = Mutex(State(results: results, secrets: secrets))
    }

    convenience init(lines: [String], secrets: [String?] = []) {
        self.init(lines.map(LineResult.line), secrets: secrets)
    }

    /// Everything that was posted.
    var shown: [String] { state.withLock { $0.shown } }
    /// The prompts of all reads, without colours.
    var prompts: [String] { state.withLock { $0.prompts } }
    var remembered: [String] { state.withLock { $0.remembered } }
    var isClosed: Bool { state.withLock { $0.closed } }

    func readLine(prompt: Prompt) throws -> LineResult {
        state.withLock { state in
            state.prompts.append(prompt.text)
            return state.closed || state.results.isEmpty ? .endOfFile : state.results.removeFirst()
        }
    }

    func post(_ lines: [String]) {
        state.withLock { $0.shown += lines }
    }

    func readSecret(prompt: String) throws -> String? {
        state.withLock { state in
            state.prompts.append(prompt)
            return state.secrets.isEmpty ? nil : state.secrets.removeFirst()
        }
    }

    func remember(_ command: String) {
        state.withLock { $0.remembered.append(command) }
    }

    func discardPendingLines() {
        state.withLock { state in
            // What was pasted is part of the script of a test: nothing to tell apart.
            state.prompts.append("(discarded)")
        }
    }

    func close() {
        state.withLock { $0.closed = true }
    }
}
