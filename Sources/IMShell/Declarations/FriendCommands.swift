import ArgumentParser
import IMDebugger
import IMProtocol
import IMText

// Commands for friends and blocked users. Each is a short form of a `change` command.

struct FriendCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "friend", abstract: "Manage the user's friends.",
        discussion: Discussion.examples(
            "friend apply bob", "@pad friend answer alice accepted", notes: "'query friends' lists them."),
        subcommands: [FriendAdd.self, FriendApply.self, FriendAnswer.self, FriendRemove.self])
}

struct FriendAdd: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a friend, or change a friend's alias.",
        discussion: Discussion.examples("friend add bob", "@phone friend add bob --alias 'Bob from work'"))

    @Argument(help: "The user.")
    var user: NameArgument

    @Option(help: "The alias of the friend.")
    var alias: TextArgument?

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        var fields = [KeyValue(key: "userID", value: user.value)]
        if let alias { fields.append(KeyValue(key: "friendAlias", value: alias.value)) }
        try shell.call(.change(.friend, fields), client: client)
    }
}

struct FriendApply: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.wording }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "apply", abstract: "Send a friend request.",
        discussion: Discussion.examples("friend apply bob", "@phone friend apply bob 'we met at the fair'"))

    @Argument(help: "The user.")
    var user: NameArgument

    @Argument(help: "The text of the request.")
    var wording: [TextArgument] = []

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        var fields = [KeyValue(key: "userID", value: user.value)]
        if !wording.isEmpty {
            fields.append(KeyValue(key: "wording", value: wording.map(\.value).joined(separator: " ")))
        }
        try shell.call(.change(.friendApplication, fields), client: client)
    }
}

struct FriendAnswer: ShellCommand {
    /// The possible answers to a friend request.
    enum Answer: String, CaseIterable, ExpressibleByArgument {
        case accepted, rejected
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "answer", abstract: "Answer a friend request.",
        discussion: Discussion.examples("friend answer alice accepted", "@pad friend answer alice rejected"))

    @Argument(help: "The user who sent the request.")
    var user: NameArgument

    @Argument(help: "The answer.")
    var answer: Answer

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let fields = [
            KeyValue(key: "userID", value: user.value), KeyValue(key: "state", value: answer.rawValue),
        ]
        try shell.call(.change(.friendApplication, fields), client: client)
    }
}

struct FriendRemove: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "End a friendship, on both sides.",
        discussion: Discussion.examples("friend remove bob"))

    @Argument(help: "The user.")
    var user: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.change(.friendRemoved, [KeyValue(key: "userID", value: user.value)]), client: client)
    }
}

struct BlockCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "block", abstract: "Block or unblock a user.",
        discussion: Discussion.examples("block bob", "@phone block bob --off", notes: "'query blacklist' lists them."))

    @Argument(help: "The user.")
    var user: NameArgument

    @Flag(help: "Unblock the user.")
    var off = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let fields = [KeyValue(key: "userID", value: user.value), KeyValue(key: "isOn", value: String(!off))]
        try shell.call(.change(.blacklist, fields), client: client)
    }
}
