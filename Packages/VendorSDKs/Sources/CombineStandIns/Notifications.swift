import AppStandIns
import Foundation

extension SimulatedNotificationCenter {
    /// Publishes each notification of a name, on the poster's thread.
    public func publisher(for name: Notification.Name, object: AnyObject? = nil) -> AnyPublisher<Notification, Never> {
        DerivedPublisher { value, _ in
            let notify = NotificationHandler(call: value)
            let observer = self.addObserver(forName: name, object: object, queue: nil) { notify.call($0) }
            return AnyCancellable { self.removeObserver(observer) }
        }.eraseToAnyPublisher()
    }
}

/// Notifications are posted on the one thread of virtual time.
private struct NotificationHandler: @unchecked Sendable {
    let call: (Notification) -> Void
}
