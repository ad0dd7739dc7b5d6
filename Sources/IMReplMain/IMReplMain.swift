import Foundation
import IMRepl

@main
struct IMReplMain {
    static func main() async {
        // Before the first suspension: other threads take descriptors of their own.
        ProgramRun.prepare()
        let arguments = CommandLine.arguments
        // On Linux, Swift reads them from /proc. Without them each command would open an empty shell.
        guard !arguments.isEmpty else {
            FileHandle.standardError.write(Data("error: cannot read the arguments: /proc is not mounted\n".utf8))
            exit(1)
        }
        await ProgramRun.main(Array(arguments.dropFirst()))
    }
}
