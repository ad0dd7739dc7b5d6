import IMSession

/// Settings for reading a log.
public struct LogOptions: Sendable {
    /// The profile of the log; nil to determine it from the callbacks.
    public var profile: String?
    /// The names and the texts of the user's format files, which are tried before the built-in ones.
    public var formats: [(name: String, text: String)] = []
    /// The year for times that have no year.
    public var year = 2026
    /// True if texts of messages and values are kept, because a script that reproduces the log needs them. Such a log
    /// must not be written or shown.
    public var keepsTexts = false

    /// The default settings.
    public init() {}
}

/// A parsed log: its events in the order of its lines.
public struct ObservedLog: Sendable {
    /// An event with its instant.
    public struct Entry: Sendable {
        /// The nanoseconds since the log's first time. They never decrease from one entry to the next.
        public var offset: Int64
        /// The event that the line shows.
        public var event: LoggedEvent
        /// The nanoseconds of a clock that stops while the device sleeps; nil if the log has no such clock.
        public var awake: Int64?
    }

    /// The events, and the lines that no pattern matches.
    public internal(set) var entries: [Entry] = []
    /// The number of lines, without empty ones.
    public internal(set) var lineCount = 0
    /// The number of lines that belong to an event.
    public internal(set) var understoodCount = 0
    /// The number of lines that no pattern matches and that were not stored, because there are too many.
    public internal(set) var unstoredCount = 0
    /// The number of processes; at least 1 if there is an event.
    public internal(set) var processCount = 0
    /// True if the log ends shortly after the start of one more process, before an answer, a callback or a frame.
    public internal(set) var endsInProcessHead = false
    /// The formats of the lines, the most frequent first.
    public internal(set) var formats: [String] = []
    /// The profile to which the callbacks belong; nil if they do not identify one.
    public internal(set) var profile: String?
    /// The first time, in nanoseconds since 1970.
    public internal(set) var start: Int64 = 0
    /// True if the times come from a monotonic clock.
    public internal(set) var isSteady = false
    /// True if any line has a time. If not, the log shows only the order of its lines, and all offsets are 0.
    public internal(set) var hasTimes = true
    /// True if the times have no zone, so that ``start`` counts them as UTC.
    public internal(set) var isLocal = false

    /// The number of lines that no pattern matches.
    public var unknownCount: Int { lineCount - understoodCount }
}

/// The reason why a file cannot be read as a log.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The error and the remedy.
    public var description: String
}

extension LoggedEvent {
    /// True if the event has this name, and all of these fields.
    func has(name: String, fields: [(name: String, value: String)]) -> Bool {
        self.name == name
            && fields.allSatisfy { field in
                self.fields.contains { $0.name == field.name && $0.value == field.value }
            }
    }

    /// The code of a result. A result without a code is a success.
    var resultCode: String { fields.first { $0.name == "code" || $0.name == "error" }?.value ?? "0" }

    /// The text of a start event for a process whose first line is not in the log.
    static let startMissing = "another process writes: its first line is missing"

    /// True for the start event of a process whose first line is not in the log.
    var isStartMissing: Bool { text == Self.startMissing }
}
