import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The app's state for the system of its device: at the front or not. Each process has one.
public final class DeviceApplication: @unchecked Sendable {
    public private(set) var isInFront = true

    /// The instance of the running process.
    public static var current: DeviceApplication {
        let scheduler = VirtualScheduler.required(for: "UIApplication.shared")
        let key = Key(process: scheduler.currentProcess)
        if let known = scheduler.attachments[key] as? DeviceApplication { return known }
        let created = DeviceApplication()
        scheduler.attachments[key] = created
        return created
    }

    private struct Key: Hashable {
        let process: ProcessID?
    }

    /// Posts the notifications of moving to the front or to the background. It runs as code of the process.
    public func moved(toFront isNowInFront: Bool) {
        guard isNowInFront != isInFront else { return }
        let names: [Notification.Name] =
            isNowInFront
            ? [Self.willEnterForeground, Self.didBecomeActive] : [Self.willResignActive, Self.didEnterBackground]
        post(names[0])
        isInFront = isNowInFront
        post(names[1])
    }

    private func post(_ name: Notification.Name) {
        SimulatedNotificationCenter.default.post(name: name, object: nil)
    }

    public static let willEnterForeground = Notification.Name("UIApplicationWillEnterForegroundNotification")
    public static let didBecomeActive = Notification.Name("UIApplicationDidBecomeActiveNotification")
    public static let willResignActive = Notification.Name("UIApplicationWillResignActiveNotification")
    public static let didEnterBackground = Notification.Name("UIApplicationDidEnterBackgroundNotification")
    public static let willTerminate = Notification.Name("UIApplicationWillTerminateNotification")
}
