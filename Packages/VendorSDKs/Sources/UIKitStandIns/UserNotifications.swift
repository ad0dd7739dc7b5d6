import AppStandIns
import Foundation

public struct UNAuthorizationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let badge = UNAuthorizationOptions(rawValue: 1)
    public static let sound = UNAuthorizationOptions(rawValue: 2)
    public static let alert = UNAuthorizationOptions(rawValue: 4)
}

public struct UNNotificationPresentationOptions: OptionSet, Sendable {
    public let rawValue: UInt

    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let badge = UNNotificationPresentationOptions(rawValue: 1)
    public static let sound = UNNotificationPresentationOptions(rawValue: 2)
    public static let alert = UNNotificationPresentationOptions(rawValue: 4)
    public static let list = UNNotificationPresentationOptions(rawValue: 8)
    public static let banner = UNNotificationPresentationOptions(rawValue: 16)
}

open class UNNotificationContent: NSObject, @unchecked Sendable {
    public var title = ""
    public var subtitle = ""
    public var body = ""
    public var badge: NSNumber?
    public var sound: UNNotificationSound?
    public var userInfo: [AnyHashable: Any] = [:]
}

public final class UNMutableNotificationContent: UNNotificationContent, @unchecked Sendable {}

public final class UNNotificationSound: NSObject, Sendable {
    public static let `default` = UNNotificationSound()
}

open class UNNotificationTrigger: NSObject, @unchecked Sendable {}

public final class UNTimeIntervalNotificationTrigger: UNNotificationTrigger, @unchecked Sendable {
    public init(timeInterval: TimeInterval, repeats: Bool) {}
}

public final class UNNotificationRequest: NSObject, @unchecked Sendable {
    public let identifier: String
    public let content: UNNotificationContent

    public init(identifier: String, content: UNNotificationContent, trigger: UNNotificationTrigger?) {
        self.identifier = identifier
        self.content = content
    }
}

public final class UNNotification: NSObject, @unchecked Sendable {
    public let request: UNNotificationRequest

    public init(request: UNNotificationRequest) { self.request = request }
}

public final class UNNotificationResponse: NSObject, @unchecked Sendable {
    public let notification: UNNotification

    public init(notification: UNNotification) { self.notification = notification }
}

public protocol UNUserNotificationCenterDelegate: AnyObject {}

/// The user allows everything, and nothing is shown.
public final class UNUserNotificationCenter: NSObject, @unchecked Sendable {
    private static let shared = UNUserNotificationCenter()

    public static func current() -> UNUserNotificationCenter { shared }

    public weak var delegate: (any UNUserNotificationCenterDelegate)?

    @preconcurrency public func requestAuthorization(
        options: UNAuthorizationOptions = [], completionHandler: @escaping @Sendable (Bool, (any Error)?) -> Void
    ) {
        SimulatedDispatchQueue.global().async { completionHandler(true, nil) }
    }

    public func requestAuthorization(options: UNAuthorizationOptions = []) async throws -> Bool { true }

    @preconcurrency public func add(
        _ request: UNNotificationRequest, withCompletionHandler handler: (@Sendable ((any Error)?) -> Void)? = nil
    ) {
        guard let handler else { return }
        SimulatedDispatchQueue.global().async { handler(nil) }
    }

    public func removeAllPendingNotificationRequests() {}
    public func removeAllDeliveredNotifications() {}
    public func removePendingNotificationRequests(withIdentifiers identifiers: [String]) {}
    public func removeDeliveredNotifications(withIdentifiers identifiers: [String]) {}
}
