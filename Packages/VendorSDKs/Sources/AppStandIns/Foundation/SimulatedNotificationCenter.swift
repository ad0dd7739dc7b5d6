import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `NotificationCenter`: each simulated process has its own default one, so that observers end with it.
open class SimulatedNotificationCenter: @unchecked Sendable {
    private let center = NotificationCenter()
    /// The observers with a method.
    var observations: [Observation] = []

    public init() {}

    open class var `default`: SimulatedNotificationCenter {
        let scheduler = VirtualScheduler.required(for: "NotificationCenter.default")
        let key = Key(process: scheduler.currentProcess)
        if let known = scheduler.attachments[key] as? SimulatedNotificationCenter { return known }
        let created = SimulatedNotificationCenter()
        scheduler.attachments[key] = created
        return created
    }

    private struct Key: Hashable {
        let process: ProcessID?
    }

    /// With the main queue, a block runs on the simulated main thread, and the poster waits for it. Other operation
    /// queues are real threads: their blocks run on the poster's thread.
    @preconcurrency open func addObserver(
        forName name: Notification.Name?, object: Any?, queue: OperationQueue?,
        using block: @escaping @Sendable (Notification) -> Void
    ) -> any NSObjectProtocol {
        let isForMain = queue === OperationQueue.main
        return center.addObserver(forName: name, object: object, queue: nil) { notification in
            guard isForMain, let scheduler = VirtualScheduler.current, scheduler.place != .main else {
                return block(notification)
            }
            SimulatedDispatchQueue.main.sync { block(notification) }
        }
    }

    open func removeObserver(_ observer: Any) {
        removeObserver(observer, name: nil, object: nil)
    }

    open func removeObserver(_ observer: Any, name: Notification.Name?, object: Any?) {
        center.removeObserver(observer, name: name, object: object)
        observations.removeAll { observation in
            guard observation.target.object === observer as AnyObject, name == nil || observation.name == name else {
                return observation.target.object == nil
            }
            center.removeObserver(observation.token)
            return true
        }
    }

    open func post(_ notification: Notification) {
        center.post(notification)
    }

    open func post(name: Notification.Name, object: Any?, userInfo: [AnyHashable: Any]? = nil) {
        center.post(name: name, object: object, userInfo: userInfo)
    }
}
