// Names and numbers of the vendor's headers. `AgoraChatTests` compares those that the dialect has with the dialect.

/// Connected if the SDK has a login over a connection; there is no state in between (CHAT-1).
public enum AgoraChatConnectionState: Int, Sendable, CaseIterable {
    case connected = 0
    case disconnected = 1
}

/// The level of the log lines to report.
public enum AgoraChatLogLevel: Int, Sendable {
    /// All of them.
    case debug = 0
    case warning = 1
    /// Only calls that failed.
    case error = 2
}

/// The region of the servers; without effect here.
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

/// The kind of a message's destination.
public enum AgoraChatType: Int, Sendable {
    case chat = 0
    case groupChat = 1
    case chatRoom = 2
}

/// The kind of a conversation.
public enum AgoraChatConversationType: Int, Sendable {
    case chat = 0
    case groupChat = 1
    case chatRoom = 2
}

/// The state of sending a message.
public enum AgoraChatMessageStatus: Int, Sendable {
    case pending = 0
    case delivering = 1
    case succeed = 2
    case failed = 3
}

/// The direction of a message: sent by the user, on any device, or received.
public enum AgoraChatMessageDirection: Int, Sendable {
    case send = 0
    case receive = 1
}

/// The kind of a message's content.
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

/// The direction of a search for messages: before or after a message.
public enum AgoraChatMessageSearchDirection: Int, Sendable {
    case up = 0
    case down = 1
}
