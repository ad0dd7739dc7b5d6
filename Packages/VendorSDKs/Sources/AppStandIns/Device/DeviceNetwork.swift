import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The state of a device's network, for observers.
public final class DeviceNetwork: @unchecked Sendable {
    public enum Interface: Sendable {
        case wifi
        case cellular
    }

    /// The device's interface; nil if it has no network.
    public private(set) var interface: Interface? = .wifi
    /// Observers in the order of registration.
    private var observers: [(id: Int, process: ProcessID?, call: () -> Void)] = []
    private var lastObserver = 0

    /// Changes the interface, and notifies the observers, each as code of its process.
    public func connect(by interface: Interface?) {
        guard interface != self.interface else { return }
        self.interface = interface
        for observer in observers {
            guard let process = observer.process, let scheduler = VirtualScheduler.current else {
                observer.call()
                continue
            }
            if !scheduler.hasEnded(process) { scheduler.run(in: process, observer.call) }
        }
    }

    public func observe(_ call: @escaping () -> Void) -> Int {
        lastObserver += 1
        observers.append((lastObserver, VirtualScheduler.current?.currentProcess, call))
        return lastObserver
    }

    public func stopObserving(_ id: Int) {
        observers.removeAll { $0.id == id }
    }
}
