import ArgumentParser

struct QueryCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Ask the client what it knows.",
        discussion: Discussion.examples(
            "query state", "@pad query devices", "query devices --user alice --password-file alice.password",
            "query local messages"))

    @Argument(help: ArgumentHelp("What to ask for.", valueName: "what"))
    var subject: QuerySubject

    @Argument(help: ArgumentHelp("More of it, as the subject needs.", valueName: "argument"))
    var arguments: [TextArgument] = []

    @Option(help: "Ask from outside, as this user.")
    var user: NameArgument?

    @OptionGroup var credentials: CredentialOptions

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let request = QueryRequest(
            subject: subject, arguments: arguments.map(\.value), user: user?.value, credential: credentials.source)
        try shell.query(request, client: client)
    }
}
