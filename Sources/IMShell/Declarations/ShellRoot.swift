import ArgumentParser

/// The list of all commands of the shell, as ArgumentParser requires it. This root command itself is never run.
struct ShellRoot: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imrepl",
        groupedSubcommands: [
            CommandGroup(
                name: "sdk",
                subcommands: [
                    LoginCommand.self, AutologinCommand.self, LogoutCommand.self, RenewTokenCommand.self,
                    KickCommand.self,
                    QueryCommand.self, SendCommand.self, ResendCommand.self, JoinCommand.self, LeaveCommand.self,
                    AttributesCommand.self, SubscribeCommand.self, UnsubscribeCommand.self, ActCommand.self,
                    OptionCommand.self,
                ]),
            CommandGroup(
                name: "data",
                subcommands: [
                    CallCommand.self, SearchCommand.self, ReadCommand.self, ReactCommand.self, FriendCommand.self,
                    BlockCommand.self, GroupCommand.self, ChangeCommand.self,
                ]),
            CommandGroup(
                name: "tree",
                subcommands: [
                    SyncCommand.self, OnDisconnectCommand.self, GoOfflineCommand.self, GoOnlineCommand.self,
                ]),
            CommandGroup(
                name: "world",
                subcommands: [
                    UseCommand.self, ClientsCommand.self, AppCommand.self, NetCommand.self, ServerSideCommand.self,
                    WaitCommand.self, ClockCommand.self,
                ]),
            CommandGroup(
                name: "check",
                subcommands: [
                    ExpectCommand.self, ExpectNoneCommand.self, CheckCommand.self, WhyCommand.self, WhyNotCommand.self,
                ]),
            CommandGroup(name: "record", subcommands: [RecCommand.self, SessionsCommand.self]),
            CommandGroup(
                name: "shell",
                subcommands: [
                    HelpCommand.self, StatusCommand.self, TimelineCommand.self, SetCommand.self, SourceCommand.self,
                    EchoCommand.self,
                    HistoryCommand.self, ClearCommand.self, QuitCommand.self,
                ]),
        ])
}
