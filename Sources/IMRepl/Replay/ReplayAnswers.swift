import IMDebugger
import IMShell
import IMText
import LineEditing
import Recorder

/// The completions of the replay prompt.
struct ReplayAnswers: @unchecked Sendable {
    /// `@unchecked Sendable`: it is only read, by the thread that reads the line, which is also the thread of the
    /// replay.
    let session: ReplaySession

    func complete(_ line: String, _ cursor: Int) -> LineCompletion {
        if let fork = session.currentFork { return ShellAnswers(shell: fork.shell).complete(line, cursor) }
        let partial = PartialLine(line, cursor: cursor)
        guard !partial.isComment else { return .none(at: cursor) }
        let candidates: [LineCompletion.Candidate]
        if let name = partial.words.first {
            guard let command = ReplayCommands.named(name) else { return .none(at: cursor) }
            if case .filter? = command.arguments.first, !partial.current.hasPrefix("--") {
                return filter(line, cursor)
            }
            candidates = arguments(of: command, after: Array(partial.words.dropFirst()), partial: partial)
        } else {
            candidates = ReplayCommands.all.map { .init($0.name, help: $0.summary) }.sorted { $0.text < $1.text }
        }
        return LineCompletion(
            replaceFrom: partial.currentStart, candidates: candidates.filter { $0.text.hasPrefix(partial.current) })
    }

    private func arguments(
        of command: ReplayCommand, after words: [String], partial: PartialLine
    ) -> [LineCompletion.Candidate] {
        if partial.current.hasPrefix("--") { return command.options.sorted().map { .init($0) } }
        guard !command.arguments.isEmpty else { return [] }
        let count = words.filter { !$0.hasPrefix("--") }.count
        switch command.arguments[min(count, command.arguments.count - 1)] {
        case .position:
            let marks = ((try? session.debug.marks()) ?? []).map { "mark:\($0.text)".quotedIfNeeded }
            return (["begin", "end"] + marks).map { .init($0) }
                + [.init("t=", help: "a time, such as t=12.5s", isComplete: false)]
        case .node: return session.nodeNames.map { .init($0) }
        case .kind: return EventKind.searchable.map { .init($0) }
        case .command:
            let known = partial.current.isEmpty ? [] : HelpText.knownWords.map { LineCompletion.Candidate($0) }
            return ReplayCommands.all.map { .init($0.name, help: $0.summary) } + known
        case .words(let words): return words.map { .init($0) }
        case .path: return paths(partial.current)
        case .filter, .none: return []
        }
    }

    /// The completions within a filter, whose words are not those of commands.
    private func filter(_ line: String, _ cursor: Int) -> LineCompletion {
        let typed = String(decoding: line.utf8.prefix(cursor), as: UTF8.self).drop { $0 == " " }
        let text = typed.drop { $0 != " " }.drop { $0 == " " }
        let word = String(text.reversed().prefix { $0.isLetter || $0.isNumber || "-_.".contains($0) }.reversed())
        let candidates = FilterCompletion.candidates(for: String(text), nodes: session.nodeNames).map {
            LineCompletion.Candidate($0, help: FilterWord.named($0)?.help)
        }
        return LineCompletion(
            replaceFrom: cursor - word.utf8.count, candidates: candidates.filter { $0.text.hasPrefix(word) })
    }

    /// The paths of fields that begin with `text`, to the next level only.
    private func paths(_ text: String) -> [LineCompletion.Candidate] {
        guard let path = try? StatePath(text, in: session.debug), text.contains("."),
            let machine = try? session.timeline.state()[path.node], let tree = StateTree(machine)
        else { return session.nodeNames.map { .init($0 + ".", isComplete: false) } }
        let known = path.path.lastIndex(of: ".").map { path.path[..<$0] } ?? ""
        guard let value = tree[path: known] else { return [] }
        let head = ([session.reader.name(of: path.node)] + (known.isEmpty ? [] : [String(known)])).joined(
            separator: ".")
        let shown = value.displayed(known.split(separator: ".").last.map(String.init) ?? "")
        return shown.names.map { name in
            .init("\(head).\(name)", help: shown[name]?.isLeaf == true ? shown[name]?.line : nil)
        }
    }
}
