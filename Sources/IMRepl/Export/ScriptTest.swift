import IMScript

/// A scenario inside a test: a script, played in the simulated world as `imrepl test` does.
struct ScriptTest {
    private let script: Script

    /// - Throws: ``EntryError`` that says what is wrong with the script.
    init(_ text: String, named name: String) throws {
        script = try ScriptFile.parse(Array(text.utf8), named: name, origin: .file, variables: [])
    }

    /// Where and why a scenario fails.
    struct Failure: Equatable, Sendable, CustomStringConvertible {
        /// Counted from 1.
        var line: Int
        var statement: String
        var reason: String

        var description: String { "\(statement)\n\(reason)" }
    }

    /// Plays it to its end, or to the first line that fails.
    ///
    /// - Returns: nil when everything was as expected.
    func failure() throws -> Failure? {
        let settings = WorldSettings(
            profile: nil, world: nil, connect: nil, seed: nil, timeScale: nil, recording: .off, isStrict: false,
            epochNanoseconds: nil, readsRC: false, watchdog: nil,
            common: CommonSettings(color: .never, dataFolder: nil))
        let plan = try WorldPlan(
            settings, head: script.metadata, defaultKind: .simulated, isScripted: true,
            title: script.metadata.title ?? script.name)
        let shell = try Shell(plan, recording: .off, output: .silent, isInteractive: false)
        defer { try? shell.close() }
        for statement in script.statements {
            do {
                try ScriptRunner.execute(statement, in: shell)
            } catch let failure as CommandFailure {
                return Failure(statement, failure.message)
            } catch let error as Diagnostic {
                return Failure(statement, error.rendered(in: script.source))
            }
            if shell.exitRequest.requested { break }
        }
        return nil
    }
}

extension ScriptTest.Failure {
    fileprivate init(_ statement: Statement, _ reason: String) {
        self.init(
            line: statement.position.line, statement: Secrets.redacted(statement.source), reason: reason)
    }
}
