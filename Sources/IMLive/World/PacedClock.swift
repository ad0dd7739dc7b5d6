import SansIO

/// The live world's clock: it runs with the machine's monotonic clock, `scale` times as fast, and can stand still.
///
/// It stands still while a script decides what to do next, so that no scenario depends on how fast the script is read.
struct PacedClock {
    /// How many times as fast as the wall clock.
    let scale: Double
    private var base: Instant = .zero
    /// The monotonic reading that belongs to ``base``; nil while the clock stands.
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

    /// Stops at an instant of the world's time, which may lie a little before the reading: what is late happens late,
    /// but not in another order.
    mutating func stand(at instant: Instant) {
        base = instant
        runningSince = nil
    }

    /// A year: timers add it to the time of day, which has to fit.
    private static let longestWait = 3.2e16

    /// How long to wait, in real time, until the reading reaches an instant.
    func realInterval(from now: Instant, to instant: Instant) -> Interval {
        let nanoseconds = Double((instant - now).nanoseconds) / scale
        return Interval(nanoseconds: nanoseconds > 0 ? Int64(min(nanoseconds.rounded(.up), Self.longestWait)) : 0)
    }
}
