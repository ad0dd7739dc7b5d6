import IMRepl

@main
struct IMReplMain {
    static func main() async { await ProgramRun.main(Array(CommandLine.arguments.dropFirst())) }
}
