/// A message as a device keeps it.
public struct LocalMessage: Hashable, Sendable, Codable {
    /// What it is; the raw value is the vendor's ZIMMessageType.
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

        /// The word for it in commands and answers.
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

    /// How far a sent message has come; the raw value is the vendor's ZIMMessageSentStatus.
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

    /// A file that belongs to a message.
    public struct File: Hashable, Sendable, Codable {
        /// What it is called.
        public var name: String
        /// Bytes.
        public var size: Int64
        /// When it was downloaded, milliseconds since 1970; nil while it was not.
        public var downloadedAt: Int64?

        /// A file; without a time, one that was not downloaded.
        public init(name: String, size: Int64, downloadedAt: Int64? = nil) {
            self.name = name
            self.size = size
            self.downloadedAt = downloadedAt
        }
    }

    /// Somebody's reaction to it.
    public struct Reaction: Hashable, Sendable, Codable {
        /// Which one: the app's own word.
        public var type: String
        /// Whose it is.
        public var user: String
        /// The message's number of it, in the order in which they came.
        package var serial: UInt32 = 0

        /// A reaction of somebody.
        public init(type: String, user: String) {
            self.type = type
            self.user = user
        }
    }

    /// The sender's name of it, which a message that is sent twice keeps (C-14); empty for one that is here only.
    public var id: String
    /// Where it was said.
    public var conversation: ConversationID
    /// Who said it.
    public var sender: String
    /// What sort of message it is.
    public var kind: Kind
    /// What it says; of a file, what stands beside it.
    public var text: String
    /// When the server took it in, or the device made it: milliseconds since 1970.
    public var timestamp: Int64
    /// Its place in the conversation, by the server; 0 for one that is here only.
    public var sequence: Int64
    /// Given by the database, from 1 on; 0 before it is there.
    public var localID: Int64 = 0
    /// How far it has come, where it was sent from here.
    public var sentStatus = SentStatus.success
    /// Put in on this device, and known nowhere else.
    public var isUserInserted = false
    /// The app's own words, which go with it to everybody.
    public var extendedData = ""
    /// Noted on this device, and known nowhere else.
    public var localExtendedData = ""
    /// Whether it counts as unread here; the database's own.
    package var isUnread = false
    /// The file of an image, a video and the like.
    public var file: File?
    /// The messages that a combined one holds.
    public var parts: [LocalMessage] = []
    /// In the order in which they came.
    public var reactions: [Reaction] = []
    package var lastReaction: UInt32 = 0
    /// The users that it names.
    public var mentioned: [String] = []
    /// The id of the message that it replies to.
    public var repliesTo = ""
    /// Whether its sender wants to know who has read it.
    public var wantsReceipts = false
    /// Who has read it, in the order in which that came.
    public var readers: [String] = []

    /// A message; what else it has is set afterwards.
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

    /// Where it stands among the others: by time, then by the server's number, then by the database's.
    package var position: Position { Position([timestamp, sequence, localID]) }
}
