import ArgumentParser
import IMDebugger
import IMLive
import IMSession
import IMShell
import IMText

/// A parsed command line, ready to run.
protocol CommandLineAction: ParsableCommand {
    func perform(_ entry: any Entry) async throws -> Outcome
}

/// The program's command line.
struct ImreplCommand: CommandLineAction {
    static let configuration = CommandConfiguration(
        commandName: "imrepl",
        abstract: "Run IM clients and a server, record their events, and replay them.",
        discussion: """
            EXAMPLES:
              imrepl --profile nim                      the prompt
              imrepl -c 'login alice' -c 'query state'  run two lines and exit
              imrepl run scenario.imr user=alice        a script
              imrepl test sessions                      every script in a folder
              imrepl show last --filter 'kind == frame'
              imrepl why last                           the causes of its end
              imrepl replay last                        step through it
              imrepl help login                         a command of the prompt
              imrepl help scripts                       also profiles, rules, filter, json

            Without a subcommand it shows a prompt on a terminal, or runs lines from a pipe as they arrive. 'run' uses \
            virtual time, except with --world live, --connect or --time-scale.
            Exit codes: 0 ok, 1 failed, 2 usage, 3 environment, 4 replay diverged, 5 session unreadable, 70 internal, \
            124 watchdog; ended by a signal: 129 hang-up, 130 interrupt, 131 quit, 141 the output has no reader, \
            143 termination.
            """,
        version: Version.number,
        subcommands: [
            Run.self, Test.self, Serve.self, Load.self, Sessions.self, Import.self, Check.self, Follow.self,
            Reproduce.self, Fit.self, Verify.self, Replay.self, Show.self, Why.self, WhyNot.self,
            Diff.self,
            Export.self,
            Report.self, Redact.self, Wireshark.self, Shrink.self, Odds.self, Vary.self, Rehearse.self, App.self,
            Token.self, MCP.self,
        ])

    @OptionGroup var world: WorldOptions
    @OptionGroup var common: CommonOptions

    func perform(_ entry: any Entry) async throws -> Outcome {
        try await entry.interactive(world.settings(common), lines: world.commands)
    }
}

