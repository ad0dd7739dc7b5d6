import IMClient
import SansIO
import Testing

@testable import IMDebugger
@testable import IMSession
@testable import IMShell
@testable import IMText

/// Tests of the strips that `timeline` draws, in any width.
@Suite struct StateChartTests {
    typealias Lane = StateHistory.Lane
    typealias Change = StateHistory.Change
    typealias Tick = StateHistory.Tick

    private func at(_ milliseconds: Int64) -> Instant { Instant.zero + .milliseconds(milliseconds) }

    private func changes(_ list: [(Int64, ClientState?)]) -> [Change] {
        list.map { Change(time: at($0.0), state: $0.1) }
    }

    private func lines(_ lanes: [Lane], _ ticks: [Tick] = [], columns: Int, isUnicode: Bool = false) -> [String] {
        StateChart(lanes: lanes, ticks: ticks, now: at(100_000), columns: columns, isUnicode: isUnicode).lines
            .map { $0.map(\.text).joined() }
    }

    private var scenario: (lanes: [Lane], ticks: [Tick]) {
        (
            [
                Lane(
                    name: "phone",
                    changes: changes([(0, .loggedOut), (10, .connecting), (40, .online), (60_000, .kicked)])),
                Lane(name: "pad", changes: changes([(20_000, .loggedOut), (20_010, .connecting), (90_000, nil)])),
            ],
            [Tick(time: at(60_000), kind: .kick), Tick(time: at(30_000), kind: .fault)]
        )
    }

    @Test func eachStateHasItsPosition() {
        let drawn = lines(scenario.lanes, scenario.ticks, columns: 100)
        #expect(drawn[0].hasPrefix("phone l"))
        #expect(drawn[0].contains("|online---"))
        #expect(drawn[0].contains("|kicked---"))
        #expect(drawn[1].hasPrefix("pad    "))
        #expect(drawn[1].hasSuffix("..."))
        // The mark of the kick is in the column in which the kicked state begins.
        let kick = drawn[0].range(of: "|kicked").map { drawn[0].distance(from: drawn[0].startIndex, to: $0.lowerBound) }
        let sign = drawn[2].firstIndex(of: "x").map { drawn[2].distance(from: drawn[2].startIndex, to: $0) }
        #expect(kick == sign)
        #expect(drawn[3].contains("+0.000s"))
        #expect(drawn[4].contains("x kick"))
    }

    @Test func theAxisShowsTheWallClockWithItsDayOnce() {
        let wall = WallClock(.live, epochNanoseconds: 1_795_231_863_000_000_000, seed: 0, timeScale: 1)
        func axes(_ shown: EventClock.Shown) -> [String] {
            StateChart(
                lanes: scenario.lanes, ticks: [], now: at(100_000), columns: 100, isUnicode: false,
                clock: EventClock(wall: wall, shown: shown)
            ).lines.map { $0.map(\.text).joined() }.filter { $0.hasPrefix("      ") && $0.contains("0") }
        }
        #expect(axes(.relative).map { $0.contains("+0.000s") } == [true])
        #expect(axes(.both).map { $0.contains("+0.000s") } == [true, false])
        #expect(axes(.wall)[0].contains("2026-11-21T03:31:03.000Z  "))
        #expect(axes(.wall)[0].contains(" 03:32:03.000Z"))
    }

    @Test(arguments: [0, 1, 12, 20, 40, 79, 80, 200]) func stripsFillTheirWidthExactly(columns: Int) {
        for isUnicode in [false, true] {
            let drawn = lines(scenario.lanes, scenario.ticks, columns: columns, isUnicode: isUnicode)
            let width = max(columns, 6 + 10)
            #expect(drawn.prefix(3).allSatisfy { TextWidth.columns(of: $0) == width })
            #expect(TextWidth.columns(of: drawn[3]) <= width)
        }
    }

    @Test func aKickIsAlwaysVisible() {
        // The client is kicked and connects again within the time of one column.
        let lane = Lane(
            name: "phone",
            changes: changes([(0, .loggedOut), (50_000, .online), (50_001, .kicked), (50_001, .connecting)]))
        for columns in [16, 24, 80] {
            #expect(lines([lane], columns: columns)[0].contains("K"), "\(columns)")
        }
    }

    @Test func wideNamesAlign() {
        let lanes = [
            Lane(name: "手机", changes: changes([(0, .online)])), Lane(name: "pad", changes: changes([(0, .online)])),
        ]
        let drawn = lines(lanes, columns: 40)
        #expect(drawn[0].hasPrefix("手机 |online"))
        #expect(drawn[1].hasPrefix("pad  |online"))
        #expect(TextWidth.columns(of: drawn[0]) == TextWidth.columns(of: drawn[1]))
        #expect(TextWidth.fitted("手机", to: 3) == "手 ")
    }

    @Test func withoutColourAndUnicodeItIsASCII() {
        let drawn = lines(scenario.lanes, scenario.ticks, columns: 80)
        #expect(drawn.allSatisfy { $0.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F } })
    }

    @Test func everyStateHasItsOwnLetter() {
        let letters = ClientState.allCases.map(StateChart.letter)
        #expect(Set(letters).count == letters.count)
    }

    @Test func theLogKeepsTheDrawnEvents() throws {
        let log = StateHistory()
        for number in 0..<3 * StateHistory.storedMin {
            let change = StateChange(from: .online, to: .kicked, reason: .remoteLogin)
            log.take(
                SessionEvent(
                    number: 0, time: at(Int64(number)), node: "phone", content: .effect(.transition(change))))
        }
        #expect(log.lanes.count == 1)
        #expect(log.lanes[0].changes.count >= StateHistory.storedMin)
        #expect(log.lanes[0].changes.count < 2 * StateHistory.storedMin)
        #expect(log.ticks.count < 2 * StateHistory.storedMin)
        #expect(log.lanes[0].changes.last?.time == log.last)
    }
}
