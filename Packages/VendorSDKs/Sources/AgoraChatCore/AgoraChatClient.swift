import AppStandIns
import Foundation
import IMClient
import IMProtocol
import SimulatedApp

/// A test double of Agora's Chat SDK (Easemob) for iOS, as of 4.15.0. Not affiliated with the vendor: it connects only
/// to the simulated server of the test (`withSimulation("agora-chat") { … }`).
///
/// Each process of an app has its own. Used on the job thread of virtual time alone.
public final class AgoraChatClient: NSObject, @unchecked Sendable {
    let core: ChatCore
    /// Messages and conversations.
    public let chatManager: (any IAgoraChatManager)?
    /// Contacts, and the user's other devices as contacts.
    public let contactManager: (any IAgoraChatContactManager)?
    /// Chat rooms.
    public let roomManager: (any IAgoraChatroomManager)?

    /// Groups. Not simulated.
    public let groupManager: AgoraChatGroupManager?
    /// Users' profiles. Not simulated.
    public let userInfoManager: AgoraChatUserInfoManager?
    /// Presence. Not simulated.
    public let presenceManager: AgoraChatPresenceManager?
    /// Push notifications. Not simulated.
    public let pushManager: AgoraChatPushManager?

    private init(_ sdk: SDKClient) {
        core = ChatCore(sdk)
        chatManager = ChatManager(core)
        contactManager = ContactManager(core)
        roomManager = RoomManager(core)
        groupManager = AgoraChatGroupManager(core)
        userInfoManager = AgoraChatUserInfoManager(core)
        presenceManager = AgoraChatPresenceManager(core)
        pushManager = AgoraChatPushManager(core)
    }

    /// The client of the process in which the calling code runs.
    public static func shared() -> AgoraChatClient {
        SDKClient.current(for: "AgoraChatClient.shared()").singleton { AgoraChatClient($0) }
    }

    // MARK: State

    /// The version that this double simulates.
    public var version: String { "4.15.0" }

    /// The logged-in user. Nil if nobody is logged in.
    public var currentUsername: String? { core.isLoggedIn ? core.user : nil }

    /// The options of `initializeSDK(with:)`.
    public var options: AgoraChatOptions { core.options ?? AgoraChatOptions(appkey: "") }

    /// True if the SDK logs in by itself at its next start. False after a login that failed because of the user, and
    /// after a logout or a kick (CHAT-10).
    public var isAutoLogin: Bool { core.isAutologinEnabled && core.autologinUser != nil }

    /// True from the start of an automatic login, or the success of another one, to the end of the login; also without
    /// a connection.
    public var isLoggedIn: Bool { core.isLoggedIn }

    /// CHAT-1.
    public var isConnected: Bool { [.online, .syncing].contains(core.state) }

    /// The token of the login. If the app set none, the server makes one.
    public var accessUserToken: String? {
        currentUsername.map { core.accessToken(of: $0) }
    }

    // MARK: Initialisation

    /// To be called once, before anything else. Starts an automatic login of the last user if the options allow it;
    /// `autoLoginDidCompleteWithError(_:)` reports its result.
    @discardableResult
    public func initializeSDK(with aOptions: AgoraChatOptions) -> AgoraChatError? {
        guard core.options == nil else { return nil }
        guard !aOptions.appkey.isEmpty || aOptions.appId?.isEmpty == false else {
            return AgoraChatError(.invalidAppkey)
        }
        core.options = aOptions
        core.isAutologinEnabled = aOptions.isAutoLogin
        core.describeDevice()
        core.startAutologin()
        return nil
    }

    /// Sets another key while nobody is logged in. All keys are one application here.
    @discardableResult
    public func changeAppkey(_ aAppkey: String) -> AgoraChatError? {
        guard core.user == nil else {
            core.violated("CHAT-5", "changeAppkey while somebody is logged in")
            return AgoraChatError(.userAlreadyLoginSame)
        }
        guard !aAppkey.isEmpty else { return AgoraChatError(.invalidAppkey) }
        core.options?.appkey = aAppkey
        return nil
    }

    // MARK: Delegates

    /// Adds a delegate. Weak. Several are notified in the order in which they were added.
    ///
    /// - Parameter aQueue: the queue of its callbacks; nil for the main queue.
    public func add(_ aDelegate: any AgoraChatClientDelegate, delegateQueue aQueue: SimulatedDispatchQueue?) {
        core.clientDelegates.add(aDelegate, queue: aQueue)
    }

    public func removeDelegate(_ aDelegate: Any) { core.clientDelegates.remove(aDelegate as AnyObject) }

    public func addMultiDevices(delegate: any AgoraChatMultiDevicesDelegate, queue: SimulatedDispatchQueue?) {
        core.deviceDelegates.add(delegate, queue: queue)
    }

    public func remove(_ aDelegate: any AgoraChatMultiDevicesDelegate) { core.deviceDelegates.remove(aDelegate) }

    public func addLog(delegate: any AgoraChatLogDelegate, queue: SimulatedDispatchQueue?) {
        core.logDelegates.add(delegate, queue: queue)
    }

    public func removeLog(delegate: any AgoraChatLogDelegate) { core.logDelegates.remove(delegate) }

    /// Writes a line of the app to the log.
    public func log(_ aLog: String) { core.log(aLog) }

    // MARK: The app's state, and push

    /// To be called by the app as it moves to the background.
    public func applicationDidEnterBackground(_ aApplication: Any) { core.moved(toFront: false) }

    /// To be called by the app as it comes back to the front: the connection is checked, and a waiting retry is made at
    /// once (C-9, C-10).
    public func applicationWillEnterForeground(_ aApplication: Any) { core.moved(toFront: true) }

    /// Stores the push token; nothing is pushed here.
    public func registerForRemoteNotifications(
        withDeviceToken aDeviceToken: Data, completion aCompletionBlock: ((AgoraChatError?) -> Void)? = nil
    ) {
        core.later { aCompletionBlock?(nil) }
    }

    /// Like `registerForRemoteNotifications(withDeviceToken:completion:)`, as a blocking call.
    @discardableResult
    public func bindDeviceToken(_ aDeviceToken: Data) -> AgoraChatError? { nil }
}
