import Foundation

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `#selector(…)` in a copy without Objective-C: the method itself.
public struct SimulatedSelector: @unchecked Sendable {
    private let call: (AnyObject, Any?) -> Void

    /// A selector with only a name. It calls nothing.
    public init(_ name: String) { call = { _, _ in } }

    /// A method without a parameter.
    public init<Target: AnyObject>(_ method: @escaping (Target) -> () -> Void) {
        call = { target, _ in
            if let target = target as? Target { method(target)() }
        }
    }

    /// A method with the sender as a parameter, such as a timer or a notification.
    public init<Target: AnyObject, Sender>(_ method: @escaping (Target) -> (Sender) -> Void) {
        call = { target, sender in
            if let target = target as? Target, let sender = sender as? Sender { method(target)(sender) }
        }
    }

    /// A method of the main actor.
    public init<Target: AnyObject>(_ method: @escaping @MainActor (Target) -> @MainActor () -> Void) {
        self.init(unsafeBitCast(method, to: ((Target) -> () -> Void).self))
    }

    /// A method of the main actor with the sender as a parameter.
    public init<Target: AnyObject, Sender>(_ method: @escaping @MainActor (Target) -> @MainActor (Sender) -> Void) {
        self.init(unsafeBitCast(method, to: ((Target) -> (Sender) -> Void).self))
    }

    func send(to target: Any, _ sender: Any?) { call(target as AnyObject, sender) }
}

extension SimulatedNotificationCenter {
    /// Calls a method of an object for each notification, until the observer is removed or the object is released.
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
    /// Calls a method of an object, which the timer retains until it is invalid.
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
    /// True for all methods, because optional methods have a default in the copy.
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

/// An observer with a method.
struct Observation {
    let target: WeakTarget
    let name: Notification.Name?
    let token: any NSObjectProtocol
}

final class WeakTarget: @unchecked Sendable {
    weak var object: AnyObject?

    init(_ object: AnyObject) { self.object = object }
}

/// The double of `autoreleasepool` without Objective-C.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result { try body() }
