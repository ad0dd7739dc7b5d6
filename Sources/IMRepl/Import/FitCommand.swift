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

                Each line shows a setting of 'client policy' with the number of observations, the interval that contains \
                it with a probability of 90 %, and the value of the profile. A value is printed if its interval is within \
                15 % of it. Delays need lines for attempts. Heartbeats need frames, or several connections that went silent.
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
        let fit = NumberFit(log, usual: dialect?.clientPolicy)
        for number in fit.numbers {
            let setting = ClientPolicy.setting(named: number.key)
            let usual = dialect.flatMap { dialect in setting?.text(dialect.clientPolicy) } ?? ""
            if let rows = output.rows {
                rows([
                    ("number", .text(number.key)), ("value", .text(number.shown ?? "")),
                    ("estimate", .text(number.value)), ("observations", .number(number.count)),
                    ("low", .text(number.low)), ("high", .text(number.high)), ("profile", .text(usual)),
                ])
            } else if let shown = number.shown {
                output.line("\(number.key)=\(shown)  (\(Self.basis(number, dialect?.profile, usual)))")
            }
        }
        guard output.rows == nil else { return .ok }
        for key in fit.missingKeys {
            let number = fit.numbers.first { $0.key == key }
            let basis = number.map { "  (\(Self.basis($0, nil, "")))" } ?? ""
            output.line("\(key): not shown by this log\(basis)")
        }
        return .ok
    }

    /// The observations of an estimate: `4 observed, 1980 to 2020; nim: 2000`.
    private static func basis(_ number: NumberFit.Number, _ profile: String?, _ usual: String) -> String {
        let (lows, highs) = (number.low.split(separator: ","), number.high.split(separator: ","))
        let bounds = zip(lows, highs).map { "\($0) to \($1)" }.joined(separator: ", ")
        let interval = bounds.isEmpty ? "" : ", \(bounds)"
        return "\(number.count) observed\(interval)" + (usual.isEmpty ? "" : "; \(profile ?? ""): \(usual)")
    }
}
