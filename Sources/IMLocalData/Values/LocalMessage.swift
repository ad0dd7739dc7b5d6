/// A message as a device stores it.
public struct LocalMessage: Hashable, Sendable, Codable {
    /// The kind of message; the raw value is the vendor's ZIMMessageType.
    public enum Kind: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case text = 1
        case command = 2
        case multiple = 10
        case image = 11
        case file = 12
        case audio = 13
        case video = 14
        case barrage = 20
        case revoke = 31
        case tips = 32
        case combine = 100
        case custom = 200

        /// The kind's word in commands and answers.
        public var name: String {
            switch self {
            case .text: "text"
            case .command: "command"
            case .multiple: "multiple"
            case .image: "image"
            case .file: "file"
            case .audio: "audio"
            case .video: "video"
            case .barrage: "barrage"
            case .revoke: "revoke"
            case .tips: "tips"
            case .combine: "combine"
            case .custom: "custom"
            }
        }
    }

    /// The progress of a sent message; the raw value is the vendor's ZIMMessageSentStatus.
    public enum SentStatus: UInt8, Hashable, Sendable, Codable, CaseIterable {
        case sending = 0
        case success = 1
        case failed = 2

        var name: String {
            switch self {
            case .sending: "sending"
            case .success: "success"
            case .failed: "failed"
            }
        }
    }

    /// A file of a message.
    public struct File: Hashable, Sendable, Codable {
        /// The file's name.
        public var name: String
        /// The size in bytes.
        public var size: Int64
        /// The time of the download, in milliseconds since 1970; nil if not downloaded.
        public var downloadedAt: Int64?

        /// Creates a file; without a time, it is not downloaded.
        public init(name: String, size: Int64, downloadedAt: Int64? = nil) {
            self.name = name
            self.size = size
            self.downloadedAt = downloadedAt
        }
    }

    /// A user's reaction to a message.
    public struct Reaction: Hashable, Sendable, Codable {
        /// The reaction: the app's own word.
        public var type: String
        /// The user who reacted.
        public var user: String
        /// Its number in the message, in order of arrival.
        package var serial: UInt32 = 0

        /// A reaction of a user.
        public init(type: String, user: String) {
            self.type = type
            self.user = user
        }
    }

    /// The sender's id of it, which a message that is sent twice keeps (C-14); empty for one that exists only here.
    public var id: String
    /// The conversation.
    public var conversation: ConversationID
    /// The sender's user id.
    public var sender: String
    /// The kind of message.
    public var kind: Kind
    /// The text; for a file, its caption.
    public var text: String
    /// The time when the server accepted it, or the device created it: milliseconds since 1970.
    public var timestamp: Int64
    /// Its number in the conversation, from the server; 0 for one that exists only here.
    public var sequence: Int64
    /// Its number in the database, from 1; 0 before it is inserted.
    public var localID: Int64 = 0
    /// Its progress, if it was sent from here.
    public var sentStatus = SentStatus.success
    /// True if it was inserted on this device, and exists nowhere else.
    public var isUserInserted = false
    /// The app's own text, which all receivers get.
    public var extendedData = ""
    /// The app's own text on this device only.
    public var localExtendedData = ""
    /// True if it counts as unread here; set by the database.
    package var isUnread = false
    /// The file of an image, a video and the like.
    public var file: File?
    /// The messages in a combined one.
    public var parts: [LocalMessage] = []
    /// The reactions, in order of arrival.
    public var reactions: [Reaction] = []
    package var lastReaction: UInt32 = 0
    /// The users that it mentions.
    public var mentioned: [String] = []
    /// The id of the message that it replies to.
    public var repliesTo = ""
    /// True if its sender wants read receipts.
    public var wantsReceipts = false
    /// The users who have read it, in order of arrival.
    public var readers: [String] = []

    /// Creates a message; further values are set afterwards.
    public init(
        id: String, conversation: ConversationID, sender: String, kind: Kind = .text, text: String, timestamp: Int64,
        sequence: Int64 = 0
    ) {
        self.id = id
        self.conversation = conversation
        self.sender = sender
        self.kind = kind
        self.text = text
        self.timestamp = timestamp
        self.sequence = sequence
    }

    /// Its position among the others: by time, then by the server's number, then by the database's.
    package var position: Position { Position([timestamp, sequence, localID]) }
}
