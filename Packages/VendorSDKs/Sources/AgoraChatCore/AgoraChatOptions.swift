import Foundation

/// The options of the SDK.
///
/// Used on the job thread of virtual time alone.
open class AgoraChatOptions: NSObject, @unchecked Sendable {
    // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
    public internal(set) var appkey: String!
    /// The other name of an application, if the app uses it.
    public internal(set) var appId: String?
    /// True if the SDK logs the last user in by itself at its next start. The value at the SDK's initialisation counts.
    public var isAutoLogin = true
    /// The level of the lines that log delegates receive.
    public var logLevel = AgoraChatLogLevel.debug
    /// The name that the user's other devices show instead of the device's model (CHAT-5).
    public var customDeviceName: String?
    /// The app's own number for the platform, 1 to 100; 0 for none (CHAT-5).
    public var customOSType = 0
    /// The information that a device gets when this login kicks it (CHAT-5). It is sent with the next login.
    public var loginExtensionInfo: String?
    /// True to list conversations without a message.
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

    /// Sets a value by its name, as in Objective-C; without effect.
    public func setValue(_ value: Any?, forKeyPath keyPath: String) {}
    public func setValue(_ value: Any?, forKey key: String) {}

    public init(appkey aAppkey: String) { appkey = aAppkey }

    public init(appId aAppId: String) {
        appkey = ""
        appId = aAppId
    }
}
