import ArgumentParser
import IMDebugger
import IMProtocol
import IMText

// Groups and their members: simple commands for changes that the server keeps and sends to every member.

struct GroupCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "group", abstract: "Groups and their members.",
        discussion: Discussion.examples(
            "group create tea 'Tea time'", "group invite tea bob", "@pad group leave tea",
            notes: "'query groups' lists them; 'send tea hello --group' says something in one."),
        subcommands: [
            GroupCreate.self, GroupInvite.self, GroupKick.self, GroupRole.self, GroupLeave.self, GroupDismiss.self,
        ])
}

struct GroupCreate: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a group that the user owns, or name it anew.",
        discussion: Discussion.examples("group create tea 'Tea time'", "@phone group create tea"))

    @Argument(help: "Its id.")
    var group: NameArgument

    @Argument(help: "Its name; without one, its id.")
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
        commandName: "invite", abstract: "Bring somebody into a group.",
        discussion: Discussion.examples("group invite tea bob"))

    @OptionGroup var member: MemberArguments

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.member, member.fields), client: client)
    }
}

struct GroupKick: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "kick", abstract: "Put a member out of a group.",
        discussion: Discussion.examples("group kick tea bob", notes: "The owner and admins may."))

    @OptionGroup var member: MemberArguments

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.memberRemoved, member.fields), client: client)
    }
}

struct GroupRole: ShellCommand {
    /// The role of a member.
    enum Role: String, CaseIterable, ExpressibleByArgument {
        case admin, member
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Say what a member may do.",
        discussion: Discussion.examples("group role tea bob admin"))

    @OptionGroup var member: MemberArguments

    @Argument(help: "What the member is from now on.")
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
        commandName: "dismiss", abstract: "End a group that the user owns.",
        discussion: Discussion.examples("group dismiss tea"))

    @Argument(help: "The group.")
    var group: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.groupRemoved, [KeyValue(key: "groupID", value: group.value)]), client: client)
    }
}

/// A group, and a member or a new member.
struct MemberArguments: ParsableArguments {
    @Argument(help: "The group.")
    var group: NameArgument

    @Argument(help: "The user.")
    var user: NameArgument

    /// Both under their names in a change of local data.
    var fields: [KeyValue] {
        [KeyValue(key: "groupID", value: group.value), KeyValue(key: "userID", value: user.value)]
    }
}
