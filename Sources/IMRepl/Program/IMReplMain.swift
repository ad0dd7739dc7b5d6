import Foundation
import LineEditing
import TextDisplay

@main
struct IMReplMain {
    static func main() async {
        StandardStream.openAll()
        // Below this number not even a signal can be handled.
        if let shortage = FileLimit.shortage {
            StandardStream.error.line("imrepl: \(shortage)")
            endProcess(.environment)
        }
        Signals.endOnSignals()
        let start = ProgramStart(arguments: Array(CommandLine.arguments.dropFirst()))
        let outcome = await start.perform(
            // What was typed is said again in errors; a terminal obeys nothing of it.
            Program(), out: { @Sendable in StandardStream.out.line(TerminalText.quoted($0)) },
            error: { @Sendable in StandardStream.error.line(TerminalText.quoted($0)) })
        LineQueue.standard.drain()
        endProcess(outcome)
    }
}
