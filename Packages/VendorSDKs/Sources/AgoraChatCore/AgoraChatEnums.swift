// Names and numbers of the vendor's headers. `AgoraChatTests` compares with the dialect what the dialect has.

/// Whether the SDK has a login over a link; there is nothing in between (CHAT-1).
public enum AgoraChatConnectionState: Int, Sendable, CaseIterable {
    case connected = 0
    case disconnected = 1
}

/// Which lines of the log are told.
public enum AgoraChatLogLevel: Int, Sendable {
    /// All of them.
    case debug = 0
    case warning = 1
    /// Calls that failed alone.
    case error = 2
}

/// Where the servers are; it has no effect here.
public enum AreaCode: Int, Sendable {
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case CN = 1
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case NA = 2
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case EU = 4
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case AS = 8
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case JP = 16
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case IN = 32
    // swift-format-ignore: AlwaysUseLowerCamelCase
    case GLOB = -1
}

/// What a message goes to.
public enum AgoraChatType: Int, Sendable {
    case chat = 0
    case groupChat = 1
    case chatRoom = 2
}

/// What a conversation is with.
public enum AgoraChatConversationType: Int, Sendable {
    case chat = 0
    case groupChat = 1
    case chatRoom = 2
}

/// How far the sending of a message has come.
public enum AgoraChatMessageStatus: Int, Sendable {
    case pending = 0
    case delivering = 1
    case succeed = 2
    case failed = 3
}

/// Whether the user has sent a message, on any device, or somebody else.
public enum AgoraChatMessageDirection: Int, Sendable {
    case send = 0
    case receive = 1
}

/// What kind of thing a message holds.
public enum AgoraChatMessageBodyType: Int, Sendable {
    case text = 1
    case image = 2
    case video = 3
    case location = 4
    case voice = 5
    case file = 6
    case cmd = 7
    case custom = 8
    case combine = 9
}

/// Whether messages before a place are looked for, or those after it.
public enum AgoraChatMessageSearchDirection: Int, Sendable {
    case up = 0
    case down = 1
}
