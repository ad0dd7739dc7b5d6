import Foundation
import IMShell
import IMText
import LineEditing

/// The life of a process: its streams, its signals, one command line, its end.
package enum ProgramRun {
    /// Runs `imrepl` with the arguments after its name, in a process that ``prepare()`` has prepared.
    ///
    /// - Parameter checkers: what `check rules` uses in scripts; nil for none.
    package static func main(_ arguments: [String], checkers: RuleCheckers? = nil) async -> Never {
        let start = ProgramStart(arguments: arguments)
        end(await start.perform(Program(checkers: checkers), out: show, error: showError))
    }

    /// Prepares the process before anything else happens in it: the first thing that `main` does, and on its thread.
    package static func prepare() {
        StandardStream.openAll()
        // Below this number not even a signal can be handled.
        if let shortage = FileLimit.shortage {
            showError("imrepl: \(shortage)")
            endProcess(.environment)
        }
        Signals.endOnSignals()
    }

    /// Where answers go.
    package static var output: any ShellOutput { TerminalOutput(colour: false) }

    /// Has something done at ^C, instead of the end of the process.
    package static func onInterrupt(_ action: @escaping @Sendable () -> Void) { Signals.onInterrupt(action) }

    /// Ends the process when everything is written.
    package static func end(_ outcome: Outcome) -> Never {
        LineQueue.standard.drain()
        endProcess(outcome)
    }

    // What was typed is said again in errors; a terminal obeys nothing of it.

    /// Writes to the standard output.
    @Sendable package static func show(_ text: String) { StandardStream.out.line(TerminalText.quoted(text)) }

    /// Writes to the standard error.
    @Sendable package static func showError(_ text: String) { StandardStream.error.line(TerminalText.quoted(text)) }
}
