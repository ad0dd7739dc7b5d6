import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The data that a simulated device keeps when an app's process ends: defaults, keychain, files, and the state of its
/// network.
///
/// Its owner attaches it to each process on the device. The stand-ins find it through the process whose code runs.
/// Several processes of one device may share it, such as an app and its extension.
public final class DeviceStorage: @unchecked Sendable {
    /// By the name of the suite; the app's own suite has the name "".
    public internal(set) var defaults: [String: [String: Any]] = [:]
    public internal(set) var keychain: [KeychainItem] = []
    /// By path; for the simulated SDKs. An app's own use of `FileManager` is not simulated.
    public var files: [String: Data] = [:]
    public let network = DeviceNetwork()
    /// The output of the app's loggers, oldest first.
    public internal(set) var log: [LogLine] = []

    public init() {}

    /// Attaches a process to this device.
    public func attach(to process: ProcessID?, in scheduler: VirtualScheduler) {
        scheduler.attachments[Key(process: process)] = self
    }

    /// The device on which the calling code runs. The test's own code has a separate one for each run.
    public static var current: DeviceStorage {
        let scheduler = VirtualScheduler.required(for: "a device's storage")
        let key = Key(process: scheduler.currentProcess)
        if let known = scheduler.attachments[key] as? DeviceStorage { return known }
        let created = DeviceStorage()
        scheduler.attachments[key] = created
        return created
    }

    private struct Key: Hashable {
        let process: ProcessID?
    }
}

/// A line that an app's logger wrote.
public struct LogLine: Sendable, Equatable {
    public let time: UInt64
    public let process: ProcessID?
    public let subsystem: String
    public let category: String
    public let level: String
    public let text: String
}

extension DeviceStorage {
    /// Stores a line of the calling code. Outside of virtual time there is no log.
    public static func log(subsystem: String, category: String, level: String, text: String) {
        guard let scheduler = VirtualScheduler.current else { return }
        current.log.append(
            LogLine(
                time: scheduler.now, process: scheduler.currentProcess, subsystem: subsystem, category: category,
                level: level, text: text))
    }
}
