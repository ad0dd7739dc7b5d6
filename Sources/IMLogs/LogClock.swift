/// Converts the times of lines to one clock that never goes back.
struct LogClock {
    var year = 2026
    /// The first time of the log, in nanoseconds since 1970.
    private(set) var start: Int64 = 0
    /// Nanoseconds since ``start``, for the last line.
    private(set) var offset: Int64 = 0
    private(set) var isLocal = false
    /// True if the last line had a monotonic time.
    private(set) var isSteady = false
    /// True if a line had a time.
    var hasTime: Bool { lastWall != nil }
    /// The times of the last line that was in order.
    private var lastWall: Int64?
    /// The last line that was in order and had a monotonic time, with all its times.
    private var lastSteady: (steady: Int64, wall: Int64, offset: Int64)?
    private var lastMonth: Int?
    private var timebase = MachTimebase()

    /// A step back of at most this many nanoseconds is not a change of the clock. Threads that log out of order cause
    /// it.
    private static let disorderMax: Int64 = 1_000_000_000

    /// Reads the time of the next line.
    ///
    /// - Returns: the nanoseconds by which the wall clock was set before the line; nil if it was not set.
    mutating func take(_ line: LogReader.SplitLine) -> Int64? {
        isSteady = false
        guard let time = line.time else { return nil }
        if time.zone == nil, time.seconds == nil { isLocal = true }
        if time.year == nil, let month = time.month {
            if lastMonth == 12, month == 1 { year += 1 }
            // A line of the old year can follow one of the new year, because threads log out of order.
            if lastMonth == 1, month == 12 { year -= 1 }
            lastMonth = month
        }
        let wall = time.nanoseconds(year: year)
        let steady = line.steady ?? line.machTicks.flatMap { timebase.nanoseconds($0, wall: wall) }
        isSteady = steady != nil
        guard let lastWall else {
            start = wall
            store(wall, steady)
            return nil
        }
        if let steady, let lastSteady {
            let (passed, overflow) = steady.subtractingReportingOverflow(lastSteady.steady)
            if !overflow, passed >= 0 {
                // If lines have a monotonic time, the offset is computed from it. The difference to the wall clock
                // shows how that clock was set. Lines without a monotonic time may have increased the offset already.
                let due = Self.sum(lastSteady.offset, passed)
                if due < offset, offset - due <= Self.disorderMax { return nil }
                offset = max(offset, due)
                store(wall, steady)
                let (jump, _) = (wall &- lastSteady.wall).subtractingReportingOverflow(passed)
                return jump.magnitude > Self.disorderMax ? jump : nil
            }
            if !overflow, passed >= -Self.disorderMax { return nil }
        }
        let (step, _) = wall.subtractingReportingOverflow(lastWall)
        // The times of a line in the wrong order are not stored. Otherwise the step to the next line would count the
        // same time again.
        if step < 0, step >= -Self.disorderMax { return nil }
        if step >= 0 { offset = Self.sum(offset, step) }
        store(wall, steady)
        guard step < 0 else { return nil }
        // The next line with a monotonic time does not report the same change of the clock again.
        if steady == nil { lastSteady?.wall &+= step }
        return step
    }

    private mutating func store(_ wall: Int64, _ steady: Int64?) {
        lastWall = wall
        if let steady { lastSteady = (steady, wall, offset) }
    }

    /// The sum of an offset and a step. A step that is too long is ignored.
    private static func sum(_ offset: Int64, _ step: Int64) -> Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(step)
        return overflow || sum > Int64.max / 4 ? offset : sum
    }
}
