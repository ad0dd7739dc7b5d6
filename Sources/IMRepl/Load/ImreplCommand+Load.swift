import ArgumentParser
import IMProtocol
import IMShell

extension ImreplCommand {
    struct Load: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.load.rawValue, abstract: TerminalCommand.load.abstract,
            discussion: """
                EXAMPLES:
                  imrepl load --connect ws://127.0.0.1:7000 --clients 500 --rate 200
                  imrepl load --connect ws://127.0.0.1:7000 --clients 5000 --rate 0 --seconds 60
                  imrepl load --connect ws://127.0.0.1:7000 --clients 10 --rate 50 --json

                The clients connect, log in as load-0, load-1 and so on, each on its own device, and send messages \
                to each other at the total rate. The server must admit users without a credential, and this number \
                of connections from one address (imrepl serve --connections-per-address). The command connects only \
                to the URL. Exit codes: 0 no failure, 1 a failure, 3 the server was not reached.
                """)

        @OptionGroup var serverOption: ServerOption

        @Option(
            help: ArgumentHelp("The number of clients.", valueName: "number"),
            transform: WholeNumber.in(1...LoadRequest.clientsMax))
        var clients = 100

        @Option(
            help: ArgumentHelp("Messages a second, of all clients together; 0 sends none.", valueName: "number"),
            transform: WholeNumber.in(0...LoadRequest.rateMax, "messages a second"))
        var rate = 100

        @Option(
            help: ArgumentHelp("The duration of sending.", valueName: "number"),
            transform: WholeNumber.in(1...LoadRequest.secondsMax, "seconds"))
        var seconds = 10

        @Option(
            help: ArgumentHelp("The size of a message's text in bytes.", valueName: "bytes"),
            transform: WholeNumber.in(1...ProtocolLimit.textBytesMax, "bytes"))
        var size = 100

        @OptionGroup var jsonOption: JSONOption

        @OptionGroup var profileOption: ProfileOption
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard let connect = serverOption.connect else {
                throw ValidationError("--connect is missing: ws://host:port or wss://host:port")
            }
            try ServerOption.requireURL(connect)
            if serverOption.tlsCa != nil, !connect.hasPrefix("wss://") {
                throw ValidationError("--tls-ca needs --connect wss://host:port")
            }
            guard profileOption.profiles.count <= 1 else { throw ValidationError("a load needs exactly one --profile") }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.load(
                LoadRequest(
                    url: serverOption.connect ?? "", profile: profileOption.profiles.last ?? WorldPlan.defaultProfile,
                    clients: clients,
                    rate: rate, seconds: seconds, textBytes: size, trustedCertificates: serverOption.tlsCa,
                    asJSON: jsonOption.json,
                    settings: common.settings))
        }
    }
}
