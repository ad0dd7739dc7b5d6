import Foundation

#if canImport(OSLog)
    import OSLog
#endif
#if canImport(Network) && canImport(Darwin)
    import Network
#endif
#if canImport(UIKit)
    import UIKit
#endif

/// Writes an app's SDK calls and the SDK's callbacks as JSON lines that `imrepl reproduce` reads.
///
/// Its methods may be called on any thread.
public final class Tap: @unchecked Sendable {
    /// Receives each line, without a line end. The calls come one after the other.
    public typealias Sink = (String) -> Void

    private let lock = NSLock()
    private let sink: Sink
    private let salt: UInt64
    private let pid: Int32
    private var sequence = 0
    private var lastID = 0
    #if canImport(Network) && canImport(Darwin)
        private var monitor: NWPathMonitor?
    #endif

    /// - Parameters:
    ///   - salt: used for the ids of accounts and devices. Two logs have the same ids only if they have the same salt.
    ///   - pid: the process id in each line.
    ///   - sink: receives each line.
    public init(
        salt: UInt64 = .random(in: .min ... .max), pid: Int32 = ProcessInfo.processInfo.processIdentifier,
        sink: @escaping Sink
    ) {
        self.salt = salt
        self.pid = pid
        self.sink = sink
        write("start", "process")
    }

    /// Appends to a file. A file that exceeds `maxBytes` becomes `PATH.1`, and a new one is started.
    public convenience init(
        path: String, maxBytes: Int = 4 << 20, salt: UInt64 = .random(in: .min ... .max),
        pid: Int32 = ProcessInfo.processInfo.processIdentifier
    ) {
        let file = RotatingFile(path: path, maxBytes: maxBytes)
        self.init(salt: salt, pid: pid) { file.append($0) }
    }

    #if canImport(OSLog)
        /// Writes to the unified log, as public text.
        public convenience init(logger: Logger) {
            self.init { logger.log("\($0, privacy: .public)") }
        }
    #endif

    // MARK: Lines

    /// Writes a call. The result joins it with ``result(_:of:code:)``.
    public func call(_ name: String, _ fields: KeyValuePairs<String, String> = [:]) -> Int {
        lock.withLock {
            lastID += 1
            writeLocked("call", name, fields, id: lastID)
            return lastID
        }
    }

    /// Writes the end of a call.
    public func result(_ name: String, of id: Int, code: Int) { write("return", name, ["code": String(code)], id: id) }

    /// Writes a callback.
    public func callback(_ name: String, _ fields: KeyValuePairs<String, String> = [:]) {
        write("callback", name, fields)
    }

    /// Writes a change around the SDK: `background`, `foreground`, `path`, `token`.
    public func life(_ name: String, _ fields: KeyValuePairs<String, String> = [:]) { write("life", name, fields) }

    /// Writes when the app's current token expires, in seconds since 1970. The token itself is never written.
    public func tokenExpires(at time: Int) { life("token", ["expires": String(time)]) }

