import AppStandIns

/// The double of `os.Logger`, for systems without it: its lines go to the log of the simulated device.
public struct Logger: Sendable {
    private let subsystem: String
    private let category: String

    public init() {
        self.init(subsystem: "", category: "")
    }

    public init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
    }

    public init(_ log: OSLog) {
        self.init(subsystem: log.subsystem, category: log.category)
    }

    public func log(level: OSLogType = .default, _ message: OSLogMessage) {
        DeviceStorage.log(subsystem: subsystem, category: category, level: level.name, text: message.text)
    }

    public func trace(_ message: OSLogMessage) { log(level: .debug, message) }
    public func debug(_ message: OSLogMessage) { log(level: .debug, message) }
    public func info(_ message: OSLogMessage) { log(level: .info, message) }
    public func notice(_ message: OSLogMessage) { log(message) }
    public func warning(_ message: OSLogMessage) { log(level: .error, message) }
    public func error(_ message: OSLogMessage) { log(level: .error, message) }
    public func critical(_ message: OSLogMessage) { log(level: .fault, message) }
    public func fault(_ message: OSLogMessage) { log(level: .fault, message) }
}

/// The level of a log line.
public struct OSLogType: Sendable, Equatable {
    let name: String

    public static let `default` = OSLogType(name: "default")
    public static let info = OSLogType(name: "info")
    public static let debug = OSLogType(name: "debug")
    public static let error = OSLogType(name: "error")
    public static let fault = OSLogType(name: "fault")
}

/// The older form of a logger.
public final class OSLog: Sendable {
    public static let `default` = OSLog(subsystem: "", category: "")
    public static let disabled = OSLog(subsystem: "", category: "")

    let subsystem: String
    let category: String

    public init(subsystem: String, category: String) {
        self.subsystem = subsystem
        self.category = category
    }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// - Note: The arguments replace the format specifiers (`%@`, `%{public}d` …), whatever their type.
public func os_log(_ message: StaticString, log: OSLog = .default, type: OSLogType = .default, _ arguments: Any...) {
    write(message.description, arguments, log, type)
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Like `os_log(_:log:type:_:)`, with the level first.
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: StaticString, _ arguments: Any...) {
    write(message.description, arguments, log, type)
}

private func write(_ format: String, _ arguments: [Any], _ log: OSLog, _ type: OSLogType) {
    var text = ""
    var rest = arguments[...]
    var characters = format[...]
    while let character = characters.popFirst() {
        guard character == "%" else {
            text.append(character)
            continue
        }
        if characters.first == "%" {
            text.append("%")
            characters.removeFirst()
            continue
        }
        if characters.first == "{" { characters = characters.drop { $0 != "}" }.dropFirst() }
        characters = characters.drop { "lhzq.0123456789+- #".contains($0) }.dropFirst()
        text += rest.popFirst().map { "\($0)" } ?? ""
    }
    DeviceStorage.log(subsystem: log.subsystem, category: log.category, level: type.name, text: text)
}
