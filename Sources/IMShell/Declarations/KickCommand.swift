import ArgumentParser

struct KickCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "kick",
        abstract: "Kick devices of the account.",
        discussion: Discussion.examples(
            "kick d2", "@phone kick --other-devices", "kick phone --user alice",
            "kick --all --user alice --password-file alice.password",
            notes: """
                The client is logged in, or, where the profile allows it, --user and a credential kick without a \
                login. The embedded world creates the credential if none is given.
                """))

    @Argument(help: "The device's id, or the client that runs on it.")
    var device: NameArgument?

    @Flag(help: "Every device of the account.")
    var all = false

    @Flag(help: "Every other device.")
    var otherDevices = false

    @Option(help: "Kick without a login, as this user.")
    var user: NameArgument?

    @OptionGroup var credentials: CredentialOptions

    func validate() throws {
        guard [device != nil, all, otherDevices].count(where: { $0 }) == 1 else {
            throw ValidationError("exactly one of a device, --all and --other-devices must be given")
        }
        guard !(otherDevices && user != nil) else {
            throw ValidationError("--other-devices needs a logged-in client; without a login use --all")
        }
        guard user != nil || credentials.source == .provisioned else {
            throw ValidationError("a credential needs --user; a logged-in client needs no credential")
        }
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let target: KickRequest.Target = device.map { .device($0.value) } ?? (all ? .all : .otherDevices)
        let request = KickRequest(target: target, user: user?.value, credential: credentials.source)
        try shell.kick(request, client: client)
    }
}
