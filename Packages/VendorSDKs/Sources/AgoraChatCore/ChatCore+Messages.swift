import Foundation
import IMClient
import IMLocalData
import IMProfiles
import IMProtocol

// Sent and received messages, and operations of other devices on them.

extension ChatCore {
    /// A local id for a message that was not sent yet.
    func makeLocalID() -> String {
        localIDs += 1
        return "local-\(localIDs)"
    }

    // MARK: Sending

    func send(_ message: AgoraChatMessage, completion: @escaping (AgoraChatError?) -> Void) {
        let finish: (AgoraChatError?) -> Void = { [weak self] error in
            message.status = error == nil ? .succeed : .failed
            self?.chatDelegates.notify { $0.messageStatusDidChange(message, error: error) }
            completion(error)
        }
        guard options != nil else {
            violated("CHAT-5", "a message before initializeSDK(with:)")
            return later { finish(AgoraChatError(.general)) }
        }
        guard let text = (message.body as? AgoraChatTextMessageBody)?.text else {
            return later { finish(AgoraChatError(.messageInvalid)) }
        }
        message.status = .delivering
        let command: ClientCommand
        switch message.chatType {
        case .chat: command = .send(to: message.to, text: text)
        case .chatRoom: command = .send(to: message.to, text: text, isToChannel: true)
        case .groupChat:
            let fields = [("conversationID", message.to), ("conversationType", "group"), ("message", text)]
            command = .change(
                ChangeRecord(kind: .message, fields: fields.map { AnswerField(name: $0.0, value: $0.1) }))
        }
        perform(command) { [weak self] outcome in
            guard let self else { return }
            let error = error(outcome.status, of: CallKind(command))
            if error == nil, message.chatType == .chat { adoptID(for: message, text) }
            finish(error)
        }
    }

    /// The device stores a sent message under the id that the receivers get. Messages with the same text get their ids
    /// in order.
    private func adoptID(for message: AgoraChatMessage, _ text: String) {
        let sent = kept.items.first {
            // The id of a received message contains the sender's name and a slash.
            $0.kind == .message && $0.text == text && $0.user == user && !$0.id.contains("/")
                && !idsOfSent.contains($0.id)
        }
        guard let sent else { return }
        idsOfSent.insert(sent.id)
        message.messageId = sent.id
    }

    /// An operation that the user's other devices are notified of (CHAT-8).
    func operate(
        _ kind: OperationKind, on target: String, ext: String = "", completion: @escaping (AgoraChatError?) -> Void
    ) {
        perform(.operate(kind, target: target, ext: ext)) { [weak self] outcome in
            completion(self?.error(outcome.status, of: .operate))
        }
    }

    // MARK: Receiving

    func received(_ message: ChatMessage) {
        let isOwn = message.from == user
        let isShared = message.isToChannel || message.isToGroup
        let notified = AgoraChatMessage(
            id: message.id, of: isShared || isOwn ? message.to : message.from, from: message.from, to: message.to,
            text: message.text, isOwn: isOwn, at: Int64(Date().timeIntervalSince1970 * 1000))
        notified.chatType = message.isToChannel ? .chatRoom : message.isToGroup ? .groupChat : .chat
        chatDelegates.notify { $0.messagesDidReceive([notified]) }
    }

    /// An operation of another device of the user. The dialect decides its callback and number.
    func operated(_ operation: DeviceOperation, _ callback: Callback) {
        let target = operation.target
        let ext = operation.ext.isEmpty ? nil : operation.ext
        let event = callback.number("event").flatMap(AgoraChatMultiDevicesEvent.init) ?? .unknow
        switch callback.name {
        case "multiDevicesContactEventDidReceive":
            deviceDelegates.notify { $0.multiDevicesContactEventDidReceive(event, username: target, ext: ext) }
        case "multiDevicesGroupEventDidReceive":
            deviceDelegates.notify { $0.multiDevicesGroupEventDidReceive(event, groupId: target, ext: ext) }
        case "multiDevicesChatThreadEventDidReceive":
            deviceDelegates.notify { $0.multiDevicesChatThreadEventDidReceive(event, threadId: target, ext: ext) }
        case "multiDevicesConversationEvent":
            let isGroup = AgoraChatConversation(target, .groupChat, of: self).isListed(by: .sdk)
            deviceDelegates.notify {
                $0.multiDevicesConversationEvent(
                    event, conversationId: target, conversationType: isGroup ? .groupChat : .chat)
            }
        case "multiDevicesMessageBeRemoved":
            let device = callback["deviceId"]
            deviceDelegates.notify { $0.multiDevicesMessageBeRemoved(target, deviceId: device) }
        case "onConversationRead":
            let reader = user ?? ""
            chatDelegates.notify { $0.onConversationRead(reader, to: target) }
        case "messagesDidRead":
            guard let message = message(target) else { return }
            message.isRead = true
            chatDelegates.notify { $0.messagesDidRead([message]) }
        default: break
        }
    }

    /// A message of the user's has reached a device of its receiver.
    func delivered(_ id: String) {
        guard let message = message(id) else { return }
        message.isDeliverAcked = true
        chatDelegates.notify { $0.messagesDidDeliver([message]) }
    }

    private func message(_ id: String) -> AgoraChatMessage? {
        conversations(by: .sdk)?.lazy.compactMap { $0.message(id, by: .sdk) }.first
    }

    /// Somebody has read messages of the user's: reports those that are newly read.
    func read(by reader: String) {
        let conversation = AgoraChatConversation(reader, .chat, of: self)
        let read = conversation.readByOthers().filter { idsOfRead.insert($0.messageId).inserted }
        for message in read { message.isReadAcked = true }
        if !read.isEmpty { chatDelegates.notify { $0.messagesDidRead(read) } }
    }
}
