import IMSession

/// Settings for reading a log.
public struct LogOptions: Sendable {
    /// The profile; nil to take it from the callbacks.
    public var profile: String?
    /// The user's format files, tried before the built-in ones: name and text.
    public var formats: [(name: String, text: String)] = []
    /// The year of times without one.
    public var year = 2026
    /// True if texts of messages and values are kept. Such a log must not be written or shown; a script that reproduces
    /// it needs the texts.
    public var keepsTexts = false

    /// The default settings.
    public init() {}
}

/// A parsed log: its events in the order of its lines.
public struct ObservedLog: Sendable {
    /// An event with its instant.
    public struct Entry: Sendable {
        /// Nanoseconds since the log's first time; never smaller than the one before.
        public var offset: Int64
        /// The event of the line.
        public var event: LoggedEvent
        /// Nanoseconds of a clock that stops while the device sleeps; nil if the log has none.
        public var awake: Int64?
    }

    /// The events, and the unrecognized lines.
    public internal(set) var entries: [Entry] = []
    /// The number of lines, without empty ones.
    public internal(set) var lineCount = 0
    /// The number of lines that belong to an event.
    public internal(set) var understoodCount = 0
    /// The number of unrecognized lines that were not stored, because there are too many.
    public internal(set) var unkeptCount = 0
    /// The number of processes; at least 1 if there is an event.
    public internal(set) var processCount = 0
    /// True if the log ends in the first lines of one more process, before an answer, a callback or a frame.
    public internal(set) var endsInProcessHead = false
    /// The formats of the lines, the most frequent first.
    public internal(set) var formats: [String] = []
    /// The profile of the callbacks; nil if they do not identify one.
    public internal(set) var profile: String?
    /// The first time, in nanoseconds since 1970.
    public internal(set) var start: Int64 = 0
    /// True if the times come from a monotonic clock.
    public internal(set) var isSteady = false
    /// True if any line has a time. If not, only the order of the lines is known, and all offsets are 0.
    public internal(set) var hasTimes = true
    /// True if the times have no zone, so that ``start`` counts them as UTC.
    public internal(set) var isLocal = false

    /// The number of unrecognized lines.
    public var unknownCount: Int { lineCount - understoodCount }
}

/// The reason why a file cannot be read as a log.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the remedy.
    public var description: String
}

extension LoggedEvent {
    /// The text of a process start that the log does not contain.
    static let startMissing = "another process writes: its first line is missing"

    /// True if the first line of the process is not in the log.
    var isStartMissing: Bool { text == Self.startMissing }
}
