import Recorder
import SansIO
import Testing

@testable import IMSession

/// Tests of the wall clock times of a session's events, and of sessions without wall clock times.
@Suite struct WallClockTests {
    private static let start: Int64 = 1_795_231_863_000_000_000

    private func clock(_ parameters: [(key: String, value: String)], epoch: Int64 = start) throws -> WallClock? {
        let sink = MemorySink()
        let header = SessionHeader(title: "", profile: "nim", application: "", os: "", parameters: parameters)
        let writer = SessionWriter(sink: sink, schema: IMSessionSchema(), header: header, epochNanoseconds: epoch)
        try writer.log.close(at: .zero)
        return WallClock(try SessionReader(bytes: sink.bytes).header)
    }

    private func at(_ milliseconds: Int64) -> Instant { .zero + .milliseconds(milliseconds) }

    @Test func aLiveSessionHasTheTimeOfItsStart() throws {
        let wall = try #require(try clock([("world", "live"), ("seed", "1"), ("time-scale", "1.0")]))
        #expect(wall.text(of: .zero) == "2026-11-21T03:31:03.000Z")
        #expect(wall.text(of: at(3_250)) == "2026-11-21T03:31:06.250Z")
    }

    @Test func aFastWorldsRealTimeIsNotItsOwn() throws {
        let wall = try #require(try clock([("world", "live"), ("seed", "1"), ("time-scale", "20.0")]))
        #expect(wall.text(of: at(60_000)) == "2026-11-21T03:31:06.000Z")
    }

    @Test func aSimulatedSessionHasOneOnlyIfItsStartWasChosen() throws {
        let parameters = [("world", "simulated"), ("seed", "7")].map { (key: $0.0, value: $0.1) }
        #expect(try clock(parameters, epoch: WallClock.simulatedEpoch(seed: 7)) == nil)
        #expect(try clock(parameters)?.text(of: .zero) == "2026-11-21T03:31:03.000Z")
    }

    @Test func aLogsTimesHaveAZoneOnlyIfItsLinesHaveOne() throws {
        let known = try clock([("world", "observed"), ("zone", "known")])
        #expect(known?.text(of: .zero) == "2026-11-21T03:31:03.000Z")
        let local = try clock([("world", "observed"), ("zone", "unknown")])
        #expect(local?.text(of: .zero) == "2026-11-21T03:31:03.000")
        #expect(try clock([("world", "observed"), ("zone", "unknown")], epoch: 0) == nil)
    }

    @Test func aTimeBeforeTheStartOrBeforeTheEpochIsWellFormed() throws {
        let wall = try #require(try clock([("world", "live")], epoch: -1_500_000_000))
        #expect(wall.text(of: .zero) == "1969-12-31T23:59:58.500Z")
        #expect(wall.text(of: Instant(nanoseconds: .max)).hasSuffix("Z"))
    }

    @Test func theTimesThatAreShown() throws {
        let wall = try clock([("world", "live")])
        #expect(EventClock(wall: wall, shown: .both).texts(of: at(1)) == ["+0.001s", "2026-11-21T03:31:03.001Z"])
        #expect(EventClock(wall: wall, shown: .wall).texts(of: at(1)) == ["2026-11-21T03:31:03.001Z"])
        #expect(EventClock(wall: wall, shown: .relative).texts(of: at(1)) == ["+0.001s"])
        // Without a wall clock, only the relative time is shown.
        #expect(EventClock(wall: nil, shown: .both).texts(of: at(1)) == ["+0.001s"])
        #expect(EventClock(wall: nil, shown: .wall).isMissing)
    }
}
