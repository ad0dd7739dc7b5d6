/// Puts the times of lines on one axis that never goes back.
struct LogClock {
    var year = 2026
    /// The first time of the log, in nanoseconds since 1970.
    private(set) var start: Int64 = 0
    /// Nanoseconds since ``start``, of the line that was taken last.
    private(set) var offset: Int64 = 0
    private(set) var isLocal = false
    private var lastWall: Int64?
    private var lastMonth: Int?
    private var lastSteady: Int64?

    /// A step back up to this is disorder of threads, and no clock that was set.
    private static let disorderMax: Int64 = 1_000_000_000

    /// Takes the next line.
    ///
    /// - Returns: by how much the wall clock was set before it; nil for not at all.
    mutating func take(_ line: LogReader.SplitLine) -> Int64? {
        guard let time = line.time else { return nil }
        if time.zone == nil, time.seconds == nil { isLocal = true }
        if time.year == nil, let month = time.month {
            if let lastMonth, lastMonth == 12, month == 1 { year += 1 }
            lastMonth = month
        }
        let wall = time.nanoseconds(year: year)
        defer {
            lastWall = wall
            if let steady = line.steady { lastSteady = steady }
        }
        guard let lastWall else {
            start = wall
            return nil
        }
        let (step, _) = wall.subtractingReportingOverflow(lastWall)
        if let steady = line.steady, let lastSteady, steady >= lastSteady {
            // A clock that is never set decides, and shows what the other one did.
            let passed = steady - lastSteady
            offset = add(passed)
            let (jump, _) = step.subtractingReportingOverflow(passed)
            return jump.magnitude > Self.disorderMax ? jump : nil
        }
        if step >= 0 {
            offset = add(step)
            return nil
        }
        return step < -Self.disorderMax ? step : nil
    }

    private func add(_ step: Int64) -> Int64 {
        let (sum, overflow) = offset.addingReportingOverflow(step)
        return overflow || sum > Int64.max / 4 ? offset : sum
    }
}
