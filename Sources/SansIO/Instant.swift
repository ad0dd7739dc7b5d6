/// A point in a session's time, in nanoseconds after the start of the session.
///
/// Every input of a machine comes with its instant, so that no machine reads a clock. Arithmetic saturates instead of
/// trapping, because instants are read from files, which may contain any number.
public struct Instant: Hashable, Comparable, Sendable, Codable {
    /// Nanoseconds after the start of the session.
    public var nanoseconds: Int64

    /// An instant at a number of nanoseconds after the start of the session.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// The start of the session.
    public static let zero = Instant(nanoseconds: 0)
    /// The latest instant: later than any event of a session.
    public static let distantFuture = Instant(nanoseconds: .max)

    /// True if `left` is earlier than `right`.
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The instant that is an interval later; at most ``distantFuture``.
    public static func + (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: saturatingSum(instant.nanoseconds, interval.nanoseconds))
    }

    /// The instant that is an interval earlier; at least the earliest instant that 64 bits can represent.
    public static func - (instant: Instant, interval: Interval) -> Instant {
        Instant(nanoseconds: saturatingDifference(instant.nanoseconds, interval.nanoseconds))
    }

    /// The time from `earlier` to `later`; saturates at 292 years.
    public static func - (later: Instant, earlier: Instant) -> Interval {
        Interval(nanoseconds: saturatingDifference(later.nanoseconds, earlier.nanoseconds))
    }

    /// Decodes the nanoseconds as one number.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the nanoseconds as one number.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(nanoseconds)
    }
}

/// A length of time in nanoseconds.
public struct Interval: Hashable, Comparable, Sendable, Codable {
    /// The length in nanoseconds; negative for an interval into the past, such as a clock that was set back.
    public var nanoseconds: Int64

    /// An interval of the given nanoseconds.
    public init(nanoseconds: Int64) {
        self.nanoseconds = nanoseconds
    }

    /// An interval of length zero.
    public static let zero = Interval(nanoseconds: 0)

    /// An interval of the given nanoseconds.
    public static func nanoseconds(_ count: Int64) -> Interval { Interval(nanoseconds: count) }
    /// An interval of the given microseconds. It saturates at 64 bits of nanoseconds, which is 292 years.
    public static func microseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1000))
    }
    /// An interval of the given milliseconds; saturates at 292 years.
    public static func milliseconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000))
    }
    /// An interval of the given seconds; saturates at 292 years.
    public static func seconds(_ count: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(count, 1_000_000_000))
    }
    /// An interval of the given minutes; saturates at 292 years.
    public static func minutes(_ count: Int64) -> Interval { .seconds(saturatingProduct(count, 60)) }

    /// The length in seconds as a fraction, for display and for arithmetic with clocks outside the session. Machines
    /// compare nanoseconds, because fractions are rounded.
    public var inSeconds: Double { Double(nanoseconds) / 1e9 }
    /// The length in whole milliseconds, rounded towards zero.
    public var inMilliseconds: Int64 { nanoseconds / 1_000_000 }

    /// True if `left` is shorter than `right`. A negative interval is shorter than zero.
    public static func < (left: Interval, right: Interval) -> Bool { left.nanoseconds < right.nanoseconds }

    /// The sum; saturates at 292 years.
    public static func + (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }

    /// The difference, negative if `left` is shorter; saturates at 292 years.
    public static func - (left: Interval, right: Interval) -> Interval {
        Interval(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }

    /// The product; saturates at 292 years.
    public static func * (interval: Interval, factor: Int64) -> Interval {
        Interval(nanoseconds: saturatingProduct(interval.nanoseconds, factor))
    }

    /// Decodes the nanoseconds as one number.
    public init(from decoder: any Decoder) throws {
        nanoseconds = try decoder.singleValueContainer().decode(Int64.self)
    }

    /// Encodes the nanoseconds as one number.
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
    /// The next number; the maximum if this is the maximum. For counters: a file or a peer may have set one to the
    /// maximum, where adding 1 would trap.
    @inlinable public var successorOrMax: Self { self == .max ? self : self + 1 }
}
