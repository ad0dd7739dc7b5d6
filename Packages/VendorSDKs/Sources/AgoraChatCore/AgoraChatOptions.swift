import Foundation

/// What the SDK is made from.
///
/// Used on the job thread of virtual time alone.
open class AgoraChatOptions: NSObject, @unchecked Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public internal(set) var appkey: String!
    /// The other way to name an application, where the app has taken that one.
    public internal(set) var appId: String?
    /// Whether the SDK logs the user of last time in by itself at its next start; as it stood when the SDK was
    /// initialised.
    public var isAutoLogin = true
    /// Which lines log delegates are told.
    public var logLevel = AgoraChatLogLevel.debug
    /// What the user's other devices are shown instead of the device's model (CHAT-5).
    public var customDeviceName: String?
    /// The app's own number for the platform, 1 to 100; 0 for none (CHAT-5).
    public var customOSType = 0
    /// What a device learns that this one's login kicks (CHAT-5). It goes out with the next login.
    public var loginExtensionInfo: String?
    /// Whether conversations without a message are listed.
    public var loadEmptyConversations = false

    // MARK: Without effect

    public var enableConsoleLog = false
    public var usingHttpsOnly = false
    public var area = AreaCode.GLOB
    public var sortMessageByServerTime = true
    public var enableDeliveryAck = false
    public var enableRequireReadAck = true
    public var deleteMessagesOnLeaveGroup = true
    public var deleteMessagesOnLeaveChatroom = true
    public var canChatroomOwnerLeave = true
    public var autoAcceptGroupInvitation = true
    public var autoAcceptFriendInvitation = false
    public var autoDownloadThumbnail = true
    public var isAutoTransferMessageAttachments = true
    public var enableStatistics = false
    public var includeSendMessageInMessageListener = false
    public var regardImportMessagesAsRead = false
    public var autoLoadConversations = true
    public var useReplacedMessageContents = false
    public var workPathCopiable = false
    public var apnsCertName: String?
    public var pushKitCertName: String?

    /// Takes a setting by its name, as Objective-C does; without effect.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {}
    public func setValue(_ value: Any?, forKey key: String) {}

    public init(appkey aAppkey: String) { appkey = aAppkey }

    public init(appId aAppId: String) {
        appkey = ""
        appId = aAppId
    }
}
