import Foundation
import IMShell
import IMText
import LineEditing

/// Runs the process of `imrepl`: its streams, its signals, one command line, its end.
package enum ProgramRun {
    /// Runs `imrepl` with the arguments after its name, in a process that ``prepare()`` has prepared.
    ///
    /// - Parameter checkers: the checkers of `check rules` in scripts; nil for none.
    package static func main(_ arguments: [String], checkers: RuleCheckers? = nil) async -> Never {
        let start = ProgramStart(arguments: arguments)
        end(await start.perform(Program(checkers: checkers), out: show, error: showError))
    }

    /// Prepares the process. It must be the first call of `main`, on its thread.
    package static func prepare() {
        StandardStream.openAll()
        // With too few files, the process cannot even handle signals.
        if let limitError = FileLimit.limitError {
            showError("imrepl: \(limitError)")
            endProcess(.environment)
        }
        Signals.endOnSignals()
    }

    /// The output for answers.
    package static var output: any ShellOutput { TerminalOutput(colour: false) }

    /// Registers an action for ^C, instead of the end of the process.
    package static func onInterrupt(_ action: @escaping @Sendable () -> Void) { Signals.onInterrupt(action) }

    /// Ends the process after all queued output is written.
    package static func end(_ outcome: Outcome) -> Never {
        LineQueue.standard.drain()
        endProcess(outcome)
    }

    // Errors repeat the user's input; control characters in it have no effect on a terminal.

    /// Writes to the standard output.
    @Sendable package static func show(_ text: String) { StandardStream.out.line(TerminalText.quoted(text)) }

    /// Writes to the standard error.
    @Sendable package static func showError(_ text: String) { StandardStream.error.line(TerminalText.quoted(text)) }
}
