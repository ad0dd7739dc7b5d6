import AppStandIns
@_exported import Foundation
import VirtualTime

/// The parts of UIKit that login code uses without a user interface. There is no screen here.
@preconcurrency @MainActor open class UIResponder: NSObject {}

/// An app at the front or in the background, as the test moves it (`SimulatedDevice.background()`).
public final class UIApplication: UIResponder {
    public static let shared = UIApplication()

    public enum State: Int, Sendable {
        case active
        case inactive
        case background
    }

    public struct LaunchOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }

        public static let remoteNotification = LaunchOptionsKey(
            rawValue: "UIApplicationLaunchOptionsRemoteNotificationKey")
        public static let url = LaunchOptionsKey(rawValue: "UIApplicationLaunchOptionsURLKey")
    }

    public struct OpenExternalURLOptionsKey: RawRepresentable, Hashable, Sendable {
        public let rawValue: String

        public init(rawValue: String) { self.rawValue = rawValue }
    }

    public var delegate: (any UIApplicationDelegate)? {
        get { ApplicationParts.current.delegate }
        set { ApplicationParts.current.delegate = newValue }
    }

    public var applicationState: State { DeviceApplication.current.isInFront ? .active : .background }
    public var applicationIconBadgeNumber: Int {
        get { ApplicationParts.current.badge }
        set { ApplicationParts.current.badge = newValue }
    }
    public var isIdleTimerDisabled: Bool {
        get { ApplicationParts.current.isIdleTimerDisabled }
        set { ApplicationParts.current.isIdleTimerDisabled = newValue }
    }
    public var isProtectedDataAvailable: Bool { true }
    public var backgroundTimeRemaining: TimeInterval { .greatestFiniteMagnitude }
    public var keyWindow: UIWindow? { nil }
    public var windows: [UIWindow] { [] }
    public var connectedScenes: Set<UIScene> { [] }
    public var isRegisteredForRemoteNotifications: Bool { false }

    /// Nothing is pushed here.
    public func registerForRemoteNotifications() {}
    public func unregisterForRemoteNotifications() {}
    public func canOpenURL(_ url: URL) -> Bool { false }

    public func open(
        _ url: URL, options: [OpenExternalURLOptionsKey: Any] = [:], completionHandler: ((Bool) -> Void)? = nil
    ) {
        completionHandler?(false)
    }

    // The system lets an app continue here: the SDK decides about the connection.

    public nonisolated func beginBackgroundTask(expirationHandler handler: (() -> Void)? = nil)
        -> UIBackgroundTaskIdentifier
    {
        ApplicationParts.current.nextTask()
    }

    public nonisolated func beginBackgroundTask(withName name: String?, expirationHandler handler: (() -> Void)? = nil)
        -> UIBackgroundTaskIdentifier
    {
        ApplicationParts.current.nextTask()
    }

    public nonisolated func endBackgroundTask(_ identifier: UIBackgroundTaskIdentifier) {}
}

// As in UIKit's own interface, they may be used in any isolation.
extension UIApplication {
    public nonisolated static let willEnterForegroundNotification = DeviceApplication.willEnterForeground
    public nonisolated static let didBecomeActiveNotification = DeviceApplication.didBecomeActive
    public nonisolated static let willResignActiveNotification = DeviceApplication.willResignActive
    public nonisolated static let didEnterBackgroundNotification = DeviceApplication.didEnterBackground
    public nonisolated static let willTerminateNotification = DeviceApplication.willTerminate
    public nonisolated static let didReceiveMemoryWarningNotification = Notification.Name(
        "UIApplicationDidReceiveMemoryWarningNotification")
    public nonisolated static let significantTimeChangeNotification = Notification.Name(
        "UIApplicationSignificantTimeChangeNotification")
    public nonisolated static let openSettingsURLString = "app-settings:"
}

public struct UIBackgroundTaskIdentifier: RawRepresentable, Hashable, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let invalid = UIBackgroundTaskIdentifier(rawValue: 0)
}

public enum UIBackgroundFetchResult: UInt, Sendable {
    case newData
    case noData
    case failed
}

/// An app's delegate. Nothing calls it: a test that needs it calls it itself.
@preconcurrency @MainActor public protocol UIApplicationDelegate: AnyObject {}

@preconcurrency @MainActor public protocol UIWindowSceneDelegate: AnyObject {}

/// The parts of an app that belong to its process.
final class ApplicationParts: @unchecked Sendable {
    weak var delegate: (any UIApplicationDelegate)?
    var badge = 0
    var isIdleTimerDisabled = false
    private var lastTask = 0

    func nextTask() -> UIBackgroundTaskIdentifier {
        lastTask += 1
        return UIBackgroundTaskIdentifier(rawValue: lastTask)
    }

    static var current: ApplicationParts {
        let scheduler = VirtualScheduler.required(for: "UIApplication.shared")
        let key = Key(process: scheduler.currentProcess)
        if let known = scheduler.attachments[key] as? ApplicationParts { return known }
        let created = ApplicationParts()
        scheduler.attachments[key] = created
        return created
    }

    private struct Key: Hashable {
        let process: ProcessID?
    }
}
