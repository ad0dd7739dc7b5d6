import Foundation
import IMRepl

@main
struct IMReplMain {
    static func main() async {
        // The process is prepared before the first suspension, because other threads open file descriptors after it.
        ProgramRun.prepare()
        let arguments = CommandLine.arguments
        // On Linux, Swift reads the arguments from /proc. If it cannot, every command line would look empty and open
        // the prompt.
        guard !arguments.isEmpty else {
            FileHandle.standardError.write(Data("error: cannot read the arguments: /proc is not mounted\n".utf8))
            exit(1)
        }
        await ProgramRun.main(Array(arguments.dropFirst()))
    }
}