    /// The opaque id of an account, a device, a group or a channel.
    public func id(_ name: String) -> String {
        // FNV-1a over the salt and the name, then a finalizer; not reversible without the salt.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in withUnsafeBytes(of: salt.littleEndian, Array.init) + Array(name.utf8) {
            hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
        }
        hash = (hash ^ (hash >> 33)) &* 0xff51_afd7_ed55_8ccd
        return "u" + String(hash ^ (hash >> 33), radix: 16)
    }

    private func write(
        _ kind: String, _ name: String, _ fields: KeyValuePairs<String, String> = [:], id: Int? = nil
    ) {
        lock.withLock { writeLocked(kind, name, fields, id: id) }
    }

    private func writeLocked(_ kind: String, _ name: String, _ fields: KeyValuePairs<String, String>, id: Int?) {
        sequence += 1
        let clocks = TapClocks()
        var line = "{\"v\":1,\"seq\":\(sequence),\"mono\":\(clocks.continuous),\"awake\":\(clocks.awake)"
        line += ",\"wall\":\"\(clocks.wall)\",\"pid\":\(pid)"
        line += ",\"kind\":\(Self.quoted(kind)),\"name\":\(Self.quoted(name))"
        if !fields.isEmpty {
            let pairs = fields.map { "\(Self.quoted($0.key)):\(Self.quoted($0.value))" }
            line += ",\"args\":{\(pairs.joined(separator: ","))}"
        }
        if let id { line += ",\"id\":\(id)" }
        sink(line + "}")
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": result += "\\\(scalar)"
            case _ where scalar.value < 0x20:
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    // MARK: The system

    #if canImport(Network) && canImport(Darwin)
        /// Writes each change of the network path, and on iOS each change to the background and back.
        @MainActor public func observeSystem() {
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { [weak self] path in
                let interface = path.availableInterfaces.first.map { "\($0.type)" } ?? "none"
                self?.life("path", ["status": "\(path.status)", "interface": interface])
            }
            monitor.start(queue: .global(qos: .utility))
            self.monitor = monitor
            #if canImport(UIKit) && !os(watchOS)
                let changes = [
                    (UIApplication.didEnterBackgroundNotification, "background"),
                    (UIApplication.willEnterForegroundNotification, "foreground"),
                ]
                for (notification, name) in changes {
                    NotificationCenter.default.addObserver(forName: notification, object: nil, queue: nil) {
                        [weak self] _ in self?.life(name)
                    }
                }
            #endif
        }
    #endif
}

/// The clocks at one time.
private struct TapClocks {
    /// Nanoseconds of a clock that runs while the device sleeps.
    let continuous: UInt64
    /// Nanoseconds of a clock that stops while the device sleeps.
    let awake: UInt64
    /// The wall clock in ISO 8601, in UTC.
    let wall: String

    init() {
        #if canImport(Darwin)
            continuous = clock_gettime_nsec_np(CLOCK_MONOTONIC_RAW)  // mach_continuous_time in nanoseconds
            awake = clock_gettime_nsec_np(CLOCK_UPTIME_RAW)  // mach_absolute_time in nanoseconds
        #else
            continuous = Self.nanoseconds(CLOCK_BOOTTIME)
            awake = Self.nanoseconds(CLOCK_MONOTONIC)
        #endif
        var now = timespec()
        clock_gettime(CLOCK_REALTIME, &now)
        var parts = tm()
        gmtime_r(&now.tv_sec, &parts)
        func digits(_ value: Int, _ count: Int) -> String {
            let text = String(value)
            return String(repeating: "0", count: max(0, count - text.count)) + text
        }
        let date = [Int(parts.tm_year) + 1900, Int(parts.tm_mon) + 1, Int(parts.tm_mday)].map { digits($0, 2) }
        let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { digits(Int($0), 2) }
        let milliseconds = digits(now.tv_nsec / 1_000_000, 3)
        wall = "\(date.joined(separator: "-"))T\(time.joined(separator: ":")).\(milliseconds)+00:00"
    }

    #if !canImport(Darwin)
        private static func nanoseconds(_ clock: clockid_t) -> UInt64 {
            var now = timespec()
            clock_gettime(clock, &now)
            return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
        }
    #endif
}

/// A file that is replaced when it is too long. Errors of the disk are ignored: a log must not end an app.
private final class RotatingFile {
    private let path: String
    private let maxBytes: Int
    private var file: FileHandle?
    private var count = 0

    init(path: String, maxBytes: Int) {
        self.path = path
        self.maxBytes = maxBytes
        open()
    }

    private func open() {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        file = FileHandle(forWritingAtPath: path)
        count = Int((try? file?.seekToEnd()) ?? 0)
    }

    func append(_ line: String) {
        let bytes = Data((line + "\n").utf8)
        if count > 0, count + bytes.count > maxBytes {
            try? file?.close()
            try? FileManager.default.removeItem(atPath: path + ".1")
            try? FileManager.default.moveItem(atPath: path, toPath: path + ".1")
            open()
        }
        try? file?.write(contentsOf: bytes)
        count += bytes.count
    }
}
