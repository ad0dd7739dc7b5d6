/// The calls of the vendor ZIM that work on local data, without a network (ZIM-9). The raw value is the call's number
/// in the vendor's list of these calls. The name is the first word of the selector, in the spelling of that list.
public enum LocalCall: UInt8, Hashable, Sendable, Codable, CaseIterable {
    // Users and friends.
    case queryUsersInfo = 1
    case querySelfUserInfo = 2
    case queryGroupApplicationList = 3
    case queryBlacklist = 4
    case checkUserIsInBlackList = 5
    case searchLocalFriends = 6
    case queryFriendsInfo = 7
    case queryFriendList = 8
    case queryFriendApplicationList = 9
    // Groups.
    case queryGroupList = 10
    case searchLocalGroups = 11
    case queryGroupInfo = 12
    case queryGroupAttributes = 13
    case queryGroupAllAttributes = 14
    case queryGroupMemberList = 15
    case searchLocalGroupMembers = 16
    case queryGroupMemberInfo = 17
    case queryGroupMemberCount = 18
    case queryGroupMemberMutedList = 19
    // Messages.
    case queryHistoryMessage = 20
    case updateMessageLocalExtendedData = 21
    case searchLocalMessages = 22
    case searchGlobalLocalMessages = 23
    case insertMessageToLocalDB = 24
    case deleteAllMessage = 25
    case deleteMessages = 26
    case deleteAllConversationMessages = 27
    case queryMessageReceiptsInfo = 28
    case queryMessageReactionUserList = 29
    case queryGroupMessageReceiptReadMemberList = 30
    case queryGroupMessageReceiptUnreadMemberList = 31
    case importLocalMessages = 32
    case exportLocalMessages = 33
    // Call invitations.
    case queryCallInvitationList = 34
    // Conversations.
    case queryConversation = 35
    case queryConversationList = 36
    case queryConversationPinnedList = 37
    case searchLocalConversations = 38
    case clearConversationUnreadMessageCount = 39
    case clearConversationTotalUnreadMessageCount = 40
    case deleteConversation = 41
    case deleteAllConversations = 42
    case setConversationDraft = 43
    // Cache.
    case clearLocalFileCache = 44
    case queryLocalFileCache = 45
    case queryCombineMessageDetail = 46

    /// The call with this name; nil if no call has it.
    public init?(name: String) {
        guard let call = LocalCall.byName[name] else { return nil }
        self = call
    }

    private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

    /// The call's name as a user types it.
    public var name: String { declaration.name }

    /// True if the call changes conversations, so that the app has to update its list of conversations (ZIM-9).
    public var changesConversations: Bool {
        switch self {
        case .insertMessageToLocalDB, .deleteAllMessage, .deleteMessages, .deleteAllConversationMessages,
            .clearConversationUnreadMessageCount, .clearConversationTotalUnreadMessageCount, .deleteConversation,
            .deleteAllConversations, .setConversationDraft:
            true
        default: false
        }
    }

    /// True if the call reads or writes a folder outside the database.
    public var usesFolder: Bool { self == .importLocalMessages || self == .exportLocalMessages }
}
