import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The other party of a conversation.
public final class NIMSession: Hashable, Sendable {
    public let sessionId: String
    public let sessionType: NIMSessionType

    public init(_ sessionId: String, type: NIMSessionType) {
        self.sessionId = sessionId
        sessionType = type
    }

    public static func == (left: NIMSession, right: NIMSession) -> Bool {
        left.sessionId == right.sessionId && left.sessionType == right.sessionType
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(sessionId) }
}

/// A message. Only its texts are transmitted here.
public final class NIMMessage: @unchecked Sendable {
    public var text: String?
    /// `custom` with a custom object.
    public var messageType: NIMMessageType { messageObject is NIMCustomObject ? .custom : .text }
    public internal(set) var messageId = ""
    public internal(set) var from: String?
    public internal(set) var session: NIMSession?
    public internal(set) var timestamp: TimeInterval = 0
    public internal(set) var deliveryState = NIMMessageDeliveryState.delivering
    public internal(set) var isReceivedMsg = false

    // It stays on this device: only texts are transmitted.

    public var messageObject: (any NIMMessageObject)?
    public var setting: NIMMessageSetting?
    public var apnsContent: String?
    public var apnsPayload: [AnyHashable: Any]?
    public var remoteExt: [AnyHashable: Any]?
    public var localExt: [AnyHashable: Any]?

    public init() {}
}

/// Receives message events. All methods are optional.
public protocol NIMChatManagerDelegate: AnyObject {
    func willSend(_ message: NIMMessage)
    func send(_ message: NIMMessage, didCompleteWithError error: (any Error)?)
    func onRecvMessages(_ messages: [NIMMessage])
    /// Not simulated: never called.
    func onRecvRevokeMessageNotification(_ notification: NIMRevokeMessageNotification)
}

/// A message was revoked. None occurs here.
public final class NIMRevokeMessageNotification: NSObject, @unchecked Sendable {
    public let message: NIMMessage? = nil
    public let messageFromUserId: String? = nil
    public let timestamp: TimeInterval = 0
}

extension NIMChatManagerDelegate {
    public func willSend(_ message: NIMMessage) {}
    public func send(_ message: NIMMessage, didCompleteWithError error: (any Error)?) {}
    public func onRecvMessages(_ messages: [NIMMessage]) {}
    public func onRecvRevokeMessageNotification(_ notification: NIMRevokeMessageNotification) {}
}

/// Sends messages, and reports received ones.
public protocol NIMChatManager: AnyObject {
    /// - Throws: an error that is found at once; the delegates get the result of sending.
    func send(_ message: NIMMessage, to session: NIMSession) throws
    func add(_ delegate: any NIMChatManagerDelegate)
    func remove(_ delegate: any NIMChatManagerDelegate)
}
