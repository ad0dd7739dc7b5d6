/// Converts the ticks of `machTimestamp` to nanoseconds.
///
/// A tick lasts 125/3 ns on Apple silicon and 1 ns on Intel. A log does not name the processor, but each line has the
/// wall clock's time, too, so two lines show the duration of a tick.
struct MachTimebase {
    private var isAppleSilicon: Bool?
    /// The line with which the next one is compared.
    private var earlier: (ticks: Int64, wall: Int64)?

    /// A shorter time between two lines does not show the duration, because lines can be out of order.
    private static let passedMin: Int64 = 1_000_000

    /// - Parameters:
    ///   - ticks: at least 0 and less than ``ticksMax``.
    ///   - wall: the wall clock's time of the same line, in nanoseconds.
    /// - Returns: nil as long as the duration of a tick is unknown.
    mutating func nanoseconds(_ ticks: Int64, wall: Int64) -> Int64? {
        if isAppleSilicon == nil { compare(ticks, wall) }
        return isAppleSilicon.map { Self.nanoseconds(ticks, $0) }
    }

    /// Larger numbers of ticks cannot be converted.
    static let ticksMax = Int64.max / 125

    private mutating func compare(_ ticks: Int64, _ wall: Int64) {
        guard let earlier else {
            self.earlier = (ticks, wall)
            return
        }
        let (passed, overflow) = wall.subtractingReportingOverflow(earlier.wall)
        if !overflow, passed.magnitude < Self.passedMin { return }
        // The wall clock can have been set between two lines. Then the times do not agree, and the next line is
        // compared with this one.
        self.earlier = (ticks, wall)
        isAppleSilicon = [true, false].first { isAppleSilicon in
            let counted = Self.nanoseconds(ticks - earlier.ticks, isAppleSilicon)
            return !overflow && counted > 0 && passed / 2 <= counted && counted / 2 <= passed
        }
    }

    private static func nanoseconds(_ ticks: Int64, _ isAppleSilicon: Bool) -> Int64 {
        isAppleSilicon ? ticks * 125 / 3 : ticks
    }
}
