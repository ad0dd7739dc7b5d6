import IMDebugger
import IMShell
import IMText
import Recorder

extension Program {
    func why(_ request: WhyRequest) async throws -> Outcome {
        try await ask(request) { session in
            let event = try request.about.map(session.debug.event(named:)) ?? session.debug.eventToExplain()
            try session.explanations.explain(event)
        }
    }

    func whyNot(_ request: WhyRequest) async throws -> Outcome {
        try await ask(request) { session in
            try session.explanations.explainWhyNot(ReplayCondition(request.about ?? ""), node: nil)
        }
    }

    /// Opens a recording or a log, and runs `question` with a replay at its last event.
    private func ask(
        _ request: WhyRequest, _ question: @escaping @Sendable (ReplaySession) throws -> Void
    ) async throws -> Outcome {
        try await onOwnThread {
            let path = try RecordingFiles(dataFolder: request.settings.dataFolder).find(request.file)
            let (reader, _) = try LogFile.openSession(path, formats: request.formats, profile: request.profile)
            let session = try ReplaySession(reader, path: path, output: output(request.settings))
            if session.output.form == .text { session.printBehaviourNotice(path) }
            return try ending(output(request.settings)) { output in
                do {
                    try session.debug.move(to: session.count)
                    try question(session)
                    return .ok
                } catch let error as DebuggerError {
                    output.error(output.form == .json ? "\(error)" : "imrepl: \(error)")
                    return .failed
                } catch let error as FilterError {
                    throw ShellError(message: error.text, reason: .usage)
                } catch let error as SessionError {
                    throw ShellError(message: "\(path): \(error)", reason: .unreadable)
                }
            }
        }
    }
}
