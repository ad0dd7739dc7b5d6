import Testing

@testable import IMRepl
@testable import IMShell

/// The examples in the shell's help have the effects that their texts describe.
@Suite struct HelpExampleTests {
    @Test func playsTheFirstSession() throws {
        let typed = HelpText.firstSession.dropLast().map { "\($0)\nwait 1s" }
        let printed = try Played.lines(typed.joined(separator: "\n"))
        #expect(printed.contains { $0.contains("phone   callback onKick") })
        #expect(printed.contains { $0.contains("pad     callback onKick") })
        #expect(printed.contains { $0.contains("phone   state online → reconnecting") })
        #expect(printed.contains { $0.contains("phone   state reconnecting → ") })
    }

    @Test func playsTheExampleOfAScript() throws {
        let printed = try Played.lines(HelpText.scriptExample.joined(separator: "\n"), origin: .file)
        #expect(printed.contains { $0.contains("phone   callback onKick") })
    }

    @Test func namesEveryCommandOfTheTerminal() throws {
        let text = try HelpText(table: .shell).text(for: ["recordings"])
        let declared = ImreplCommand.configuration.subcommands.compactMap { $0.configuration.commandName }
        #expect(TerminalCommand.names == declared)
        for name in TerminalCommand.names { #expect(text.contains("\n  \(name) "), "\(name)") }
    }
}
