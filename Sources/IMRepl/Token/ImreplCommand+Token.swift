import ArgumentParser
import IMShell

extension ImreplCommand {
    struct Token: CommandLineAction {
        static let configuration = CommandConfiguration(
            commandName: TerminalCommand.token.rawValue, abstract: TerminalCommand.token.abstract,
            discussion: """
                EXAMPLES:
                  pbpaste | imrepl token                            a token from the clipboard (Linux: xclip -o)
                  imrepl token token.txt --app-id 970ca35d... --user alice
                  imrepl token token.txt --secret secret.txt        also check the signature
                  imrepl token token.txt --session kick.pcapng      was it valid when the app logged in?

                Kinds: Agora 007 and 006, ZEGO 04 and 03, Easemob (YWMt and dynamic), NIM dynamic, JWT, Tencent UserSig.

                SECURITY: a token lets its reader log in until it expires. The command reads it from a file or from the \
                standard input, never from an argument, because other users of the machine can see arguments. It prints \
                neither the token nor the secret, stores nothing and sends nothing.
                Exit codes: 0 no mistake found, 1 not a token, a wrong signature or another mistake, 2 usage, 3 a file \
                cannot be read, 5 the session cannot be read.
                """)

        @Argument(help: ArgumentHelp("The file with the token; '-' or none is the standard input.", valueName: "file"))
        var files: [String] = []

        @Option(
            help: ArgumentHelp("A file with your secret: certificate, ServerSecret, app secret.", valueName: "file"))
        var secret: String?

        @Option(help: ArgumentHelp("The expected app id or app key.", valueName: "id"))
        var appId: String?

        @Option(help: ArgumentHelp("The expected user.", valueName: "user"))
        var user: String?

        @Option(help: ArgumentHelp("The expected channel.", valueName: "channel"))
        var channel: String?

        @Option(help: ArgumentHelp("The client id of an Easemob app; its dynamic token needs it.", valueName: "id"))
        var clientId: String?

        @Option(help: ArgumentHelp("A recording or 'last', whose login times are compared.", valueName: "file"))
        var session: String?

        @OptionGroup var jsonOption: JSONOption
        @OptionGroup var common: CommonOptions

        func perform(_ entry: any Entry) async throws -> Outcome {
            try await entry.token(
                TokenRequest(
                    files: files, secretFile: secret, app: appId, user: user, channel: channel, clientID: clientId,
                    session: session, settings: common.settings(jsonOption)))
        }
    }
}

struct TokenRequest: Equatable, Sendable {
    /// One file at most; `-` or none is the standard input.
    var files: [String]
    var secretFile: String?
    /// The app id, the user, the channel and the client id to compare with.
    var app: String?
    var user: String?
    var channel: String?
    var clientID: String?
    /// A recording whose logins are compared.
    var session: String?
    var settings: CommonSettings
}
