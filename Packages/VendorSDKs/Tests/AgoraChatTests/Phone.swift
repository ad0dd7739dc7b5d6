import AgoraChat
import Foundation
import SimulatedApp

/// An app that only listens. It stores the SDK's events as text.
@MainActor
final class Phone: NSObject {
    private(set) var heard: [String] = []
    /// The most recent objects of events.
    private(set) var messages: [AgoraChatMessage] = []
    let client: AgoraChatClient
    /// Called for each event, with its text.
    var onWord: ((String) -> Void)?

    init(autologin: Bool = true, name: String? = nil, ext: String? = nil, type: Int = 0) {
        client = AgoraChatClient.shared()
        super.init()
        client.add(self, delegateQueue: nil)
        client.addMultiDevices(delegate: self, queue: nil)
        client.chatManager?.add(self, delegateQueue: nil)
        client.roomManager?.add(self, delegateQueue: nil)
        let options = AgoraChatOptions(appkey: "org#app")
        options.isAutoLogin = autologin
        options.customDeviceName = name
        options.loginExtensionInfo = ext
        options.customOSType = type
        if let error = client.initializeSDK(with: options) { note("\(error)") }
    }

    func forget() { heard = [] }

    func note(_ word: String) {
        heard.append(word)
        onWord?(word)
    }

    func say(_ text: String, to name: String, _ type: AgoraChatType = .chat) async -> AgoraChatError? {
        let message = AgoraChatMessage(
            conversationID: name, body: AgoraChatTextMessageBody(text: text), ext: nil)
        message.chatType = type
        return await client.chatManager?.send(message, progress: nil).1
    }

    /// The texts of a conversation, oldest first.
    func texts(with name: String) -> [String] {
        client.chatManager?.getConversationWithConvId(name)?
            .loadMessagesStart(fromId: nil, count: 20, searchDirection: .up)?.map(\.text) ?? []
    }
}

extension AgoraChatMessage {
    var text: String { (body as? AgoraChatTextMessageBody)?.text ?? "" }
}

extension Phone: @preconcurrency AgoraChatClientDelegate {
    func connectionStateDidChange(_ aConnectionState: AgoraChatConnectionState) { note("\(aConnectionState)") }
    func autoLoginDidCompleteWithError(_ aError: AgoraChatError?) { note("autologin \(words(aError))") }
    func userAccountDidLoginFromOtherDevice(with info: AgoraChatLoginExtensionInfo?) {
        note("other device '\(info?.deviceName ?? "")' '\(info?.extensionInfo ?? "")'")
    }
    func userAccountDidRemoveFromServer() { note("removed") }
    func userDidForbidByServer() { note("forbidden") }
    func userAccountDidForced(toLogout aError: AgoraChatError?) { note("forced \(words(aError))") }
    func tokenWillExpire(_ aErrorCode: AgoraChatErrorCode) { note("\(aErrorCode)") }
    func tokenDidExpire(_ aErrorCode: AgoraChatErrorCode) { note("\(aErrorCode)") }
    func onOfflineMessageSyncStart() { note("pull") }
    func onOfflineMessageSyncFinish() { note("pulled") }
}

extension Phone: @preconcurrency AgoraChatMultiDevicesDelegate {
    func multiDevicesContactEventDidReceive(
        _ aEvent: AgoraChatMultiDevicesEvent, username aUsername: String, ext aExt: String?
    ) {
        note("\(aEvent) \(aUsername) \(aExt ?? "-")")
    }
    func multiDevicesGroupEventDidReceive(_ aEvent: AgoraChatMultiDevicesEvent, groupId: String, ext: Any?) {
        note("\(aEvent) \(groupId) \(ext as? String ?? "-")")
    }
    func multiDevicesChatThreadEventDidReceive(_ aEvent: AgoraChatMultiDevicesEvent, threadId: String, ext: Any?) {
        note("\(aEvent) \(threadId) \(ext as? String ?? "-")")
    }
    func multiDevicesConversationEvent(
        _ event: AgoraChatMultiDevicesEvent, conversationId: String, conversationType: AgoraChatConversationType
    ) {
        note("\(event) \(conversationId) \(conversationType)")
    }
    func multiDevicesMessageBeRemoved(_ conversationId: String, deviceId: String) {
        note("removed \(conversationId) by \(deviceId)")
    }
}

extension Phone: @preconcurrency AgoraChatManagerDelegate {
    func messagesDidReceive(_ aMessages: [AgoraChatMessage]) {
        messages = aMessages
        for message in aMessages { note("\(message.chatType) \(message.from)>\(message.to): \(message.text)") }
    }
    func messagesDidRead(_ aMessages: [AgoraChatMessage]) { note("read \(aMessages.map(\.text))") }
    func onConversationRead(_ from: String, to: String) { note("\(from) read \(to)") }
    func messageStatusDidChange(_ aMessage: AgoraChatMessage, error aError: AgoraChatError?) {
        note("\(aMessage.text) \(aMessage.status)")
    }
}

extension Phone: @preconcurrency AgoraChatroomManagerDelegate {
    func userDidJoin(_ aChatroom: AgoraChatroom, user aUsername: String) {
        note("\(aChatroom.chatroomId ?? "") +\(aUsername)")
    }
    func userDidLeave(_ aChatroom: AgoraChatroom, user aUsername: String) {
        note("\(aChatroom.chatroomId ?? "") -\(aUsername)")
    }
}

/// The name of the code, or ok.
func words(_ error: AgoraChatError?) -> String { error.map { "\($0.code)" } ?? "ok" }

/// An app on a device, logged in, without the events so far.
@MainActor
func loggedIn(
    _ user: String, on name: String, in simulation: Simulation, lifetime: Duration? = nil
) async throws -> (device: SimulatedDevice, app: Phone) {
    let device = simulation.device(name)
    let app = try device.launch { Phone() }
    let token = simulation.token(for: user, lifetime: lifetime)
    try await device.run {
        let (_, error) = await app.client.login(withUsername: user, token: token)
        guard error == nil else { throw SimulationFailure(text: words(error)) }
    }
    await simulation.run(for: .seconds(1))
    app.forget()
    return (device, app)
}

struct SimulationFailure: Error {
    let text: String
}
