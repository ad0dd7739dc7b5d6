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
                From a logged-in client, or with --user and a credential from outside where the profile has it. The \
                embedded world makes the credential itself when none is given.
                """))

    @Argument(help: "The device's id, or the client that runs on it.")
    var device: NameArgument?

    @Flag(help: "Every device of the account.")
    var all = false

    @Flag(help: "Every device but this one.")
    var otherDevices = false

    @Option(help: "Kick from outside, as this user.")
    var user: NameArgument?

    @OptionGroup var credentials: CredentialOptions

    func validate() throws {
        guard [device != nil, all, otherDevices].count(where: { $0 }) == 1 else {
            throw ValidationError("exactly one of a device, --all and --other-devices must be given")
        }
        guard !(otherDevices && user != nil) else {
            throw ValidationError("--other-devices needs a logged-in client; from outside there is --all")
        }
        guard user != nil || credentials.source == .provisioned else {
            throw ValidationError("a credential goes with --user: who is logged in needs none")
        }
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let target: KickRequest.Target = device.map { .device($0.value) } ?? (all ? .all : .otherDevices)
        let request = KickRequest(target: target, user: user?.value, credential: credentials.source)
        try shell.kick(request, client: client)
    }
}
