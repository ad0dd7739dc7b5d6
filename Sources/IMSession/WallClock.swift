import Recorder
import SansIO

/// The wall clock of a session: it converts the session's instants to real time.
public struct WallClock: Hashable, Sendable {
    /// The real time at instant zero, in nanoseconds since 1970.
    private var epochNanoseconds: Int64
    /// The number of session seconds in a second of real time.
    private var timeScale = 1.0
    /// True if the time zone is known. If a log has no zones, its times are local times of an unknown zone.
    private var hasZone = true

    /// The clock of a world; nil for a simulated world for which the user chose no start time.
    public init?(_ kind: WorldKind, epochNanoseconds: Int64, seed: UInt64, timeScale: Double) {
        if kind == .simulated, epochNanoseconds == Self.simulatedEpoch(seed: seed) { return nil }
        self.epochNanoseconds = epochNanoseconds
        if kind == .live, timeScale > 0, timeScale.isFinite { self.timeScale = timeScale }
    }

    /// The clock of a recording; nil if the recording has relative times only. These are most simulated sessions, and
    /// logs without times.
    public init?(_ header: SessionHeader) {
        guard header.epochNanoseconds != 0 else { return nil }
        let kind = header["world"].flatMap(WorldKind.init(rawValue:))
        // A newer version may have another kind of world, for which the meaning of the clock is unknown.
        guard header.isObserved || kind != nil else { return nil }
        self.init(
            kind ?? .live, epochNanoseconds: header.epochNanoseconds,
            seed: header["seed"].flatMap(UInt64.init) ?? 0,
            timeScale: header["time-scale"].flatMap(Double.init) ?? 1)
        hasZone = !header.isObserved || header["zone"] == "known"
    }

    /// The default start of a simulated session, in nanoseconds since 1970: a time in the year 2026 that depends on the
    /// seed. It is not the real time of the recording.
    public static func simulatedEpoch(seed: UInt64) -> Int64 {
        (1_767_225_600 + Int64(seed % 31_536_000)) * 1_000_000_000
    }

    /// The real time of an instant: `2026-11-21T03:31:03.250Z`, without `Z` if the time zone is unknown.
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

/// The form in which the times of events are shown.
public struct EventClock: Hashable, Sendable {
    /// The times that a user can choose to show.
    public enum Shown: String, CaseIterable, Sendable {
        case relative, wall, both
    }

    /// The session's wall clock; nil if it has none.
    public var wall: WallClock?
    /// The times that the user chose.
    public var shown: Shown

    /// Shows only the time since the session's start.
    public static let relative = EventClock(wall: nil, shown: .relative)

    /// The notice for a user who chose the wall clock of a session that has none.
    public static let missing =
        "this session has no wall clock (simulated without --epoch, or a log without times); times are relative to "
        + "its start"

    /// Creates a form for the session's wall clock and the chosen times.
    public init(wall: WallClock?, shown: Shown) {
        (self.wall, self.shown) = (wall, shown)
    }

    /// True if the user chose the wall clock, but the session has none.
    public var isMissing: Bool { shown != .relative && wall == nil }

    /// The times of an instant, in the order in which they are shown.
    public func texts(of instant: Instant) -> [String] {
        let relative = "+" + instant.secondsText
        guard shown != .relative, let wall else { return [relative] }
        return shown == .wall ? [wall.text(of: instant)] : [relative, wall.text(of: instant)]
    }
}
