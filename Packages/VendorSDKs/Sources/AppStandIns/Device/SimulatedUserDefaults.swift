import Foundation
import VirtualTime

// All of it lives on the job thread of virtual time, so it is Sendable.

/// The double of `UserDefaults`: a part of the device's storage, so that it outlives the process.
public final class SimulatedUserDefaults: @unchecked Sendable {
    public static let didChangeNotification = Notification.Name("NSUserDefaultsDidChangeNotification")

    public static var standard: SimulatedUserDefaults { SimulatedUserDefaults(storage: .current, suite: "") }

    private let storage: DeviceStorage
    private let suite: String
    /// Registered values belong to the process and are used last.
    private var registered: [String: Any] {
        get { VirtualScheduler.current?.attachments[registrationKey] as? [String: Any] ?? [:] }
        set { VirtualScheduler.current?.attachments[registrationKey] = newValue }
    }

    private var registrationKey: [String] {
        ["registered defaults", suite, VirtualScheduler.current?.currentProcess?.description ?? ""]
    }

    private init(storage: DeviceStorage, suite: String) {
        self.storage = storage
        self.suite = suite
    }

    public convenience init?(suiteName: String?) {
        self.init(storage: .current, suite: suiteName ?? "")
    }

    public func object(forKey key: String) -> Any? {
        storage.defaults[suite]?[key] ?? registered[key]
    }

    public func set(_ value: Any?, forKey key: String) {
        storage.defaults[suite, default: [:]][key] = value
        SimulatedNotificationCenter.default.post(name: Self.didChangeNotification, object: self)
    }

    public func removeObject(forKey key: String) {
        set(nil, forKey: key)
    }

    public func value(forKey key: String) -> Any? { object(forKey: key) }
    public func setValue(_ value: Any?, forKey key: String) { set(value, forKey: key) }
    public func string(forKey key: String) -> String? {
        object(forKey: key) as? String ?? (object(forKey: key) as? any Numeric).map { "\($0)" }
    }
    public func data(forKey key: String) -> Data? { object(forKey: key) as? Data }
    public func url(forKey key: String) -> URL? { object(forKey: key) as? URL }
    public func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }
    public func stringArray(forKey key: String) -> [String]? { object(forKey: key) as? [String] }
    public func dictionary(forKey key: String) -> [String: Any]? { object(forKey: key) as? [String: Any] }

    public func bool(forKey key: String) -> Bool {
        switch object(forKey: key) {
        case let value as Bool: value
        case let value as Int: value != 0
        case let value as Double: value != 0
        case let value as String: ["YES", "yes", "true", "TRUE", "1"].contains(value)
        default: false
        }
    }

    public func integer(forKey key: String) -> Int {
        switch object(forKey: key) {
        case let value as any BinaryInteger: Int(truncatingIfNeeded: value)
        case let value as Bool: value ? 1 : 0
        case let value as any BinaryFloatingPoint: Int(Double(value))
        case let value as String: Int(value) ?? 0
        default: 0
        }
    }

    public func double(forKey key: String) -> Double {
        switch object(forKey: key) {
        case let value as any BinaryFloatingPoint: Double(value)
        case let value as any BinaryInteger: Double(Int(truncatingIfNeeded: value))
        case let value as Bool: value ? 1 : 0
        case let value as String: Double(value) ?? 0
        default: 0
        }
    }

    public func float(forKey key: String) -> Float { Float(double(forKey: key)) }

    public func register(defaults: [String: Any]) {
        registered.merge(defaults) { $1 }
    }

    public func dictionaryRepresentation() -> [String: Any] {
        registered.merging(storage.defaults[suite] ?? [:]) { $1 }
    }

    public func removePersistentDomain(forName name: String) {
        storage.defaults[name] = nil
    }

    public func persistentDomain(forName name: String) -> [String: Any]? { storage.defaults[name] }

    @discardableResult
    public func synchronize() -> Bool { true }
}
