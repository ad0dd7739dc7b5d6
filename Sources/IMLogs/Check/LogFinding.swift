import IMSession

/// Lines of a log that no behaviour of the client allows, and that have one cause.
public struct LogFinding: Hashable, Sendable {
    /// One of the lines.
    public struct Item: Hashable, Sendable {
        /// The number of the line in the log.
        public var line: Int
        /// The event, as `show` prints it.
        public var text: String
    }

    /// The violation, in one sentence.
    public var problem: String
    /// The line that ``problem`` names.
    public internal(set) var line = 0
    /// The first lines of the finding, at most ``itemsMax``.
    public internal(set) var items: [Item] = []
    /// The number of all lines of the finding.
    public internal(set) var itemCount = 0
    /// The ids of the rules that the lines violate.
    public var rules: [String]
    /// The calls and callbacks that were allowed at the first of the lines.
    public var allowed: [String]
    /// The number of the process in the log, from 1.
    public var process: Int

    /// The maximum number of stored lines.
    static let itemsMax = 20

    mutating func add(_ event: LoggedEvent) {
        itemCount += 1
        if line == 0 { line = event.line }
        if items.count < Self.itemsMax { items.append(Item(line: event.line, text: event.summary)) }
    }
}
