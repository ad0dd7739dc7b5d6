import Recorder
import SansIO

/// The wall clock of a session: the real time of its instants.
public struct WallClock: Hashable, Sendable {
    /// The real time at instant zero, in nanoseconds since 1970.
    private var epochNanoseconds: Int64
    /// Session seconds per second of the real clock.
    private var timeScale = 1.0
    /// True if the time zone is known. A log without zones has local times.
    private var hasZone = true

    /// The clock of a world; nil for a simulated world without a chosen start.
    public init?(_ kind: WorldKind, epochNanoseconds: Int64, seed: UInt64, timeScale: Double) {
        if kind == .simulated, epochNanoseconds == Self.simulatedEpoch(seed: seed) { return nil }
        self.epochNanoseconds = epochNanoseconds
        if kind == .live, timeScale > 0, timeScale.isFinite { self.timeScale = timeScale }
    }

    /// The clock of a recording; nil if its times are relative only: in most simulated sessions, and in a log without
    /// times.
    public init?(_ header: SessionHeader) {
        guard header.epochNanoseconds != 0 else { return nil }
        let kind = header["world"].flatMap(WorldKind.init(rawValue:))
        // The clock of an unknown kind of world is not reliable.
        guard header.isObserved || kind != nil else { return nil }
        self.init(
            kind ?? .live, epochNanoseconds: header.epochNanoseconds,
            seed: header["seed"].flatMap(UInt64.init) ?? 0,
            timeScale: header["time-scale"].flatMap(Double.init) ?? 1)
        hasZone = !header.isObserved || header["zone"] == "known"
    }

    /// The default start of a simulated session: 2026-01-01 00:00:00 UTC plus a number of seconds that depends on the
    /// seed. It is no real time.
    public static func simulatedEpoch(seed: UInt64) -> Int64 {
        (1_767_225_600 + Int64(seed % 31_536_000)) * 1_000_000_000
    }

    /// The real time of an instant: `2026-11-21T03:31:03.250Z`, without `Z` if the zone is not known.
    public func text(of instant: Instant) -> String {
        let milliseconds = nanoseconds(of: instant) / 1_000_000
        let fraction = String(1000 + ((milliseconds % 1000) + 1000) % 1000).dropFirst()
        let seconds = (milliseconds - ((milliseconds % 1000) + 1000) % 1000) / 1000
        let text = CalendarTime(epochSeconds: seconds).description.dropLast()
        return "\(text).\(fraction)" + (hasZone ? "Z" : "")
    }

    private func nanoseconds(of instant: Instant) -> Int64 {
        let passed =
            timeScale == 1 ? instant.nanoseconds : Int64(exactly: (Double(instant.nanoseconds) / timeScale).rounded())
        return epochNanoseconds.addingReportingOverflow(passed ?? 0).partialValue
    }
}

/// The way to show the time of an event.
public struct EventClock: Hashable, Sendable {
    /// The times that are shown.
    public enum Shown: String, CaseIterable, Sendable {
        case relative, wall, both
    }

    /// Nil if the session has no wall clock.
    public var wall: WallClock?
    /// The times that are shown.
    public var shown: Shown

    /// The time since the session's start only.
    public static let relative = EventClock(wall: nil, shown: .relative)

    /// Printed once if the wall clock is wanted and there is none.
    public static let missing =
        "this session has no wall clock (simulated without --epoch, or a log without times); times are relative to "
        + "its start"

    /// Creates a way to show times.
    public init(wall: WallClock?, shown: Shown) {
        (self.wall, self.shown) = (wall, shown)
    }

    /// True if the wall clock is requested and there is none.
    public var isMissing: Bool { shown != .relative && wall == nil }

    /// The times of an instant, in the order in which they are shown.
    public func texts(of instant: Instant) -> [String] {
        let relative = "+" + instant.secondsText
        guard shown != .relative, let wall else { return [relative] }
        return shown == .wall ? [wall.text(of: instant)] : [relative, wall.text(of: instant)]
    }
}
