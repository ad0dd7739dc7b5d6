import ArgumentParser
import IMClient
import IMLogs
import IMProfiles
import IMShell

extension ImreplCommand {
    struct Fit: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.fit.rawValue, abstract: TerminalCommand.fit.abstract,
            discussion: """
                EXAMPLES:
                  imrepl fit easemob.log
                  imrepl fit app.log --profile nim --json

                Each line shows a setting of 'client policy' with its median, the number of observations, and the \
                value of the profile. Delays need lines for attempts. Heartbeats need frames, or several \
                connections that went silent. Settings that the log does not show are omitted.
                """)

        @Argument(help: "The log, a text file.")
        var file: String

        @OptionGroup var log: LogOptionGroup
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.fit(LogRequest(file, log, common.settings(jsonOption)))
        }
    }
}

extension Program {
    func fit(_ request: LogRequest) async throws -> Outcome {
        let output = self.output(request.settings)
        let log = try LogFile.readEvents(request.file, formats: request.formats, profile: request.profile)
        let dialect = log.profile.flatMap { Dialects.named($0) }
        let numbers = NumberFit(log, usual: dialect?.clientPolicy).numbers
        for number in numbers {
            let setting = ClientSetting.named(number.key)
            let usual = dialect.flatMap { dialect in setting?.text(dialect.clientPolicy) } ?? ""
            if let rows = output.rows {
                rows([
                    ("number", .text(number.key)), ("value", .text(number.value)),
                    ("observations", .number(number.count)), ("least", .number(Int(number.least))),
                    ("most", .number(Int(number.most))), ("profile", .text(usual)),
                ])
            } else {
                let profile = usual.isEmpty ? "" : "; \(dialect?.profile ?? ""): \(usual)"
                output.line(
                    "\(number.key)=\(number.value)  (\(number.count) observed, \(number.least) to \(number.most)\(profile))"
                )
            }
        }
        if numbers.isEmpty, output.rows == nil { output.line("the log shows no setting of a client's policy") }
        return .ok
    }
}
