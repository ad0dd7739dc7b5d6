import ArgumentParser
import IMDebugger
import IMLocalData
import IMProtocol
import IMText

struct SendCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [TextArgument]> { \.text }
    /// The type of a message. A combined message is not in this list, because it has parts. The command 'change
    /// message' creates it.
    enum MessageType: String, CaseIterable, ExpressibleByArgument {
        case text, command, image, file, audio, video, custom
    }

    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Send a message to a user, a group or a channel.",
        discussion: Discussion.examples(
            "send bob 'are you there?'", "@phone send lobby hello everybody --channel",
            "send bob --type image --file lift.png --size 20480", "send tea 'who comes?' --group --mention bob",
            "send bob 'yes, at four' --reply-to m1 --receipts",
            notes: """
                Several words are joined by one space. Types, groups, replies, mentions and receipts exist in SDKs \
                that have local data; these store every message ('query history').
                """))

    @Argument(help: "The user, the group or the channel.")
    var to: NameArgument

    @Argument(help: "The text.")
    var text: [TextArgument] = []

    @Flag(help: "To a channel.")
    var channel = false

    @Flag(help: "To a group.")
    var group = false

    @Option(help: "The type of the message.")
    var type: MessageType?

    @Option(help: "The name of the attached file.")
    var file: TextArgument?

    @Option(help: "The size of the file in bytes.", transform: WholeNumber.in(0...UInt64(Int64.max), "bytes"))
    var size: UInt64?

    @Option(help: "A mentioned user; can be given more than once.")
    var mention: [NameArgument] = []

    @Option(help: ArgumentHelp("The id of the message that it replies to.", valueName: "message"))
    var replyTo: TextArgument?

    @Flag(help: "Request read receipts.")
    var receipts = false

    func validate() throws {
        if text.isEmpty, file == nil { throw ValidationError("give a text or a --file") }
        if size != nil, file == nil { throw ValidationError("--size needs a --file") }
        if channel, isStored { throw ValidationError("a channel accepts only texts") }
    }

    /// True if the message is stored in local data: it is more than a plain text to a user or a channel.
    private var isStored: Bool {
        group || type != nil || file != nil || !mention.isEmpty || replyTo != nil || receipts
    }

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let joined = text.map(\.value).joined(separator: " ")
        guard isStored else {
            return try shell.send(SendRequest(to: to.value, text: joined, isChannel: channel), client: client)
        }
        var fields = ConversationField.fields(of: to.value, isGroup: group)
        if let type { fields.append(KeyValue(key: "type", value: type.rawValue)) }
        if !joined.isEmpty { fields.append(KeyValue(key: "message", value: joined)) }
        if let file { fields.append(KeyValue(key: "fileName", value: file.value)) }
        if let size { fields.append(KeyValue(key: "fileSize", value: String(size))) }
        fields += mention.map { KeyValue(key: "mentionedUserID", value: $0.value) }
        if let replyTo { fields.append(KeyValue(key: "repliedMessageID", value: replyTo.value)) }
        if receipts { fields.append(KeyValue(key: "wantsReceipts", value: "true")) }
        try shell.call(.change(.message, fields), client: client)
    }
}

struct ReactCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "react", abstract: "React to a message, or remove a reaction.",
        discussion: Discussion.examples(
            "react m1 heart", "@pad react m1 heart --off", notes: "'query history' shows the ids of messages."))

    @Argument(help: "The message's id.")
    var message: TextArgument

    @Argument(help: "The reaction, a word that the app defines.")
    var reaction: TextArgument

    @Flag(help: "Remove the reaction.")
    var off = false

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        let fields = [
            KeyValue(key: "messageID", value: message.value), KeyValue(key: "reactionType", value: reaction.value),
            KeyValue(key: "isOn", value: String(!off)),
        ]
        try shell.call(.change(.reaction, fields), client: client)
    }
}

struct ReadCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "read", abstract: "Mark a conversation as read, or single messages.",
        discussion: Discussion.examples(
            "read bob", "@phone read tea --group", "read bob --message m1 --message m2",
            notes: """
                It also works without a network. When there is one, the server notifies the user's other devices, and \
                with --message the senders.
                """))

    @Argument(help: "The user or the group.")
    var with: NameArgument

    @Flag(help: "The conversation is a group.")
    var group = false

    @Option(help: "A message whose sender gets a receipt; can be given more than once.")
    var message: [TextArgument] = []

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        guard message.isEmpty else {
            let fields = message.map { KeyValue(key: "messageID", value: $0.value) }
            return try shell.call(.change(.read, fields), client: client)
        }
        let fields = ConversationField.fields(of: with.value, isGroup: group)
        try shell.call(.local(.clearConversationUnreadMessageCount, fields), client: client)
    }
}

/// The fields that identify a conversation in the commands `call` and `change`.
enum ConversationField {
    static func fields(of name: String, isGroup: Bool) -> [KeyValue] {
        [KeyValue(key: "conversationID", value: name)]
            + (isGroup ? [KeyValue(key: "conversationType", value: "group")] : [])
    }
}

struct JoinCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "join", abstract: "Join a channel.", discussion: Discussion.examples("join lobby"))

    @Argument(help: "The channel.")
    var channel: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.join(channel: channel.value, client: client)
    }
}

struct LeaveCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "leave", abstract: "Leave a channel.", discussion: Discussion.examples("leave lobby"))

    @Argument(help: "The channel.")
    var channel: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.leave(channel: channel.value, client: client)
    }
}

struct OptionCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "option",
        abstract: "Set an option of this client's SDK.",
        discussion: Discussion.examples(
            "option maxAutoLoginRetryTimes=3", "@phone option reconnect-delay=2s,4s,8s",
            "option reconnect-delay=default"))

    @Argument(help: ArgumentHelp("The option and its value.", valueName: "option"))
    var option: AssignmentArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.setOption(option.pair, client: client)
    }
}
