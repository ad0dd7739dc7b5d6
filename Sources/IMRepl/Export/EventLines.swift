/// `--as ndjson`: what `show --json` prints, from the same code.
struct EventLines {
    let session: ExportedSession

    init(_ session: ExportedSession) {
        self.session = session
    }

    func write(to target: ExportTarget) throws {
        let writer = Writer(target)
        let output = Output(colour: false) { writer.line($0) }
        try SessionPrinter(session.reader, path: session.path, output: output).print(asJSON: true)
        if let error = writer.error { throw error }
    }

    /// The printer knows no failing output: the first failure is kept, and thrown at the end.
    ///
    /// `@unchecked Sendable`: used by one thread, within one call.
    private final class Writer: @unchecked Sendable {
        private let target: ExportTarget
        private(set) var error: (any Error)?

        init(_ target: ExportTarget) {
            self.target = target
        }

        func line(_ text: String) {
            guard error == nil else { return }
            do { try target.line(text) } catch { self.error = error }
        }
    }
}
