import ArgumentParser
import IMDebugger
import IMProtocol
import IMText

// Commands for groups and their members. Each is a short form of a `change` command. The server stores the change and
// sends it to every member.

struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Manage groups and their members.",
        discussion: Discussion.examples(
            "group create tea 'Tea time'", "group invite tea bob", "@pad group leave tea",
            notes: "'query groups' lists them; 'send tea hello --group' sends a message to a group."),
        subcommands: [
            GroupCreate.self, GroupInvite.self, GroupKick.self, GroupRole.self, GroupLeave.self, GroupDismiss.self,
        ])
}

struct GroupCreate: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create a group that the user owns, or rename it.",
        discussion: Discussion.examples("group create tea 'Tea time'", "@phone group create tea"))

    @Argument(help: "Its id.")
    var group: NameArgument

    @Argument(help: "Its name; by default its id.")
    var name: TextArgument?

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let fields = [
            KeyValue(key: "groupID", value: group.value),
            KeyValue(key: "groupName", value: name?.value ?? group.value),
        ]
        try shell.call(.change(.group, fields), client: client)
    }
}

struct GroupInvite: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "invite", abstract: "Add a user to a group.",
        discussion: Discussion.examples("group invite tea bob"))

    @OptionGroup var member: MemberArguments

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.member, member.fields), client: client)
    }
}

struct GroupKick: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "kick", abstract: "Remove a member from a group.",
        discussion: Discussion.examples("group kick tea bob", notes: "Only the owner and admins can do this."))

    @OptionGroup var member: MemberArguments

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.memberRemoved, member.fields), client: client)
    }
}

struct GroupRole: ShellCommand {
    /// The role of a group member.
    enum Role: String, CaseIterable, ExpressibleByArgument {
        case admin, member
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Change a member's role.",
        discussion: Discussion.examples("group role tea bob admin"))

    @OptionGroup var member: MemberArguments

    @Argument(help: "The new role.")
    var role: Role

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let fields = member.fields + [KeyValue(key: "memberRole", value: role.rawValue)]
        try shell.call(.change(.member, fields), client: client)
    }
}

struct GroupLeave: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a group.", discussion: Discussion.examples("@pad group leave tea"))

    @Argument(help: "The group.")
    var group: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.memberRemoved, [KeyValue(key: "groupID", value: group.value)]), client: client)
    }
}

struct GroupDismiss: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "dismiss", abstract: "Delete a group that the user owns.",
        discussion: Discussion.examples("group dismiss tea"))

    @Argument(help: "The group.")
    var group: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.groupRemoved, [KeyValue(key: "groupID", value: group.value)]), client: client)
    }
}

/// The arguments of a command about a group and one user.
struct MemberArguments: ParsableArguments {
    @Argument(help: "The group.")
    var group: NameArgument

    @Argument(help: "The user.")
    var user: NameArgument

    /// Both arguments as fields of a `change` command.
    var fields: [KeyValue] {
        [KeyValue(key: "groupID", value: group.value), KeyValue(key: "userID", value: user.value)]
    }
}
