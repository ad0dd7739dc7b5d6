import Foundation

/// The device that has replaced this one.
///
/// Used on the job thread of virtual time alone.
public final class AgoraChatLoginExtensionInfo: NSObject, @unchecked Sendable {
    /// Its name; empty if it has none.
    public var deviceName = ""
    /// The `loginExtensionInfo` of its app; empty for nothing.
    public var extensionInfo = ""
}

/// Receives changes of the login. All methods are optional.
public protocol AgoraChatClientDelegate: AnyObject {
    /// CHAT-1.
    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState)
    /// The automatic login that started with `initializeSDK(with:)` has ended; nil for success.
    func autoLoginDidCompleteWithError(_ aError: AgoraChatError?)
    /// 206 and 220: another device has replaced this one (CHAT-2, CHAT-3).
    func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?)
    /// `userAccountDidLoginFromOtherDevice(with:)` in versions 4.1 to 4.7. Called if the app does not
    /// implement that method.
    func userAccountDidLoginFromOtherDevice(_ aDeviceName: String?)
    /// `userAccountDidLoginFromOtherDevice(with:)` before 4.1. Called if the app implements neither
    /// of the later methods.
    func userAccountDidLoginFromOtherDevice()
    /// 207 (CHAT-10).
    func userAccountDidRemoveFromServer()
    /// 305 (CHAT-10).
    func userDidForbidByServer()
    /// 8, 202, 214, 216, 217 (CHAT-6, CHAT-10).
    func userAccountDidForced(toLogout aError: AgoraChatError?)
    /// 109: 80 % of the token's lifetime has passed (CHAT-10).
    func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode)
    /// 108: the token has expired, and the login has ended (CHAT-10).
    func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode)
    /// The download of waiting messages starts (CHAT-12). Not called if none wait.
    func onOfflineMessageSyncStart()
    /// The download has finished. Not called if the connection broke meanwhile.
    func onOfflineMessageSyncFinish()
}

extension AgoraChatClientDelegate {
    public func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) {}
    public func autoLoginDidCompleteWithError(_ aError: AgoraChatError?) {}
    public func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?) {
        userAccountDidLoginFromOtherDevice(info?.deviceName)
    }
    public func userAccountDidLoginFromOtherDevice(_ aDeviceName: String?) { userAccountDidLoginFromOtherDevice() }
    public func userAccountDidLoginFromOtherDevice() {}
    public func userAccountDidRemoveFromServer() {}
    public func userDidForbidByServer() {}
    public func userAccountDidForced(toLogout aError: AgoraChatError?) {}
    public func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode) {}
    public func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode) {}
    public func onOfflineMessageSyncStart() {}
    public func onOfflineMessageSyncFinish() {}
}

/// Receives the user's actions on other devices (CHAT-8, CHAT-9). All methods are optional.
public protocol AgoraChatMultiDevicesDelegate: AnyObject {
    func multiDevicesContactEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, username aUsername: String, ext aExt: String?)
    func multiDevicesGroupEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, groupId aGroupId: String, ext aExt: Any?)
    func multiDevicesChatThreadEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, threadId aThreadId: String, ext aExt: Any?)
    func multiDevicesConversationEvent(
        _ event: AgoraChatMultiDevicesEvent, conversationId: String, conversationType: AgoraChatConversationType)
    func multiDevicesMessageBeRemoved(_ conversationId: String, deviceId: String)
}

extension AgoraChatMultiDevicesDelegate {
    public func multiDevicesContactEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, username aUsername: String, ext aExt: String?
    ) {}
    public func multiDevicesGroupEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, groupId aGroupId: String, ext aExt: Any?
    ) {}
    public func multiDevicesChatThreadEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, threadId aThreadId: String, ext aExt: Any?
    ) {}
    public func multiDevicesConversationEvent(
        _ event: AgoraChatMultiDevicesEvent, conversationId: String, conversationType: AgoraChatConversationType
    ) {}
    public func multiDevicesMessageBeRemoved(_ conversationId: String, deviceId: String) {}
}

/// Receives each line of the SDK's log: calls and their results, callbacks, changes of the state.
public protocol AgoraChatLogDelegate: AnyObject {
    func logDidOutput(_ log: String)
}

extension AgoraChatLogDelegate {
    public func logDidOutput(_ log: String) {}
}