extension ImreplCommand {
    struct Run: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.run.rawValue, abstract: TerminalCommand.run.abstract,
            discussion:
                "EXAMPLES:\n  imrepl run scenario.imr\n  imrepl run scenario.imr user=bob --world live --time-scale 20")

        @Argument(help: "The script; '-' for the standard input.")
        var file: String

        @Argument(help: ArgumentHelp("Variables for the script.", valueName: "name=value"))
        var variables: [VariableArgument] = []

        @OptionGroup var world: WorldOptions
        @OptionGroup var common: CommonOptions

        func validate() throws {
            guard world.commands.isEmpty else { throw ValidationError("-c and a script cannot both be given") }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            let settings = world.settings(common)
            return try await entry.run(RunRequest(file: file, variables: variables.map(\.pair), settings: settings))
        }
    }

    struct Test: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.test.rawValue, abstract: TerminalCommand.test.abstract,
            discussion: """
                EXAMPLES:
                  imrepl test sessions
                  imrepl test sessions/kick.imr --junit out.xml

                With --junit, the session of each failed test and a page of it are stored beside the report, for CI. \
                Otherwise the session is stored in the folder for temporary files.
                """)

        @Argument(help: "Scripts and folders.")
        var paths: [String]

        @Flag(help: "Replace the expected recordings by the new ones.")
        var update = false

        @Option(help: ArgumentHelp("Also write a report in JUnit format.", valueName: "file"))
        var junit: String?

        @OptionGroup var play: PlayOptions
        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            var settings = play.settings(common)
            settings.asJSON = jsonOption.json
            return try await entry.test(
                TestRequest(paths: paths, updates: update, junitFile: junit, settings: settings))
        }
    }

    struct Serve: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.serve.rawValue, abstract: TerminalCommand.serve.abstract,
            discussion: """
                EXAMPLES:
                  imrepl serve --listen 127.0.0.1:7000
                  imrepl serve --profile nim --data here

                One address serves an application for each profile. Clients choose one by the path of the URL, such as \
                ws://127.0.0.1:7000/nim; imrepl --connect does so by itself. With --data the server stores accounts, \
                devices, undelivered kicks and messages, and the key that signs its tokens.

                A request with an Origin comes from a page in a browser. It is refused unless the page comes from this \
                server's own address, or --allow-origin contains its origin. The Host must be an address that the \
                server listens on (localhost for a loopback address), or be given with --allow-host, for example for \
                a server behind a name or a proxy.

                If its data or its recording cannot be written, for example on a full disk, the server rejects logins \
                until they can be written again.
                """)

        @Option(
            help: ArgumentHelp(
                "The address to listen on; port 0 lets the system choose a port.", valueName: "host:port"))
        var listen = ListenAddress(host: "127.0.0.1", port: 7000)

        @Option(help: ArgumentHelp("The TLS certificate chain, PEM.", valueName: "file"))
        var tlsCert: String?

        @Option(help: ArgumentHelp("The key of the certificate, PEM.", valueName: "file"))
        var tlsKey: String?

        @OptionGroup var strictOption: StrictOption
        @OptionGroup var profileOption: ProfileOption
        @OptionGroup var recordOption: RecordOption
        @OptionGroup var forceOption: ForceOption

        @Option(help: ArgumentHelp("If the recording cannot be written: stop, or go-on without it.", valueName: "what"))
        var unrecorded: Unrecorded?

        @Option(
            help: ArgumentHelp("Maximum number of connections.", valueName: "number"),
            transform: WholeNumber.in(1...1_000_000))
        var connections = 10_000

        @Option(
            help: ArgumentHelp("Maximum number of connections from one address.", valueName: "number"),
            transform: WholeNumber.in(1...1_000_000))
        var connectionsPerAddress = 1_000

        @Option(
            help: ArgumentHelp(
                "An origin whose pages may connect, such as https://app.example. Can be repeated.", valueName: "origin")
        )
        var allowOrigin: [String] = []

        @Option(
            help: ArgumentHelp(
                "A host that URLs may contain besides the server's addresses. Can be repeated.", valueName: "host"))
        var allowHost: [String] = []

        @OptionGroup var common: CommonOptions

        enum Unrecorded: String, ExpressibleByArgument, CaseIterable {
            case stop
            case goOn = "go-on"
        }

        func validate() throws {
            guard unrecorded == nil || recordOption.record != nil else {
                throw ValidationError("--unrecorded needs --record")
            }
            guard (tlsCert == nil) == (tlsKey == nil) else {
                throw ValidationError("--tls-cert and --tls-key belong together")
            }
            guard recordOption.record == nil || profileOption.profiles.count == 1 else {
                throw ValidationError("--record needs exactly one --profile: a recording contains one application")
            }
        }

        func perform(_ entry: any Entry) async throws -> Outcome {
            var tls: ServeRequest.TLSFiles?
            if let tlsCert, let tlsKey { tls = .init(certificate: tlsCert, key: tlsKey) }
            return try await entry.serve(
                ServeRequest(
                    host: listen.host, port: listen.port, tls: tls, profiles: profileOption.profiles,
                    record: recordOption.record, isStrict: strictOption.strict,
                    continuesUnrecorded: unrecorded == .goOn,
                    connectionsMax: connections, connectionsPerAddressMax: connectionsPerAddress,
                    allowedOrigins: allowOrigin, allowedHosts: allowHost,
                    settings: common.settings, overwritesRecord: forceOption.force))
        }
    }
}

/// A variable of a script: `name=value` after the script's name.
struct VariableArgument: ExpressibleByArgument {
    var pair: KeyValue

    init?(argument: String) {
        guard let equals = argument.firstIndex(of: "=") else { return nil }
        let name = String(argument[..<equals])
        guard Lexer.isVariableName(name) else { return nil }
        pair = KeyValue(key: name, value: String(argument[argument.index(after: equals)...]))
    }
}

/// An address to listen on: `host:port` or `[::1]:port`.
struct ListenAddress: ExpressibleByArgument, CustomStringConvertible {
    var host: String
    var port: Int

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// A number alone, such as `7000`, is a port on this machine.
    init?(argument: String) {
        if let port = UInt16(argument) {
            self.init(host: "127.0.0.1", port: Int(port))
            return
        }
        guard let colon = argument.lastIndex(of: ":"), let port = UInt16(argument[argument.index(after: colon)...])
        else {
            return nil
        }
        var host = String(argument[..<colon])
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        guard !host.isEmpty else { return nil }
        self.init(host: host, port: Int(port))
    }

    var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
