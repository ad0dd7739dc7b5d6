import ArgumentParser
import IMProtocol

// A user's commands for data other than messages: attributes, the presence of other users, and operations that the
// user's other devices receive.

struct ResendCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Resend the oldest failed message, with the same id.",
        discussion: Discussion.examples("resend", "@phone resend", notes: "'query failed' lists the failed messages."))

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.resend, client: client)
    }
}

struct AttributesCommand: WordListCommand {
    static var wordList: WritableKeyPath<Self, [AssignmentArgument]> { \.attributes }
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "attributes", abstract: "Set attributes of the user or of a channel.",
        discussion: Discussion.examples("attributes mood=fine", "@phone attributes topic=tea --channel lobby"))

    @Argument(help: ArgumentHelp("Names and values.", valueName: "attribute"))
    var attributes: [AssignmentArgument]

    @Option(help: "A channel that the client is in.")
    var channel: NameArgument?

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.attributes(attributes.map(\.pair), channel: channel?.value), client: client)
    }
}

struct SubscribeCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "subscribe", abstract: "Get a callback when a user goes online or offline.",
        discussion: Discussion.examples("subscribe bob", "@pad subscribe alice"))

    @Argument(help: "The user.")
    var user: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.subscribe(user: user.value, isOn: true), client: client)
    }
}

struct UnsubscribeCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "unsubscribe", abstract: "Stop presence notifications for a user.",
        discussion: Discussion.examples("unsubscribe bob"))

    @Argument(help: "The user.")
    var user: NameArgument

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.subscribe(user: user.value, isOn: false), client: client)
    }
}

/// The name of an operation, as in `contact-remove`.
package enum OperationName: String, CaseIterable, ExpressibleByArgument {
    case contactRemove = "contact-remove"
    case contactAccept = "contact-accept"
    case contactDecline = "contact-decline"
    case contactBan = "contact-ban"
    case contactAllow = "contact-allow"
    case groupCreate = "group-create"
    case groupDestroy = "group-destroy"
    case groupJoin = "group-join"
    case groupLeave = "group-leave"
    case groupApply = "group-apply"
    case groupApplyAccept = "group-apply-accept"
    case groupApplyDecline = "group-apply-decline"
    case groupInvite = "group-invite"
    case groupInviteAccept = "group-invite-accept"
    case groupInviteDecline = "group-invite-decline"
    case groupKick = "group-kick"
    case groupBan = "group-ban"
    case groupAllow = "group-allow"
    case groupBlock = "group-block"
    case groupUnblock = "group-unblock"
    case groupAssignOwner = "group-assign-owner"
    case groupAddAdmin = "group-add-admin"
    case groupRemoveAdmin = "group-remove-admin"
    case groupAddMute = "group-add-mute"
    case groupRemoveMute = "group-remove-mute"
    case groupAddWhiteList = "group-add-white-list"
    case groupRemoveWhiteList = "group-remove-white-list"
    case groupAllBan = "group-all-ban"
    case groupRemoveAllBan = "group-remove-all-ban"
    case groupUpdate = "group-update"
    case threadCreate = "thread-create"
    case threadDestroy = "thread-destroy"
    case threadJoin = "thread-join"
    case threadLeave = "thread-leave"
    case threadUpdate = "thread-update"
    case threadKick = "thread-kick"
    case groupMemberAttributesChanged = "group-member-attributes-changed"
    case conversationPinned = "conversation-pinned"
    case conversationUnpinned = "conversation-unpinned"
    case conversationDelete = "conversation-delete"
    case conversationUpdateMark = "conversation-update-mark"
    case conversationMuteInfoChanged = "conversation-mute-info-changed"
    case messagesRemoved = "messages-removed"
    case conversationRead = "conversation-read"
    case messageRead = "message-read"

    /// The operation of the protocol with this name. A test checks that both types have the same names, so that this is
    /// never nil.
    package var kind: OperationKind? { OperationKind(name: rawValue) }
}

struct ActCommand: ShellCommand {
    static let takesClient = true
    static let configuration = CommandConfiguration(
        commandName: "act", abstract: "Do an operation that the user's other devices receive.",
        discussion: Discussion.examples(
            "act contact-remove bob", "@phone act group-create tea --ext 'Tea time'", "act group-kick tea --ext bob",
            "act thread-create cake --ext tea", "act conversation-update-mark bob --ext urgent",
            notes: """
                It changes the server's contacts, groups, threads and conversations, or is refused. Online devices \
                are notified at once, others at their next login. --ext is the member of a group operation, the \
                name of a new or renamed group, the group of a new thread, or NAME=VALUE for attributes. For other \
                operations it is additional data.
                """))

    @Argument(help: "The operation.")
    var operation: OperationName

    @Argument(help: ArgumentHelp("The contact, group, thread, conversation or message.", valueName: "target"))
    var target: NameArgument

    @Option(help: ArgumentHelp("The member, name, group, attribute or additional data.", valueName: "text"))
    var ext: TextArgument?

    mutating func execute(in shell: any ShellContext, client: String?) throws {
        try shell.call(.act(operation, target: target.value, ext: ext?.value ?? ""), client: client)
    }
}
