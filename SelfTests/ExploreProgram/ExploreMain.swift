import ArgumentParser
import IMRepl
import IMShell

/// A command of this program.
protocol ExploreAction: ParsableCommand {
    func perform() async throws -> Outcome
}

@main
struct ExploreMain {
    static func main() async {
        ProgramRun.prepare()
        let arguments = Array(CommandLine.arguments.dropFirst())
        // `run` and `test` run scripts as in imrepl, and also check the rules.
        if ["run", "test"].contains(arguments.first) {
            await ProgramRun.main(arguments, checkers: { CheckerRules($0) })
        }
        ProgramRun.end(await outcome(of: arguments))
    }

    private static func outcome(of arguments: [String]) async -> Outcome {
        let parsed: any ParsableCommand
        do {
            parsed = try ExploreCommand.parseAsRoot(arguments)
        } catch {
            return printError(error)
        }
        do {
            if let action = parsed as? any ExploreAction { return try await action.perform() }
            // The commands of the argument parser, such as its help, throw the text that they print.
            var other = parsed
            try other.run()
            return .usage
        } catch let failure as ShellError {
            ProgramRun.showError("imrepl-explore: \(failure.message)")
            return Outcome(failure.reason)
        } catch {
            return printError(error)
        }
    }

    /// Prints the text of the parser. Help and version are not errors.
    private static func printError(_ error: any Error) -> Outcome {
        let text = ExploreCommand.fullMessage(for: error, columns: 80)
        guard ExploreCommand.exitCode(for: error) != .success else {
            ProgramRun.show(text)
            return .ok
        }
        ProgramRun.showError(text.hasPrefix("Error: ") ? "imrepl-explore: " + text.dropFirst(7) : text)
        return ExploreCommand.exitCode(for: error) == .validationFailure ? .usage : .internalError
    }
}
