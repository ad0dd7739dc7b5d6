import IMDebugger
import IMShell
import IMText

/// A replay whose commands come from a script, a pipe or a program.
final class ReplayTarget: ConversationTarget {
    private let session: ReplaySession
    private var forks = ForkChecker()

    init(_ session: ReplaySession) {
        self.session = session
        var object = AnswerObject(.begin)
        object.add("profile", session.dialect.profile)
        object.add("world", "recording")
        object.add("recording", session.path)
        session.output.object(object)
    }

    var output: any ShellOutput { session.output }
    var isOver: Bool { session.isOver }
    var continuesAfterFailure: Bool { output.form == .json }
    var lastEventNumber: UInt64 { 0 }

    func parse(_ text: String) throws -> [CheckedStatement] {
        guard let statement = try Statement.parse(text) else { return [] }
        let (checked, errors) = forks.check(statement)
        if let error = errors.first { throw error }
        return [checked]
    }

    func prepare(_ statements: [CheckedStatement]) throws {}

    func execute(_ checked: CheckedStatement) throws {
        try session.execute(checked)
        guard session.currentFork == nil, output.form == .json else { return }
        var object = AnswerObject(.position)
        object.add("n", number: session.position)
        object.add("count", number: session.count)
        object.add("t", number: try session.time().nanoseconds)
        object.add("node", try session.currentNode().map { session.reader.name(of: $0) })
        output.object(object)
    }

    /// True for an error that is not about the statement, such as a damaged recording.
    func isEnd(_ error: any Error) -> Bool { !(error is CommandFailure || error is Diagnostic) }

    func end(_ outcome: Outcome) throws -> Outcome {
        try session.endFork()
        output.end(outcome)
        return outcome
    }
}
