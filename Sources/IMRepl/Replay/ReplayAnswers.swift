import LineEditing
import Recorder

/// What TAB gives at the replay prompt.
struct ReplayAnswers: @unchecked Sendable {
    /// Only read, and only by the thread that reads the line, which is the replay's.
    let session: ReplaySession

    func complete(_ line: String, _ cursor: Int) -> LineEditing.Completion {
        let partial = PartialLine(line, cursor: cursor)
        guard !partial.isComment else { return .none(at: cursor) }
        let candidates: [LineEditing.Completion.Candidate]
        if let name = partial.words.first {
            guard let command = ReplayCommands.named(name) else { return .none(at: cursor) }
            candidates = arguments(of: command, behind: Array(partial.words.dropFirst()), partial: partial)
        } else {
            candidates = ReplayCommands.all.map { .init($0.name, help: $0.summary) }.sorted { $0.text < $1.text }
        }
        return Completion(
            replaceFrom: partial.currentStart, candidates: candidates.filter { $0.text.hasPrefix(partial.current) })
    }

    private func arguments(
        of command: ReplayCommand, behind words: [String], partial: PartialLine
    ) -> [LineEditing.Completion.Candidate] {
        if partial.current.hasPrefix("--") { return command.options.sorted().map { .init($0) } }
        guard !command.arguments.isEmpty else { return [] }
        let count = words.filter { !$0.hasPrefix("--") }.count
        switch command.arguments[min(count, command.arguments.count - 1)] {
        case .place:
            let marks = ((try? session.marks()) ?? []).map { "mark:\($0.text)".quotedIfNeeded }
            return (["begin", "end"] + marks).map { .init($0) }
                + [.init("t=", help: "a moment, such as t=12.5s", complete: false)]
        case .node: return session.nodeNames.map { .init($0) }
        case .kind: return ReplayCommands.kinds.map { .init($0) }
        case .command: return ReplayCommands.all.map { .init($0.name, help: $0.summary) }
        case .words(let words): return words.map { .init($0) }
        case .path, .filter, .none: return []
        }
    }
}
