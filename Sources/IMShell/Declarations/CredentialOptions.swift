import ArgumentParser

/// The options with which a command gets a token or a password.
struct CredentialOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The token itself; the line is then not stored in the history.", valueName: "token"))
    var token: TextArgument?

    @Option(help: ArgumentHelp("A file whose first line is the token.", valueName: "file"))
    var tokenFile: TextArgument?

    @Option(name: .customLong("token-env"), help: ArgumentHelp("An environment variable.", valueName: "name"))
    var tokenEnvironment: NameArgument?

    @Option(help: ArgumentHelp("A file whose first line is the password.", valueName: "file"))
    var passwordFile: TextArgument?

    func validate() throws {
        let given = [token != nil, tokenFile != nil, tokenEnvironment != nil, passwordFile != nil]
        guard given.count(where: { $0 }) <= 1 else {
            throw ValidationError("only one of --token, --token-file, --token-env and --password-file can be given")
        }
    }

    var source: CredentialSource {
        if let token { return .token(InlineSecret(token.value)) }
        if let tokenFile { return .tokenFile(tokenFile.value) }
        if let tokenEnvironment { return .tokenEnvironment(tokenEnvironment.value) }
        if let passwordFile { return .passwordFile(passwordFile.value) }
        return .provisioned
    }
}
