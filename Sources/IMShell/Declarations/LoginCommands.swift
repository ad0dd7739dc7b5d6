import ArgumentParser
import IMClient

struct LoginCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in a user manually.",
        discussion: Discussion.examples(
            "login alice", "@phone login alice --token-file alice.token", "login alice --offline",
            "login alice --ttl 1m", "login alice --user-name 'Alice Green'",
            notes: """
                The embedded world creates the account and its token when a name is first used, unless imrepl was \
                started with --strict. The command returns at once; 'expect state online within 5s' waits.
                With --user-name (ZIMLoginConfig.userName) the server changes the user's name with this login, and \
                others see it. Without it the name does not change. A reconnect does not send it again.
                """))

    @Argument(help: "The account.")
    var user: NameArgument

    @OptionGroup var credentials: CredentialOptions

    @Flag(help: "Log in with local data only, without a network.")
    var offline = false

    @Option(help: ArgumentHelp("Create a token with this lifetime, in the embedded world.", valueName: "duration"))
    var ttl: DurationArgument?

    @Option(help: ArgumentHelp("The new name of the user; ZIM only.", valueName: "text"))
    var userName: TextArgument?

    func validate() throws {
        guard ttl == nil || credentials.source == .provisioned else {
            throw ValidationError("--ttl creates a token, so no token can be given")
        }
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let call = LoginCall(
            user: user.value, mode: offline ? .offline : .manual, userName: userName?.value ?? "")
        let request = LoginArguments(call: call, credential: credentials.source, timeToLive: ttl?.interval)
        try shell.login(request, client: client)
    }
}

struct AutologinCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "autologin",
        abstract: "Log in as an app does when it starts.",
        discussion: Discussion.examples(
            "autologin alice", "@pad autologin alice --forced",
            notes: """
                It opens local data at once and retries. With --forced it kicks another device; otherwise it is \
                refused. In NIM V2, which has one login call, 'autologin --forced' is a login with forceMode.
                """))

    @Argument(help: "The account of the last login.")
    var user: NameArgument

    @OptionGroup var credentials: CredentialOptions

    @Flag(help: "Kick a device that excludes this one.")
    var forced = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let call = LoginCall(user: user.value, mode: forced ? .forced : .automatic)
        try shell.login(LoginArguments(call: call, credential: credentials.source), client: client)
    }
}

struct LogoutCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "logout",
        abstract: "Log out.",
        discussion: Discussion.examples("logout", "@phone logout --keep-push"))

    @Flag(help: "Leave push bound; this also works without a network.")
    var keepPush = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.logout(keepsPush: keepPush, client: client)
    }
}

struct RenewTokenCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "renew-token",
        abstract: "Give the client a new token.",
        discussion: Discussion.examples("renew-token", "@phone renew-token --token-file new.token"))

    @OptionGroup var credentials: CredentialOptions

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.renewToken(credentials.source, client: client)
    }
}
