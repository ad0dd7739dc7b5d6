import ArgumentParser

// The commands of an administrator for an account's tokens, and for the server's answers to the account's requests.

extension ServerSideCommand.Account {
    struct Revoke: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Revoke all tokens of an account.",
            discussion: Discussion.examples(
                "server account revoke alice",
                notes: """
                    The server rejects every earlier token, as after a password change. The policy decides \
                    whether logins with such a token end at once, or when the client must send it again.
                    """))

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.revokeTokens(user.value))
        }
    }

    struct Forbid: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "forbid", abstract: "Answer every request of an account with 'forbidden'.",
            discussion: Discussion.examples(
                "server account forbid alice",
                notes: "Its logins stay; 'server account allow' ends this."))

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.refuseAccount(user.value, .forbidden))
        }
    }

    struct Fail: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "fail", abstract: "Answer every request of an account with a server error.",
            discussion: Discussion.examples(
                "server account fail alice",
                notes: "Its logins stay; 'server account allow' ends this."))

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.refuseAccount(user.value, .serverError))
        }
    }

    struct Allow: ShellCommand {
        static let configuration = CommandConfiguration(
            commandName: "allow", abstract: "Answer the requests of an account normally again.",
            discussion: Discussion.examples("server account allow alice"))

        @Argument(help: "The account.")
        var user: NameArgument

        mutating func execute(in shell: any ShellContext, client: String?) throws {
            try shell.server(.refuseAccount(user.value, nil))
        }
    }
}
