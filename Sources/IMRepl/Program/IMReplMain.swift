import Foundation

@main
struct IMReplMain {
    static func main() async {
        StandardStream.openAll()
        Signals.endOnSignals()
        let start = ProgramStart(arguments: Array(CommandLine.arguments.dropFirst()))
        let outcome = await start.perform(
            Program(), out: StandardStream.out.line, error: StandardStream.error.line)
        exit(outcome.rawValue)
    }
}
