import SansIO

/// The live world's clock. It runs `scale` times as fast as the computer's monotonic clock, and can be stopped.
///
/// It is stopped between the commands of a script, so that a scenario does not depend on the time that reading the
/// script takes.
struct PacedClock {
    /// The speed, relative to the wall clock.
    let scale: Double
    private var base: Instant = .zero
    /// The monotonic time of ``base``; nil while the clock is stopped.
    private var runningSince: ContinuousClock.Instant?

    init(scale: Double) {
        self.scale = scale
    }

    var isRunning: Bool { runningSince != nil }

    func reading(at monotonic: ContinuousClock.Instant) -> Instant {
        guard let runningSince else { return base }
        let (seconds, attoseconds) = runningSince.duration(to: monotonic).components
        let nanoseconds = (Double(seconds) * 1e9 + Double(attoseconds) / 1e9) * scale
        return base + Interval(nanoseconds: nanoseconds > 0 && nanoseconds < 9e18 ? Int64(nanoseconds) : 0)
    }

    mutating func run(at monotonic: ContinuousClock.Instant) {
        if runningSince == nil { runningSince = monotonic }
    }

    /// Stops the clock at an instant of the world's time. The instant may be a little before the reading, so that late
    /// events keep their order.
    mutating func stop(at instant: Instant) {
        base = instant
        runningSince = nil
    }

    /// The longest wait: a year, in nanoseconds. Timers add the wait to the time of day, and the sum must not overflow.
    private static let longestWait = 3.2e16

    /// The real time until the clock reaches an instant.
    func realInterval(from now: Instant, to instant: Instant) -> Interval {
        let nanoseconds = Double((instant - now).nanoseconds) / scale
        return Interval(nanoseconds: nanoseconds > 0 ? Int64(min(nanoseconds.rounded(.up), Self.longestWait)) : 0)
    }
}
