import Foundation

/// The device that has taken this one's place.
///
/// Used on the job thread of virtual time alone.
public final class AgoraChatLoginExtensionInfo: NSObject, @unchecked Sendable {
    /// Its name; empty where nobody gave it one.
    public var deviceName = ""
    /// What its app set as `loginExtensionInfo`; empty for nothing.
    public var extensionInfo = ""
}

/// Is told what becomes of the login. All of it is optional.
public protocol AgoraChatClientDelegate: AnyObject {
    /// CHAT-1.
    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState)
    /// The automatic login that began with `initializeSDK(with:)` has ended; nil for well.
    func autoLoginDidCompleteWithError(_ aError: AgoraChatError?)
    /// 206 and 220: another device has the place (CHAT-2, CHAT-3).
    func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?)
    /// The same as of 4.1 to 4.7; told where the one above is not there.
    func userAccountDidLoginFromOtherDevice(_ aDeviceName: String?)
    /// The same as before 4.1; told where neither of those above is there.
    func userAccountDidLoginFromOtherDevice()
    /// 207 (CHAT-10).
    func userAccountDidRemoveFromServer()
    /// 305 (CHAT-10).
    func userDidForbidByServer()
    /// 8, 202, 214, 216, 217 (CHAT-6, CHAT-10).
    func userAccountDidForced(toLogout aError: AgoraChatError?)
    /// 109: 80 % of the token's life are over (CHAT-10).
    func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode)
    /// 108: all of it; the login has ended (CHAT-10).
    func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode)
    /// What waited for the device is being pulled (CHAT-12); not told where nothing waits.
    func onOfflineMessageSyncStart()
    /// It has been; not told where the link broke meanwhile.
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

/// Is told what the user does on other devices (CHAT-8, CHAT-9). All of it is optional.
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

/// Is told each line of the SDK's log: calls and how they end, callbacks, changes of the state.
public protocol AgoraChatLogDelegate: AnyObject {
    func logDidOutput(_ log: String)
}

extension AgoraChatLogDelegate {
    public func logDidOutput(_ log: String) {}
}
