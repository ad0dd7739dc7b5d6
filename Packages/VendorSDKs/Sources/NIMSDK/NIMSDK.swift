import Foundation
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A test double of NetEase's NIM SDK for iOS, as of 9.x (V1 interface). Not affiliated with the vendor: it connects
/// only to the simulated server of the test (`withSimulation("nim") { … }`).
///
/// Each process of an app has its own.
public final class NIMSDK: @unchecked Sendable {
    /// Logs in and out, and reports changes of the login.
    public let loginManager: any NIMLoginManager
    /// `loginManager` in the form of 10.x.
    public let v2LoginService: any V2NIMLoginService
    /// Sends messages, and reports received ones.
    public let chatManager: any NIMChatManager
    /// The user's conversations on the device.
    public let conversationManager: any NIMConversationManager
    /// Notifications between users; none occur.
    public let systemNotificationManager: NIMSystemNotificationManager
    /// Users, by their accounts.
    public let userManager: NIMUserManager
    /// Teams; none exist.
    public let teamManager: NIMTeamManager
    /// Broadcasts; none occur.
    public let broadcastManager = NIMBroadcastManager()
    /// Recording and playing; not simulated.
    public let mediaManager = NIMMediaManager()
    /// Chat rooms.
    public let chatroomManager: NIMChatroomManager
    /// Without effect.
    public var sceneDict: NSMutableDictionary?
    /// Without effect.
    public var serverSetting = NIMServerSetting()
    private var option: NIMSDKOption?

    private init(_ client: SDKClient) {
        let login = LoginManager(client)
        loginManager = login
        v2LoginService = V2LoginService(login, client)
        chatManager = ChatManager(client)
        conversationManager = ConversationManager(client)
        systemNotificationManager = NIMSystemNotificationManager(client)
        userManager = NIMUserManager(client)
        teamManager = NIMTeamManager(client)
        chatroomManager = NIMChatroomManager(client)
        login.isRegistered = { [weak self] in self?.option != nil }
    }

    /// The SDK of the process in which the calling code runs.
    public static func shared() -> NIMSDK {
        SDKClient.current(for: "NIMSDK.shared()").singleton { NIMSDK($0) }
    }

    /// To be called once, before anything else.
    public func register(with option: NIMSDKOption) { self.option = option }

    /// `register(with:)` in the form of older versions.
    public func register(withAppID appKey: String, cerName: String?) {
        let option = NIMSDKOption(appKey: appKey)
        option.apnsCername = cerName
        register(with: option)
    }

    /// `register(with:)` in the form of 10.x.
    public func register(withOptionV2 option: NIMSDKOption, v2Option: V2NIMSDKOption?) { register(with: option) }

    /// The key that the app was registered with.
    public func appKey() -> String? { option?.appKey }

    /// The version that this double simulates.
    public func sdkVersion() -> String { "9.0.0" }

    /// The vendor's flag for its demo key: always false.
    public func isUsingDemoAppKey() -> Bool { false }

    /// Stores the push token; nothing is pushed here.
    public func updateApnsToken(_ token: Data) -> String { token.map { String($0, radix: 16) }.joined() }
}

/// The options of a registration.
public final class NIMSDKOption: @unchecked Sendable {
    public var appKey: String?
    public var apnsCername: String?
    public var pkCername: String?

    public init(appKey: String? = nil) { self.appKey = appKey }

    /// The form in which the vendor's class method is imported.
    public static func option(withAppKey appKey: String) -> NIMSDKOption { NIMSDKOption(appKey: appKey) }
}

/// Settings of the SDK, to be made before it is registered.
public final class NIMSDKConfig: @unchecked Sendable {
    /// The number of failed automatic logins in a row after which the app is notified (NIM-6); 0 for never.
    public var maxAutoLoginRetryTimes = 0
    public var maximumLogDays = 7
    public var reconnectInBackgroundStateDisabled = false
    public var customTag: String?

    // MARK: Without effect

    public weak var delegate: (any NIMSDKConfigDelegate)?
    public var enabledHttpsForInfo = true
    public var enabledHttpsForMessage = true
    public var shouldSyncUnreadCount = false
    public var shouldSyncStickTopSessionInfos = false
    public var shouldCountTeamNotification = false
    public var shouldConsiderRevokedMessageUnreadCount = false
    public var fetchAttachmentAutomaticallyAfterReceiving = true
    public var fetchAttachmentAutomaticallyAfterReceivingInChatroom = false
    public var asyncLoadRecentSessionEnabled = false
    public var animatedImageThumbnailEnabled = false
    public var teamReceiptEnabled = false
    public var fileProtectionNone = false
    public var hostEnableIDN = false
    public var maximumLoadDays = 7

    /// The settings of the process in which the calling code runs.
    public static func shared() -> NIMSDKConfig {
        SDKClient.current(for: "NIMSDKConfig.shared()").singleton { _ in NIMSDKConfig() }
    }

    /// The folder of the SDK's files. Without effect: they are in the device's storage.
    public func setupSDKDir(_ path: String) {}
}
