import IMRepl

@main
struct IMReplMain {
    static func main() async {
        // Before the first suspension: other threads take descriptors of their own.
        ProgramRun.prepare()
        await ProgramRun.main(Array(CommandLine.arguments.dropFirst()))
    }
}
