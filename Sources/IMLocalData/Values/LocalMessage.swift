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

    /// The state of a message that this device sends; the raw value is the vendor's ZIMMessageSentStatus.
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

        /// Creates a file, by default not downloaded.
        public init(name: String, size: Int64, downloadedAt: Int64? = nil) {
            self.name = name
            self.size = size
            self.downloadedAt = downloadedAt
        }
    }

    /// A user's reaction to a message.
    public struct Reaction: Hashable, Sendable, Codable {
        /// The type of the reaction, a text that the app chooses.
        public var type: String
        /// The user who reacted.
        public var user: String
        /// The reaction's number among those of the message, in order of arrival.
        package var serial: UInt32 = 0

        /// Creates a reaction of a user.
        public init(type: String, user: String) {
            self.type = type
            self.user = user
        }
    }

    /// The id that the sender chose. If the sender sends the message again, the id is the same (C-14). Empty for a
    /// message that exists on this device only.
    public var id: String
    /// The conversation that contains the message.
    public var conversation: ConversationID
    /// The sender's user id.
    public var sender: String
    /// The kind of message.
    public var kind: Kind
    /// The text; for a file, its caption.
    public var text: String
    /// The time when the server accepted the message, or when this device created it, in milliseconds since 1970.
    public var timestamp: Int64
    /// The number that the server assigned to the message in its conversation; 0 if the server has not accepted it.
    public var sequence: Int64
    /// The local number: the message's number in this device's database, from 1; 0 before it is inserted.
    public var localID: Int64 = 0
    /// The state of a message that this device sends.
    public var sentStatus = SentStatus.success
    /// True if the app inserted the message into this device's data. No other device has it.
    public var isUserInserted = false
    /// A text that the app adds to the message for its receivers.
    public var extendedData = ""
    /// A text that the app adds to the message on this device only.
    public var localExtendedData = ""
    /// True if the message counts as unread on this device; set by the database.
    package var isUnread = false
    /// The file of a message that is an image, a video, an audio or a file.
    public var file: File?
    /// The messages that a combined message contains.
    public var parts: [LocalMessage] = []
    /// The reactions, in order of arrival.
    public var reactions: [Reaction] = []
    /// The number of the last reaction.
    package var lastReaction: UInt32 = 0
    /// The ids of the users that the message mentions.
    public var mentioned: [String] = []
    /// The id of the message to which this one is a reply; empty for none.
    public var repliesTo = ""
    /// True if the sender requested read receipts.
    public var wantsReceipts = false
    /// The ids of the users who have read the message, in the order in which their receipts arrived.
    public var readers: [String] = []

    /// Creates a message with these values and defaults for the others.
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

    /// The message's sort key: its time, then the server's number, then the local number.
    package var position: Position { Position([timestamp, sequence, localID]) }
}
