/// The user's operations on another device (CHAT-8). The numbers are also those of the operations in the protocol.
public enum AgoraChatMultiDevicesEvent: Int, Sendable, CaseIterable {
    /// Spelt as in the vendor's SDK.
    case unknow = -1

    case contactRemove = 2
    case contactAccept = 3
    case contactDecline = 4
    case contactBan = 5
    case contactAllow = 6

    case groupCreate = 10
    case groupDestroy = 11
    case groupJoin = 12
    case groupLeave = 13
    case groupApply = 14
    case groupApplyAccept = 15
    case groupApplyDecline = 16
    case groupInvite = 17
    case groupInviteAccept = 18
    case groupInviteDecline = 19
    case groupKick = 20
    case groupBan = 21
    case groupAllow = 22
    case groupBlock = 23
    case groupUnBlock = 24
    case groupAssignOwner = 25
    case groupAddAdmin = 26
    case groupRemoveAdmin = 27
    case groupAddMute = 28
    case groupRemoveMute = 29
    case groupAddWhiteList = 30
    case groupRemoveWhiteList = 31
    case groupAllBan = 32
    case groupRemoveAllBan = 33
    case groupUpdate = 34

    case chatThreadCreate = 40
    case chatThreadDestroy = 41
    case chatThreadJoin = 42
    case chatThreadLeave = 43
    case chatThreadUpdate = 44
    case chatThreadKick = 45
    case groupMemberAttributesChanged = 52

    case conversationPinned = 60
    case conversationUnpinned = 61
    case conversationDelete = 62
    case conversationUpdateMark = 63
    case conversationMuteInfoChanged = 64
}
