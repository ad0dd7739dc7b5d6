import Foundation
import VirtualTime

/// What an app's `NotificationCenter` is: each simulated process has a default one of its own, so that observers end
/// with it.
open class SimulatedNotificationCenter: NotificationCenter, @unchecked Sendable {
    override open class var `default`: NotificationCenter {
        guard let scheduler = VirtualScheduler.current else { return super.default }
        let key = Key(process: scheduler.currentProcess)
        if let known = scheduler.attachments[key] as? SimulatedNotificationCenter { return known }
        let created = SimulatedNotificationCenter()
        scheduler.attachments[key] = created
        return created
    }

    private struct Key: Hashable {
        let process: ProcessID?
    }
}
