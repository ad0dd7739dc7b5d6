import IMSession

/// What is decided outside of a log.
public struct LogOptions: Sendable {
    /// The profile; nil to take it from the callbacks.
    public var profile: String?
    /// Format files of the user's, tried before those of the program: name and text.
    public var formats: [(name: String, text: String)] = []
    /// The year of times without one.
    public var year = 2026
    /// Whether texts of messages and values stay as they are. Nothing of such a log may be written or shown; a script that
    /// reproduces it needs them.
    public var keepsTexts = false

    /// Nothing decided.
    public init() {}
}

/// A log, read: its events in the order of its lines.
public struct ObservedLog: Sendable {
    /// An event with its instant.
    public struct Entry: Sendable {
        /// Nanoseconds since the log's first time; never smaller than the one before.
        public var offset: Int64
        /// What the line tells of.
        public var event: LoggedEvent
        /// Nanoseconds of a clock that stops while the device sleeps; nil if the log has none.
        public var awake: Int64?
    }

    /// The events, and the lines that are not understood.
    public internal(set) var entries: [Entry] = []
    /// How many lines the log has, without empty ones.
    public internal(set) var lineCount = 0
    /// How many of them belong to an event.
    public internal(set) var understoodCount = 0
    /// Lines that are not understood and were not kept, because there are too many.
    public internal(set) var unkeptCount = 0
    /// The number of processes; at least 1 if there is an event.
    public internal(set) var processCount = 0
    /// Whether the log ends in the first lines of one more process, before an answer, a callback or a frame.
    public internal(set) var endsInProcessHead = false
    /// The formats that lines were read by, the most used first.
    public internal(set) var formats: [String] = []
    /// The profile of the callbacks; nil where none tells.
    public internal(set) var profile: String?
    /// The first time, in nanoseconds since 1970.
    public internal(set) var start: Int64 = 0
    /// Whether the times are of a clock that nobody sets.
    public internal(set) var isSteady = false
    /// Whether the times have no zone, so that ``start`` counts them as UTC.
    public internal(set) var isLocal = false

    /// Lines that are not understood.
    public var unknownCount: Int { lineCount - understoodCount }
}

/// Why a file is no log that can be read.
public struct LogError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong and what to do.
    public var description: String
}

extension LoggedEvent {
    /// The text of a start that the log does not have: another process writes without one.
    static let startMissing = "another process writes: its first line is missing"

    /// Whether the first line of the process is not in the log.
    var isStartMissing: Bool { text == Self.startMissing }
}
