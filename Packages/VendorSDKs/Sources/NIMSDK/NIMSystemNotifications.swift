import Foundation
import SimulatedApp

// All of it lives on the job thread of virtual time, so it is Sendable.

/// A notification of an app's own, between users. None occurs here.
public final class NIMCustomSystemNotification: NSObject, @unchecked Sendable {
    public var notificationId = ""
    public var timestamp: TimeInterval = 0
    public var sender: String?
    public var receiver: String?
    public var receiverType = NIMSessionType.P2P
    public var content: String?
    public var sendToOnlineUsersOnly = true
    public var apnsContent: String?
    public var apnsPayload: [AnyHashable: Any]?

    public init(content: String) { self.content = content }
}

/// A notification of the system, such as those of friends and teams. None occurs here.
public final class NIMSystemNotification: NSObject, @unchecked Sendable {
    public let notificationId: Int64 = 0
    public let timestamp: TimeInterval = 0
    public let sourceID: String? = nil
    public let targetID: String? = nil
    public let postscript: String? = nil
    public var read = false
}

/// Receives notifications. All methods are optional.
public protocol NIMSystemNotificationManagerDelegate: AnyObject {
    func onReceive(_ notification: NIMSystemNotification)
    func onReceive(_ notification: NIMCustomSystemNotification)
    func onSystemNotificationCountChanged(_ unreadCount: Int)
}

extension NIMSystemNotificationManagerDelegate {
    public func onReceive(_ notification: NIMSystemNotification) {}
    public func onReceive(_ notification: NIMCustomSystemNotification) {}
    public func onSystemNotificationCountChanged(_ unreadCount: Int) {}
}

/// Notifications. Not simulated: none occur, and a custom one is not sent, which the session notes.
public final class NIMSystemNotificationManager: @unchecked Sendable {
    private let client: SDKClient
    private let delegates = DelegateList<any NIMSystemNotificationManagerDelegate>()

    init(_ client: SDKClient) { self.client = client }

    public func add(_ delegate: any NIMSystemNotificationManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMSystemNotificationManagerDelegate) { delegates.remove(delegate) }
    public func allUnreadCount() -> Int { 0 }
    public func fetchSystemNotifications(
        _ notification: NIMSystemNotification?, limit: Int
    ) -> [NIMSystemNotification]? { [] }
    public func markAllNotificationsAsRead() {}
    public func markNotifications(asRead notification: NIMSystemNotification) {}
    public func deleteAllNotifications() {}

    public func sendCustomNotification(
        _ notification: NIMCustomSystemNotification, to session: NIMSession, completion: NIMLoginHandler? = nil
    ) {
        client.refuse("sendCustomNotification") { completion?($0) }
    }
}

extension SDKClient {
    /// Ends a call that is not simulated, with an error of the SDK, and notes it in the session.
    func refuse(_ call: String, _ completion: @escaping (any Error) -> Void) {
        note("\(call) is not simulated, and ends with an error")
        let error = NSError(domain: NIMLocalErrorDomain, code: NIMLocalErrorCode.unknownError.rawValue)
        enqueue("a completion") { completion(error) }
    }
}

/// Receives events of recording and playing; none occur.
public protocol NIMMediaManagerDelegate: AnyObject {}

/// Recording and playing, which are not simulated.
public final class NIMMediaManager: @unchecked Sendable {
    private let delegates = DelegateList<any NIMMediaManagerDelegate>()

    public func add(_ delegate: any NIMMediaManagerDelegate) { delegates.add(delegate) }
    public func remove(_ delegate: any NIMMediaManagerDelegate) { delegates.remove(delegate) }
}
