import Foundation

// All of it lives on the job thread of virtual time, which is why it is Sendable.

/// What an app's `#selector(…)` is in a copy without Objective-C: the method itself.
public struct SimulatedSelector: @unchecked Sendable {
    private let call: (AnyObject, Any?) -> Void

    /// A name. It calls nothing.
    public init(_ name: String) { call = { _, _ in } }

    /// A method without a parameter.
    public init<Target: AnyObject>(_ method: @escaping (Target) -> () -> Void) {
        call = { target, _ in
            if let target = target as? Target { method(target)() }
        }
    }

    /// A method that takes what calls it, such as a timer or a notification.
    public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender) -> Void) {
        call = { target, sender in
            if let target = target as? Target, let sender = sender as? Sender { method(target)(sender) }
        }
    }

    /// A method of the main actor.
    public init<Target: AnyObject>(_ method: @escaping @MainActor (Target) -> @MainActor () -> Void) {
        self.init(unsafeBitCast(method, to: ((Target) -> () -> Void).self))
    }

    /// The same with what calls it.
    public init<Target: AnyObject, Sender>(_ method: @escaping @MainActor (Target) -> @MainActor (Sender) -> Void) {
        self.init(unsafeBitCast(method, to: ((Target) -> (Sender) -> Void).self))
    }

    func send(to target: Any, _ sender: Any?) { call(target as AnyObject, sender) }
}

extension SimulatedNotificationCenter {
    /// Calls a method of an object for each notification, until it is removed or gone.
    public func addObserver(
        _ observer: Any, selector: SimulatedSelector, name: Notification.Name?, object: Any?
    ) {
        let target = observer as AnyObject
        let weakTarget = WeakTarget(target)
        let token = addObserver(forName: name, object: object, queue: nil) { notification in
            if let target = weakTarget.object { selector.send(to: target, notification) }
        }
        observations.removeAll { $0.target.object == nil }
        observations.append(Observation(target: weakTarget, name: name, token: token))
    }
}

extension SimulatedTimer {
    /// Calls a method of an object, which it keeps until it is invalid.
    @discardableResult
    public static func scheduledTimer(
        timeInterval interval: TimeInterval, target: Any, selector: SimulatedSelector, userInfo: Any?, repeats: Bool,
        file: StaticString = #fileID, line: UInt = #line
    ) -> SimulatedTimer {
        nonisolated(unsafe) let target = target
        return scheduledTimer(withTimeInterval: interval, repeats: repeats, file: file, line: line) { timer in
            selector.send(to: target, timer)
        }
    }

    public convenience init(
        timeInterval interval: TimeInterval, target: Any, selector: SimulatedSelector, userInfo: Any?, repeats: Bool,
        file: StaticString = #fileID, line: UInt = #line
    ) {
        nonisolated(unsafe) let target = target
        self.init(timeInterval: interval, repeats: repeats, file: file, line: line) { timer in
            selector.send(to: target, timer)
        }
    }
}

extension NSObjectProtocol {
    /// Whether an object has a method: always, because optional methods have a default in the copy.
    public func responds(to selector: SimulatedSelector) -> Bool { true }
}

extension NSObject {
    /// Calls a method later, on the main thread.
    public func perform(_ selector: SimulatedSelector, with argument: Any?, afterDelay delay: TimeInterval) {
        nonisolated(unsafe) let argument = argument
        nonisolated(unsafe) let target = self
        SimulatedTimer.scheduledTimer(withTimeInterval: delay, repeats: false) { _ in
            selector.send(to: target, argument)
        }
    }
}

/// An observer that is called by a method.
struct Observation {
    let target: WeakTarget
    let name: Notification.Name?
    let token: any NSObjectProtocol
}

final class WeakTarget: @unchecked Sendable {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}

/// What an app's `autoreleasepool` is where there is no Objective-C.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
