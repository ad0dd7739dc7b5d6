/// A point in a session's own time: nanoseconds since the session began.
///
/// It comes with every input, so that no machine ever asks a clock. Arithmetic saturates instead of trapping, because
/// instants are read from files and files may say anything.
public struct Instant: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds since the session began.
    public var nanoseconds: Int64

    /// So many nanoseconds after the beginning of the session.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment the session began.
    public static let zero = Instant(nanoseconds: 0)
    /// Later than anything a session will see.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// Whether the left one is earlier.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// So much later; at most ``distantFuture``.
    public static func + (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: saturatingSum(instant.nanoseconds, interval.nanoseconds))
    }

    /// So much earlier; at the least the earliest instant that there is.
    public static func - (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: saturatingDifference(instant.nanoseconds, interval.nanoseconds))
    }

    /// How long it is from `earlier` to `later`.
    public static func - (later: Instant, earlier: Instant) -> Interval {
        Interval(nanoseconds: saturatingDifference(later.nanoseconds, earlier.nanoseconds))
    }

    /// Reads the nanoseconds as one bare number.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the nanoseconds as one bare number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

/// A length of time in nanoseconds.
public struct Interval: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds; negative where a clock was set back.
    public var nanoseconds: Int64

    /// So many nanoseconds.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// No time at all.
    public static let zero = Interval(nanoseconds: 0)

    /// So many nanoseconds.
    public static func nanoseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count) }
    /// So many microseconds; what is more than 64 bits of nanoseconds hold, 292 years, is cut to that.
    public static func microseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1000))
    }
    /// So many milliseconds; cut to 292 years.
    public static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000))
    }
    /// So many seconds; cut to 292 years.
    public static func seconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000_000))
    }
    /// So many minutes; cut to 292 years.
    public static func minutes(_ count: Int64) -> Interval { .seconds(saturatingProduct(count, 60)) }

    /// Seconds as a fraction, for people and for arithmetic with clocks outside; cores compare nanoseconds.
    public var inSeconds: Double { Double(nanoseconds) / 1e9 }
    /// Whole milliseconds, rounded towards zero.
    public var inMilliseconds: Int64 { nanoseconds / 1_000_000 }

    /// Whether the left one is shorter; a negative one is shorter than none.
    public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }

    /// Both together, cut to 292 years.
    public static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }

    /// How much longer the left one is; negative where it is shorter. Cut to 292 years.
    public static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }

    /// So many times as long, cut to 292 years.
    public static func * (interval: Interval, factor: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(interval.nanoseconds, factor))
    }

    /// Reads the nanoseconds as one bare number.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Writes the nanoseconds as one bare number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    return overflow ? (right > 0 ? .max : .min) : sum
}

func saturatingDifference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    return overflow ? (right < 0 ? .max : .min) : difference
}

func saturatingProduct(_ left: Int64, _ right: Int64) -> Int64 {
    let (product, overflow) = left.multipliedReportingOverflow(by: right)
    return overflow ? ((left < 0) == (right < 0) ? .max : .min) : product
}

extension FixedWidthInteger {
    /// The next number; the last one is its own. For counters that a file or a peer may have brought to their end.
    @inlinable public var successorOrMax: Self { self == .max ? self : self + 1 }
}
